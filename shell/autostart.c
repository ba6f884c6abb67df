/* SPDX-License-Identifier: Apache-2.0 */
/* autostart: whether a domain is started with the host. */
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "disable", PARAMETER_FLAG, .help = "do not start it any more" },
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *name = argument_text(arguments, "domain");
    bool on = !argument_flag(arguments, "disable");
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_set_autostart_args args = { .dom = found.dom, .autostart = on };
    if (client_domain_set_autostart(client, &args, NULL, err) < 0)
        return fail_in(err, "Failed to %smark domain '%s' as autostarted", on ? "" : "un", name);
    session_confirm(session, "Domain '%s' %smarked as autostarted\n", name, on ? "" : "un");
    return COMMAND_DONE;
}

const struct command autostart_command = {
    .name = "autostart",
    .group = "Definitions",
    .summary = "start a domain with the host",
    .parameters = parameters,
    .run = run,
};
