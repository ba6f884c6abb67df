/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - a command of the shell is a row.
 *
 * One file a command (or a family that shares its function), named after it: its parameters, its row, its
 * function.  From the row come parsing, help, usage, completion and the suggestion for a mistyped word;
 * table.c lists all rows.
 *
 *     static const struct parameter parameters[] = {
 *         DOMAIN_PARAMETER,
 *         { "paused", PARAMETER_FLAG, .help = "do not let the guest run yet" },
 *         { 0 },
 *     };
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct arguments;
struct session;

enum parameter_kind {
    PARAMETER_FLAG, /* --paused */
    PARAMETER_TEXT, /* --file X, --file=X; or by position if it has `position` */
    PARAMETER_NUMBER,
    PARAMETER_DOMAIN,   /* completed from the domains' names */
    PARAMETER_DEVICE,   /* ... from the aliases of the domain's devices */
    PARAMETER_OBJECT,   /* ... from its object tree */
    PARAMETER_PROPERTY, /* ... from the object's properties */
    PARAMETER_REST      /* all words that are left */
};

struct parameter {
    const char *name;
    enum parameter_kind kind;
    bool position;                      /* may be given without its name, in the order of the rows */
    bool required;
    const char *value;                  /* what the value is called in the usage; NULL: its name */
    const char *help;
};

/* What a command's function returns.  FAILED and MISUSED come with the error set; DIFFERS is for those that
 * compare. */
enum command_result { COMMAND_DONE = 0, COMMAND_FAILED = -1, COMMAND_MISUSED = -2, COMMAND_DIFFERS = 1 };

struct command {
    const char *name;
    const char *group;                  /* heading in `help` */
    const char *summary;                /* one line, no capital, no full stop */
    const char *about;                  /* more sentences for `help NAME`; may be NULL */
    const struct parameter *parameters; /* ends with a row without a name; NULL: none */
    int (*run)(struct session *session, const struct arguments *arguments, struct error *err);
    bool shell_only;                    /* makes sense only at the prompt */
    bool compares;  /* exits like diff: 0 the same, 1 differences, 2 trouble of any kind */
    bool has_verbs; /* NAME DOMAIN VERB ... is the command NAME-VERB DOMAIN ... */
};

#define DOMAIN_PARAMETER \
    { "domain", PARAMETER_DOMAIN, .position = true, .required = true, .help = "its name, id or uuid" }
#define JSON_PARAMETER { "json", PARAMETER_FLAG, .help = "print JSON" }

/* All commands, sorted by group; ends with NULL. */
extern const struct command *const commands[];

const struct command *command_find(const char *name);           /* NULL if there is none */
/* "start DOMAIN [--paused]" */
void command_add_usage(const struct command *command, struct buffer *out);
void command_add_help(const struct command *command, struct buffer *out);
/* Parses one command's words and runs it.  Says on standard error why it failed; returns the exit code. */
int command_run(struct session *session, char *const *words, size_t count);

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 };
enum { EXIT_DIFFERS = 1, EXIT_TROUBLE = 2 }; /* of commands that compare */
