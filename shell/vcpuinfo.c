/* SPDX-License-Identifier: Apache-2.0 */
/* vcpuinfo: where each of a guest's processors runs, and for how long it has. */
#include <stdio.h>

#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/cpumap.h"
#include "shell/listing.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "pretty", PARAMETER_FLAG, .help = "print processors as ranges" },
    JSON_PARAMETER,
    { 0 },
};

static const struct column columns[] = {
    { .title = "VCPU", .number = true },
    { .title = "CPU", .number = true },
    { .title = "State" },
    { .title = "CPU time" },
    { .title = "CPU Affinity" },
};

static int host_cpus(struct client *client, struct error *err)
{
    remote_node_get_cpu_map_args args = { .need_map = 0 };
    reply_scope(node_get_cpu_map, map);
    return client_node_get_cpu_map(client, &args, &map, err) < 0 ? -1 : map.ret;
}

static void add_affinity(struct listing *listing, const struct arguments *arguments, const char *map,
                         size_t length, unsigned cpus)
{
    owned_buffer struct buffer text = { 0 };
    if (argument_flag(arguments, "pretty")) {
        cpumap_add_ranges(map, length, cpus, &text);
        buffer_printf(&text, " (out of %u)", cpus);
    } else {
        cpumap_add_letters(map, length, cpus, &text);
    }
    listing_add(listing, buffer_text(&text));
}

static void add_vcpu(struct listing *listing, const struct arguments *arguments, const remote_vcpu_info *vcpu)
{
    static const char *const states[] = { "offline", "running", "blocked" };
    listing_printf(listing, "%u", vcpu->number);
    if (vcpu->cpu >= 0)
        listing_printf(listing, "%d", vcpu->cpu);
    else
        listing_add(listing, "N/A");
    listing_add(listing, vcpu->state >= 0 && vcpu->state < (int) ARRAY_COUNT(states) ? states[vcpu->state]
                                                                                     : "no state");
    if (vcpu->cpu_time)
        listing_printf(listing, "%.1fs", (double) vcpu->cpu_time / 1e9);
    else
        listing_add(listing, NULL);
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    enum { TITLE_WIDTH = 15 };
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    int cpus = client ? host_cpus(client, err) : -1;
    if (cpus < 0)
        return COMMAND_FAILED;
    reply_scope(domain_get_info, info);
    remote_domain_get_info_args info_args = { .dom = found.dom };
    if (client_domain_get_info(client, &info_args, &info, err) < 0)
        return COMMAND_FAILED;
    reply_scope(domain_get_vcpus, vcpus);
    remote_domain_get_vcpus_args args = { .dom = found.dom,
                                          .maxinfo = info.nrVirtCpu,
                                          .maplen = (cpus + 7) / 8 };
    if (client_domain_get_vcpus(client, &args, &vcpus, err) < 0)
        return COMMAND_FAILED;
    bool json = argument_flag(arguments, "json");
    owned(listing) struct listing *all = listing_new(columns, ARRAY_COUNT(columns));
    for (u_int i = 0; i < vcpus.info.info_len; i++) {
        size_t at = (size_t) i * (size_t) args.maplen, left = vcpus.cpumaps.cpumaps_len;
        owned(listing) struct listing *one = listing_new(columns, ARRAY_COUNT(columns));
        struct listing *listing = json ? all : one;
        add_vcpu(listing, arguments, &vcpus.info.info_val[i]);
        add_affinity(listing, arguments, vcpus.cpumaps.cpumaps_val + (at < left ? at : left),
                     at + (size_t) args.maplen <= left ? (size_t) args.maplen : 0, (unsigned) cpus);
        if (!json)
            session_show(session, arguments, one, TITLE_WIDTH);
        if (!json && i + 1 < vcpus.info.info_len)
            putchar('\n');
    }
    if (json)
        session_show(session, arguments, all, 0);
    return COMMAND_DONE;
}

const struct command vcpuinfo_command = {
    .name = "vcpuinfo",
    .group = "Resources",
    .summary = "print where a guest's processors run",
    .parameters = parameters,
    .run = run,
};
