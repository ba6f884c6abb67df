/* SPDX-License-Identifier: Apache-2.0 */
/* vcpucount: how many processors a guest has and can have, now and at its next start. */
#include <stdio.h>

#include "shell/affect.h"
#include "shell/command.h"
#include "shell/listing.h"
#include "shell/session.h"

enum { VCPU_MAXIMUM = 4 };

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "maximum", PARAMETER_FLAG, .help = "only how many it can have" },
    { "active", PARAMETER_FLAG, .help = "only how many it has" },
    AFFECT_PARAMETERS,
    JSON_PARAMETER,
    { 0 },
};

static const struct { const char *what, *when; unsigned flags; } counts[] = {
    { "maximum", "config", VCPU_MAXIMUM | AFFECT_CONFIG },
    { "maximum", "live", VCPU_MAXIMUM | AFFECT_LIVE },
    { "current", "config", AFFECT_CONFIG },
    { "current", "live", AFFECT_LIVE },
};

static int count(struct client *client, const remote_nonnull_domain *dom, unsigned flags, int *ret_count,
                 struct error *err)
{
    remote_domain_get_vcpus_flags_args args = { .dom = *dom, .flags = flags };
    reply_scope(domain_get_vcpus_flags, reply);
    if (client_domain_get_vcpus_flags(client, &args, &reply, err) < 0)
        return -1;
    *ret_count = reply.num;
    return 0;
}

/* All four, as far as the domain has them. */
static void show_all(struct session *session, const struct arguments *arguments,
                     const remote_nonnull_domain *dom)
{
    static const struct column columns[] = { { .title = "What" }, { .title = "When" },
                                             { .title = "Count", .number = true } };
    owned(listing) struct listing *listing = listing_new(columns, ARRAY_COUNT(columns));
    for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
        error_scope(absent);
        int number;
        if (count(session->client, dom, counts[i].flags, &number, &absent) < 0)
            continue;
        listing_add(listing, counts[i].what);
        listing_add(listing, counts[i].when);
        listing_printf(listing, "%d", number);
        if (!argument_flag(arguments, "json"))
            printf("%-12s %-12s %3d\n", counts[i].what, counts[i].when, number);
    }
    if (argument_flag(arguments, "json"))
        session_show(session, arguments, listing, 0);
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    unsigned flags;
    int number, wrong = affect_flags(arguments, &flags, err);
    if (wrong)
        return wrong;
    bool one = flags || argument_flag(arguments, "current") || argument_flag(arguments, "maximum") ||
               argument_flag(arguments, "active");
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    if (!one) {
        show_all(session, arguments, &found.dom);
        return COMMAND_DONE;
    }
    flags |= argument_flag(arguments, "maximum") ? VCPU_MAXIMUM : 0;
    if (count(client, &found.dom, flags, &number, err) < 0)
        return COMMAND_FAILED;
    printf("%d\n", number);
    return COMMAND_DONE;
}

const struct command vcpucount_command = {
    .name = "vcpucount",
    .group = "Resources",
    .summary = "print how many processors a guest has and can have",
    .parameters = parameters,
    .run = run,
};
