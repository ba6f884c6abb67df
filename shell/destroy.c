/* SPDX-License-Identifier: Apache-2.0 */
/* destroy: ends a domain's emulator; the definition stays. */
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

enum { DESTROY_GRACEFUL = 1 };

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "graceful", PARAMETER_FLAG, .help = "fail rather than kill an emulator that does not end by itself" },
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *name = argument_text(arguments, "domain");
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_destroy_flags_args args = {
        .dom = found.dom,
        .flags = argument_flag(arguments, "graceful") ? DESTROY_GRACEFUL : 0,
    };
    if (client_domain_destroy_flags(client, &args, NULL, err) < 0)
        return fail_in(err, "Failed to destroy domain '%s'", name);
    session_confirm(session, "Domain '%s' destroyed\n", name);
    return COMMAND_DONE;
}

const struct command destroy_command = {
    .name = "destroy",
    .group = "Life",
    .summary = "end a domain at once, as if its plug were pulled",
    .about = "The definition stays.  Without --graceful, an emulator that does not end when asked is killed.",
    .parameters = parameters,
    .run = run,
};
