/* SPDX-License-Identifier: Apache-2.0 */
/* start: runs a defined domain. */
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

enum { START_PAUSED = 1 };

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "paused", PARAMETER_FLAG, .help = "do not let the guest run yet" },
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *name = argument_text(arguments, "domain");
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_create_with_flags_args args = {
        .dom = found.dom,
        .flags = argument_flag(arguments, "paused") ? START_PAUSED : 0,
    };
    reply_scope(domain_create_with_flags, started);
    if (client_domain_create_with_flags(client, &args, &started, err) < 0)
        return fail_in(err, "Failed to start domain '%s'", name);
    session_confirm(session, "Domain '%s' started\n", name);
    return COMMAND_DONE;
}

const struct command start_command = {
    .name = "start",
    .group = "Life",
    .summary = "run a defined domain",
    .parameters = parameters,
    .run = run,
};
