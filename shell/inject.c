/* SPDX-License-Identifier: Apache-2.0 */
/* inject: a fault, or anything else that simvmm's script language can say, into a simulated guest. */
#include <stdio.h>

#include "base/memory.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "list", PARAMETER_FLAG, .help = "the faults that are on, numbered, and how often each was met" },
    { "clear", PARAMETER_FLAG, .help = "end all faults, or the one whose number is given" },
    { "fault", PARAMETER_REST,
      .help = "ACTION=TARGET[:NTH[:ARGUMENT]], or another line of simvmm(1)'s script language" },
    { 0 },
};

/* NULL: neither a fault nor an option. */
static char *line_of(const struct arguments *arguments)
{
    owned_memory char *rest = argument_joined(arguments, "fault");
    bool empty = !rest || !*rest;
    if (argument_flag(arguments, "list"))
        return memory_copy_text("faults");
    if (argument_flag(arguments, "clear"))
        return memory_printf("clear %s", empty ? "" : rest);
    return empty ? NULL : take(rest);
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    owned_memory char *line = line_of(arguments);
    if (!line) {
        fail(err, ERR_INVALID_ARG, "which fault? Or --list, or --clear");
        return COMMAND_MISUSED;
    }
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    domus_inject_args args = { .dom = found.dom, .line = line };
    reply_scope(domus_inject, reply);
    if (client_domus_inject(client, &args, &reply, err) < 0)
        return COMMAND_FAILED;
    fputs(reply.text, stdout);
    return COMMAND_DONE;
}

const struct command inject_command = {
    .name = "inject",
    .group = "Emulator",
    .summary = "make a simulated guest go wrong",
    .about = "Only for domains whose emulator is simvmm. A fault is ACTION=TARGET[:NTH[:ARGUMENT]], as in "
             "delay=stop:2:500 or crash=cont; any other line is the guest's, as in panic or powerbutton "
             "ignore. simvmm(1) has the list.",
    .parameters = parameters,
    .run = run,
};
