/* SPDX-License-Identifier: Apache-2.0 */
/* qemu-monitor-command: one command for the emulator itself, as QMP or for people. */
#include <stdio.h>

#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/pretty.h"
#include "shell/session.h"

enum { MONITOR_HMP = 1 };

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "hmp", PARAMETER_FLAG, .help = "a command of the human monitor, such as `info status`" },
    { "pretty", PARAMETER_FLAG, .help = "spread the reply over lines" },
    { "cmd", PARAMETER_REST, .required = true, .help = "the command; several words are joined by blanks" },
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    bool human = argument_flag(arguments, "hmp"), pretty = argument_flag(arguments, "pretty");
    if (human && pretty) {
        fail(err, ERR_INVALID_ARG, "--hmp and --pretty exclude each other");
        return COMMAND_MISUSED;
    }
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    owned_memory char *command = argument_joined(arguments, "cmd");
    qemu_domain_monitor_command_args args = { .dom = found.dom,
                                              .cmd = command,
                                              .flags = human ? MONITOR_HMP : 0 };
    reply_scope(qemu_domain_monitor_command, reply);
    if (client_qemu_domain_monitor_command(client, &args, &reply, err) < 0)
        return COMMAND_FAILED;
    owned_buffer struct buffer spread = { 0 };
    if (pretty && pretty_json(reply.result, &spread, err) < 0)
        return fail_in(err, "the emulator's reply is not JSON");
    printf(pretty ? "%s" : "%s\n", pretty ? buffer_text(&spread) : reply.result);
    return COMMAND_DONE;
}

const struct command qemu_monitor_command_command = {
    .name = "qemu-monitor-command",
    .group = "Emulator",
    .summary = "send a command to the emulator's monitor",
    .about = "The emulator's own errors are replies like others.",
    .parameters = parameters,
    .run = run,
};
