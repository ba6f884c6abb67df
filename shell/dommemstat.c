/* SPDX-License-Identifier: Apache-2.0 */
/* dommemstat: where a guest's memory is. */
#include <stdio.h>

#include "json/json.h"
#include "shell/affect.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "period", PARAMETER_NUMBER, .value = "seconds", .help = "let the guest report so often; 0: never" },
    AFFECT_PARAMETERS,
    JSON_PARAMETER,
    { 0 },
};

/* By libvirt's tags. */
static const char *const names[] = {
    "swap_in", "swap_out", "major_fault", "minor_fault", "unused", "available", "actual", "rss", "usable",
    "last_update", "disk_caches", "hugetlb_pgalloc", "hugetlb_pgfail",
};

static int set_period(const struct arguments *arguments, struct client *client,
                      const remote_nonnull_domain *dom, struct error *err)
{
    unsigned flags;
    int wrong = affect_flags(arguments, &flags, err);
    if (wrong)
        return wrong;
    remote_domain_set_memory_stats_period_args args = {
        .dom = *dom,
        .period = (int) argument_number(arguments, "period", 0),
        .flags = flags,
    };
    return client_domain_set_memory_stats_period(client, &args, NULL, err);
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    if (argument_text(arguments, "period"))
        return set_period(arguments, client, &found.dom, err);
    remote_domain_memory_stats_args args = { .dom = found.dom, .maxStats = ARRAY_COUNT(names) };
    reply_scope(domain_memory_stats, stats);
    if (client_domain_memory_stats(client, &args, &stats, err) < 0)
        return fail_in(err, "Failed to get memory statistics for domain '%s'", found.dom.name);
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    json_open(&w, '[');
    json_open(&w, '{');
    for (u_int i = 0; i < stats.stats.stats_len; i++) {
        const remote_domain_memory_stat *stat = &stats.stats.stats_val[i];
        if (stat->tag < 0 || stat->tag >= (int) ARRAY_COUNT(names))
            continue;
        json_key(&w, names[stat->tag]), json_u64(&w, stat->val);
        if (!argument_flag(arguments, "json"))
            printf("%s %llu\n", names[stat->tag], (unsigned long long) stat->val);
    }
    json_close(&w, '}');
    json_close(&w, ']');
    if (argument_flag(arguments, "json"))
        session_show_json(session, buffer_text(&out));
    return COMMAND_DONE;
}

const struct command dommemstat_command = {
    .name = "dommemstat",
    .group = "Resources",
    .summary = "print where a guest's memory is, in KiB",
    .parameters = parameters,
    .run = run,
};
