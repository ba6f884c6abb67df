/* SPDX-License-Identifier: Apache-2.0 */
/* help: the commands, or one of them; as a part of domsh(1), too. */
#include <ctype.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/text.h"
#include "shell/arguments.h"
#include "shell/command.h"

static const struct parameter parameters[] = {
    { "command", PARAMETER_TEXT, .position = true, .help = "explain this command" },
    { "manual", PARAMETER_FLAG, .help = "print all of it in the manual page's language" },
    { 0 },
};

static void add_list(struct buffer *out)
{
    const char *group = NULL;
    for (const struct command *const *c = commands; *c; c++) {
        if (!text_equal(group, (*c)->group))
            buffer_printf(out, "%s%s:\n", group ? "\n" : "", (*c)->group);
        group = (*c)->group;
        buffer_printf(out, "    %-24s %s\n", (*c)->name, (*c)->summary);
    }
}

/* What could be taken for a command of roff is escaped. */
static void add_roff(struct buffer *out, const char *text)
{
    for (; *text; text++)
        if (*text == '-')
            buffer_add_text(out, "\\-");
        else if (*text == '\\')
            buffer_add_text(out, "\\e");
        else
            buffer_add_char(out, *text);
}

static void add_manual_parameters(const struct command *command, struct buffer *out)
{
    buffer_add_text(out, ".RS\n");
    for (const struct parameter *p = command->parameters; p->name; p++) {
        buffer_add_text(out, ".TP\n.B \\-\\-");
        add_roff(out, p->name);
        buffer_add_char(out, '\n');
        add_roff(out, p->help);
        buffer_add_char(out, '\n');
    }
    buffer_add_text(out, ".RE\n");
}

static void add_manual(struct buffer *out)
{
    const char *group = NULL;
    for (const struct command *const *c = commands; *c; c++) {
        owned_buffer struct buffer usage = { 0 };
        command_add_usage(*c, &usage);
        if (!text_equal(group, (*c)->group))
            buffer_printf(out, ".SS %s\n", (*c)->group);
        group = (*c)->group;
        buffer_add_text(out, ".TP\n.B ");
        add_roff(out, buffer_text(&usage));
        buffer_add_char(out, '\n');
        buffer_add_char(out, (char) toupper((unsigned char) *(*c)->summary));
        add_roff(out, (*c)->summary + 1);
        buffer_add_text(out, ".\n");
        if ((*c)->about)
            add_roff(out, (*c)->about), buffer_add_char(out, '\n');
        if ((*c)->parameters)
            add_manual_parameters(*c, out);
    }
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *name = argument_text(arguments, "command");
    const struct command *command = name ? command_find(name) : NULL;
    owned_buffer struct buffer out = { 0 };
    if (name && !command)
        return fail(err, ERR_INVALID_ARG, "there is no command '%s'", name);
    if (command)
        command_add_help(command, &out);
    else if (argument_flag(arguments, "manual"))
        add_manual(&out);
    else
        add_list(&out);
    fputs(buffer_text(&out), stdout);
    return COMMAND_DONE;
}

const struct command help_command = {
    .name = "help",
    .group = "Shell",
    .summary = "list the commands, or explain one",
    .parameters = parameters,
    .run = run,
};
