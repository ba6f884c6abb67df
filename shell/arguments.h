/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.h - the words of one command, sorted by its parameters. */
#pragma once
#include "base/own.h"
#include "shell/command.h"

struct arguments;

/* `words` are those after the command's name; they must outlive the result.  NULL for misuse. */
struct arguments *arguments_parse(const struct command *command, char *const *words, size_t count,
                                  struct error *err);
void arguments_free(struct arguments *arguments);
DEFINE_OWNED(arguments)

const struct command *arguments_command(const struct arguments *arguments);
bool argument_flag(const struct arguments *arguments, const char *name);
const char *argument_text(const struct arguments *arguments, const char *name);     /* NULL if not given */
uint64_t argument_number(const struct arguments *arguments, const char *name, uint64_t otherwise);
/* The words of a PARAMETER_REST, joined by single spaces; release with free(). */
char *argument_joined(const struct arguments *arguments, const char *name);
