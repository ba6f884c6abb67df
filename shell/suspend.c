/* SPDX-License-Identifier: Apache-2.0 */
/* suspend: halt a domain's processors. */
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct parameter parameters[] = { DOMAIN_PARAMETER, { 0 } };

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *name = argument_text(arguments, "domain");
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_suspend_args args = { .dom = found.dom };
    if (client_domain_suspend(client, &args, NULL, err) < 0)
        return fail_in(err, "Failed to suspend domain '%s'", name);
    session_confirm(session, "Domain '%s' suspended\n", name);
    return COMMAND_DONE;
}

const struct command suspend_command = {
    .name = "suspend",
    .group = "Life",
    .summary = "halt a domain's processors",
    .parameters = parameters,
    .run = run,
};
