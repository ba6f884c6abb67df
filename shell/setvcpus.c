/* SPDX-License-Identifier: Apache-2.0 */
/* setvcpus: how many processors a guest has. */
#include "shell/affect.h"
#include "shell/command.h"
#include "shell/session.h"

enum { VCPU_MAXIMUM = 4, VCPU_GUEST = 8, VCPU_HOTPLUGGABLE = 16 };

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "count", PARAMETER_NUMBER, .position = true, .required = true, .help = "how many" },
    { "maximum", PARAMETER_FLAG, .help = "set how many it can have, for the next start" },
    { "guest", PARAMETER_FLAG, .help = "let the guest's agent switch them on and off" },
    { "hotpluggable", PARAMETER_FLAG, .help = "make added ones removable" },
    AFFECT_PARAMETERS,
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    unsigned flags;
    int wrong = affect_flags(arguments, &flags, err);
    if (wrong)
        return wrong;
    flags |= argument_flag(arguments, "maximum") ? VCPU_MAXIMUM : 0;
    flags |= argument_flag(arguments, "guest") ? VCPU_GUEST : 0;
    flags |= argument_flag(arguments, "hotpluggable") ? VCPU_HOTPLUGGABLE : 0;
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_set_vcpus_flags_args args = {
        .dom = found.dom,
        .nvcpus = (u_int) argument_number(arguments, "count", 0),
        .flags = flags,
    };
    return client_domain_set_vcpus_flags(client, &args, NULL, err);
}

const struct command setvcpus_command = {
    .name = "setvcpus",
    .group = "Resources",
    .summary = "set how many processors a guest has",
    .parameters = parameters,
    .run = run,
};
