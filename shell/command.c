/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/command.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"
#include "shell/arguments.h"
#include "shell/session.h"

const struct command *command_find(const char *name)
{
    for (const struct command *const *c = commands; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

/* What stands for the value: "DOMAIN" for --domain. */
static void add_value_name(const struct parameter *p, struct buffer *out)
{
    for (const char *c = p->value ? p->value : p->name; *c; c++)
        buffer_add_char(out, (char) toupper((unsigned char) *c));
}

static void add_parameter(const struct parameter *p, struct buffer *out)
{
    buffer_add_text(out, p->required ? " " : " [");
    if (!p->position && p->kind != PARAMETER_REST)
        buffer_printf(out, "--%s%s", p->name, p->kind == PARAMETER_FLAG ? "" : " ");
    if (p->kind != PARAMETER_FLAG)
        add_value_name(p, out);
    if (p->kind == PARAMETER_REST)
        buffer_add_text(out, "...");
    buffer_add_text(out, p->required ? "" : "]");
}

void command_add_usage(const struct command *command, struct buffer *out)
{
    buffer_add_text(out, command->name);
    for (const struct parameter *p = command->parameters; p && p->name; p++)
        add_parameter(p, out);
}

void command_add_help(const struct command *command, struct buffer *out)
{
    buffer_printf(out, "  NAME\n    %s - %s\n\n  SYNOPSIS\n    ", command->name, command->summary);
    command_add_usage(command, out);
    buffer_add_char(out, '\n');
    if (command->about)
        buffer_printf(out, "\n  DESCRIPTION\n    %s\n", command->about);
    if (command->parameters)
        buffer_add_text(out, "\n  OPTIONS\n");
    for (const struct parameter *p = command->parameters; p && p->name; p++) {
        owned_buffer struct buffer label = { 0 };
        buffer_printf(&label, "--%s", p->name);
        if (p->kind != PARAMETER_FLAG) {
            buffer_add_char(&label, ' ');
            add_value_name(p, &label);
        }
        buffer_printf(out, "    %-24s %s\n", buffer_text(&label), p->help);
    }
}

static void fail_unknown(const char *name, struct error *err)
{
    const char *names[256];
    size_t count = 0;
    for (const struct command *const *c = commands; *c && count < ARRAY_COUNT(names); c++)
        names[count++] = (*c)->name;
    const char *near = text_nearest(name, names, count);
    if (near)
        fail(err, ERR_INVALID_ARG, "unknown command: '%s'; did you mean '%s'?", name, near);
    else
        fail(err, ERR_INVALID_ARG, "unknown command: '%s'; `help` lists them all", name);
}

/* After a misused command's error; NULL: it is no command. */
static void say_usage(const struct command *command)
{
    if (!command)
        return;
    owned_buffer struct buffer usage = { 0 };
    command_add_usage(command, &usage);
    fprintf(stderr, "usage: %s\n", buffer_text(&usage));
}

/* "qom DOMAIN find ..." is "qom-find DOMAIN ...": the words without the verb.  NULL: it is no verb. */
static const struct command *find_verb(const struct command *command, char *const *words, size_t count,
                                       char ***ret_words)
{
    owned_memory char *name = count > 2 ? memory_printf("%s-%s", words[0], words[2]) : NULL;
    const struct command *verb = name && command->has_verbs ? command_find(name) : NULL;
    if (!verb)
        return NULL;
    *ret_words = memory_new((count + 1) * sizeof **ret_words);
    memcpy(*ret_words, words, 2 * sizeof *words);
    memcpy(*ret_words + 2, words + 3, (count - 3) * sizeof *words);
    return verb;
}

static int exit_code(const struct command *command, int result)
{
    switch (result) {
    case COMMAND_DONE:
        return EXIT_OK;
    case COMMAND_DIFFERS:
        return EXIT_DIFFERS;
    case COMMAND_MISUSED:
        return EXIT_MISUSED;
    default:
        return command && command->compares ? EXIT_TROUBLE : EXIT_FAILED;
    }
}

int command_run(struct session *session, char *const *words, size_t count)
{
    error_scope(err);
    const struct command *command = command_find(words[0]);
    owned_memory char **without_verb = NULL;
    const struct command *verb = command ? find_verb(command, words, count, &without_verb) : NULL;
    if (!command)
        fail_unknown(words[0], &err);
    if (verb) {
        command = verb;
        words = without_verb;
        count--;
    }
    owned(arguments) struct arguments *arguments =
        command ? arguments_parse(command, words + 1, count - 1, &err) : NULL;
    session->spoke_json = false;
    int result = arguments ? command->run(session, arguments, &err) : COMMAND_MISUSED;
    if (result == COMMAND_DONE && !session->quiet && !session->spoke_json)
        putchar('\n');
    fflush(stdout);
    if (result < 0)
        fprintf(stderr, "error: %s\n", error_text(&err));
    if (result == COMMAND_MISUSED)
        say_usage(command);
    return exit_code(command, result);
}
