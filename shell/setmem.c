/* SPDX-License-Identifier: Apache-2.0 */
/* setmem, setmaxmem: how much memory a guest has now, and at most. */
#include "shell/affect.h"
#include "shell/command.h"
#include "shell/session.h"
#include "shell/size.h"

enum { MEMORY_MAXIMUM = 4 };

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "size", PARAMETER_TEXT, .position = true, .required = true, .help = "KiB, or with a unit: 512M" },
    AFFECT_PARAMETERS,
    { 0 },
};

static int set(struct session *session, const struct arguments *arguments, unsigned more, struct error *err)
{
    unsigned flags;
    uint64_t kib;
    int wrong = affect_flags(arguments, &flags, err);
    if (wrong)
        return wrong;
    if (size_parse_kib(argument_text(arguments, "size"), &kib, err) < 0)
        return COMMAND_MISUSED;
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_set_memory_flags_args args = { .dom = found.dom, .memory = kib, .flags = flags | more };
    return client_domain_set_memory_flags(client, &args, NULL, err);
}

static int run_now(struct session *session, const struct arguments *arguments, struct error *err)
{
    return set(session, arguments, 0, err);
}

static int run_maximum(struct session *session, const struct arguments *arguments, struct error *err)
{
    return set(session, arguments, MEMORY_MAXIMUM, err);
}

const struct command setmem_command = {
    .name = "setmem", .group = "Resources", .summary = "set how much memory a guest has",
    .parameters = parameters, .run = run_now,
};
const struct command setmaxmem_command = {
    .name = "setmaxmem", .group = "Resources", .summary = "set how much memory a guest can have",
    .parameters = parameters, .run = run_maximum,
};
