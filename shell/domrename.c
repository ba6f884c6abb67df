/* SPDX-License-Identifier: Apache-2.0 */
/* domrename: another name for a domain. */
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "new-name", PARAMETER_TEXT, .position = true, .required = true, .help = "its name from now on" },
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    char *name = (char *) argument_text(arguments, "new-name");
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_rename_args args = { .dom = found.dom, .new_name = &name };
    reply_scope(domain_rename, renamed);
    if (client_domain_rename(client, &args, &renamed, err) < 0)
        return COMMAND_FAILED;
    session_confirm(session, "Domain successfully renamed\n");
    return COMMAND_DONE;
}

const struct command domrename_command = {
    .name = "domrename",
    .group = "Definitions",
    .summary = "give a domain another name",
    .parameters = parameters,
    .run = run,
};
