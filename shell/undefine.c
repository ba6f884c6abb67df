/* SPDX-License-Identifier: Apache-2.0 */
/* undefine: forgets a definition; a running domain goes on as a transient one. */
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct { const char *option; unsigned bit; } removals[] = {
    { "managed-save", 0x1 }, { "snapshots-metadata", 0x2 }, { "nvram", 0x4 }, { "keep-nvram", 0x8 },
};

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "managed-save", PARAMETER_FLAG, .help = "remove the managed save image, too" },
    { "snapshots-metadata", PARAMETER_FLAG, .help = "remove what is known of snapshots, too" },
    { "nvram", PARAMETER_FLAG, .help = "remove the firmware's variables, too" },
    { "keep-nvram", PARAMETER_FLAG, .help = "keep the firmware's variables" },
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *name = argument_text(arguments, "domain");
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_undefine_flags_args args = { .dom = found.dom };
    for (size_t i = 0; i < ARRAY_COUNT(removals); i++)
        if (argument_flag(arguments, removals[i].option))
            args.flags |= removals[i].bit;
    if (client_domain_undefine_flags(client, &args, NULL, err) < 0)
        return fail_in(err, "Failed to undefine domain '%s'", name);
    session_confirm(session, "Domain '%s' has been undefined\n", found.dom.name);
    return COMMAND_DONE;
}

const struct command undefine_command = {
    .name = "undefine",
    .group = "Definitions",
    .summary = "forget a domain's definition",
    .about = "A running domain goes on, and is gone when it ends.",
    .parameters = parameters,
    .run = run,
};
