/* SPDX-License-Identifier: Apache-2.0 */
/* help: the commands, or one of them. */
#include <stdio.h>

#include "base/buffer.h"
#include "base/text.h"
#include "shell/arguments.h"
#include "shell/command.h"

static const struct parameter parameters[] = {
    { "command", PARAMETER_TEXT, .position = true, .help = "explain this command" },
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *name = argument_text(arguments, "command"), *group = NULL;
    owned_buffer struct buffer out = { 0 };
    const struct command *one = name ? command_find(name) : NULL;
    if (name && !one)
        return fail(err, ERR_INVALID_ARG, "there is no command '%s'", name);
    for (const struct command *const *c = commands; !name && *c; c++) {
        if (!text_equal(group, (*c)->group))
            buffer_printf(&out, "%s%s:\n", group ? "\n" : "", (*c)->group);
        group = (*c)->group;
        buffer_printf(&out, "    %-24s %s\n", (*c)->name, (*c)->summary);
    }
    if (one)
        command_add_help(one, &out);
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
