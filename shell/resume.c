/* SPDX-License-Identifier: Apache-2.0 */
/* resume: let a suspended domain go on. */
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
    remote_domain_resume_args args = { .dom = found.dom };
    if (client_domain_resume(client, &args, NULL, err) < 0)
        return fail_in(err, "Failed to resume domain '%s'", name);
    session_confirm(session, "Domain '%s' resumed\n", name);
    return COMMAND_DONE;
}

const struct command resume_command = {
    .name = "resume",
    .group = "Life",
    .summary = "let a suspended domain go on",
    .parameters = parameters,
    .run = run,
};
