/* SPDX-License-Identifier: Apache-2.0 */
/* vcpupin, emulatorpin: on which of the host's processors a guest's processors, or its emulator, may run. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "conf/cpuset.h"
#include "shell/affect.h"
#include "shell/command.h"
#include "shell/cpumap.h"
#include "shell/listing.h"
#include "shell/session.h"

static const struct parameter vcpu_parameters[] = {
    DOMAIN_PARAMETER,
    { "vcpu", PARAMETER_NUMBER, .position = true, .help = "which processor; all, if only shown" },
    { "cpulist", PARAMETER_TEXT, .position = true,
      .help = "where it may run: 0-3,^2, or r for everywhere; shown, if left out" },
    AFFECT_PARAMETERS,
    JSON_PARAMETER,
    { 0 },
};

static const struct parameter emulator_parameters[] = {
    DOMAIN_PARAMETER,
    { "cpulist", PARAMETER_TEXT, .position = true,
      .help = "where it may run: 0-3,^2, or r for everywhere; shown, if left out" },
    AFFECT_PARAMETERS,
    JSON_PARAMETER,
    { 0 },
};

static const struct column columns[] = { { .title = "VCPU", .number = true }, { .title = "CPU Affinity" } };

static int host_cpus(struct client *client, struct error *err)
{
    remote_node_get_cpu_map_args args = { .need_map = 0 };
    reply_scope(node_get_cpu_map, map);
    return client_node_get_cpu_map(client, &args, &map, err) < 0 ? -1 : map.ret;
}

/* A bit for each of the host's processors that the list names. */
static int parse_list(const char *list, unsigned cpus, char map[CPUSET_MAX / 8], struct error *err)
{
    owned(arena) struct arena *arena = arena_new();
    owned_memory char *all = memory_printf("0-%u", cpus - 1);
    const char *at = cpuset_normalise(text_equal(list, "r") ? all : list, arena);
    if (!at)
        return fail(err, ERR_INVALID_ARG, "Invalid cpulist '%s'", list);
    for (unsigned first, last; cpuset_next(&at, &first, &last); ) {
        if (last >= cpus)
            return fail(err, ERR_INVALID_ARG, "CPU %u in cpulist '%s' exceed the maxcpu %u", last, list,
                        cpus);
        for (unsigned cpu = first; cpu <= last; cpu++)
            map[cpu / 8] |= (char) (1 << cpu % 8);
    }
    return 0;
}

static void add_row(struct listing *listing, long vcpu, const char *map, size_t length, unsigned cpus)
{
    owned_buffer struct buffer text = { 0 };
    cpumap_add_ranges(map, length, cpus, &text);
    if (vcpu >= 0)
        listing_printf(listing, "%ld", vcpu);
    else
        listing_add(listing, "*");
    listing_add(listing, buffer_text(&text));
}

static int count_vcpus(struct client *client, const remote_nonnull_domain *dom, unsigned flags,
                       int *ret_count, struct error *err)
{
    remote_domain_get_vcpus_flags_args args = { .dom = *dom, .flags = flags };
    reply_scope(domain_get_vcpus_flags, reply);
    if (client_domain_get_vcpus_flags(client, &args, &reply, err) < 0)
        return -1;
    *ret_count = reply.num;
    return 0;
}

static int show_vcpus(struct session *session, const struct arguments *arguments, struct client *client,
                      const remote_nonnull_domain *dom, unsigned flags, unsigned cpus, struct error *err)
{
    uint64_t only = argument_number(arguments, "vcpu", UINT64_MAX);
    int count;
    if (count_vcpus(client, dom, flags, &count, err) < 0)
        return COMMAND_FAILED;
    if (only != UINT64_MAX && only >= (unsigned) count)
        return fail(err, ERR_INVALID_ARG, "vcpu %u is out of range of %s cpu count %d", (unsigned) only,
                    flags & AFFECT_CONFIG || dom->id == -1 ? "persistent" : "live", count);
    size_t length = (cpus + 7) / 8;
    remote_domain_get_vcpu_pin_info_args args = {
        .dom = *dom, .ncpumaps = count, .maplen = (int) length, .flags = flags
    };
    reply_scope(domain_get_vcpu_pin_info, pins);
    if (client_domain_get_vcpu_pin_info(client, &args, &pins, err) < 0)
        return COMMAND_FAILED;
    owned(listing) struct listing *listing = listing_new(columns, ARRAY_COUNT(columns));
    for (int i = 0; i < pins.num && ((size_t) i + 1) * length <= pins.cpumaps.cpumaps_len; i++)
        if (only == UINT64_MAX || only == (unsigned) i)
            add_row(listing, i, pins.cpumaps.cpumaps_val + (size_t) i * length, length, cpus);
    session_show(session, arguments, listing, 0);
    return COMMAND_DONE;
}

static int show_emulator(struct session *session, const struct arguments *arguments, struct client *client,
                         const remote_nonnull_domain *dom, unsigned flags, unsigned cpus, struct error *err)
{
    remote_domain_get_emulator_pin_info_args args = {
        .dom = *dom, .maplen = (int) (cpus + 7) / 8, .flags = flags
    };
    reply_scope(domain_get_emulator_pin_info, pin);
    if (client_domain_get_emulator_pin_info(client, &args, &pin, err) < 0)
        return COMMAND_FAILED;
    if (argument_flag(arguments, "json")) {
        static const struct column columns_json[] = { { .title = "Emulator" }, { .title = "CPU Affinity" } };
        owned(listing) struct listing *listing = listing_new(columns_json, ARRAY_COUNT(columns_json));
        add_row(listing, -1, pin.cpumaps.cpumaps_val, pin.cpumaps.cpumaps_len, cpus);
        session_show(session, arguments, listing, 0);
        return COMMAND_DONE;
    }
    owned_buffer struct buffer text = { 0 };
    cpumap_add_ranges(pin.cpumaps.cpumaps_val, pin.cpumaps.cpumaps_len, cpus, &text);
    session_confirm(session, "emulator: CPU Affinity\n----------------------------------\n");
    printf("       *: %s\n", buffer_text(&text));
    return COMMAND_DONE;
}

static int set_pin(struct client *client, const remote_nonnull_domain *dom, const struct arguments *arguments,
                   bool emulator, unsigned flags, unsigned cpus, struct error *err)
{
    char map[CPUSET_MAX / 8] = { 0 };
    u_int length = (cpus + 7) / 8;
    if (parse_list(argument_text(arguments, "cpulist"), cpus, map, err) < 0)
        return -1;
    remote_domain_pin_emulator_args of_emulator = { .dom = *dom, .cpumap = { length, map }, .flags = flags };
    remote_domain_pin_vcpu_flags_args of_vcpu = {
        .dom = *dom, .vcpu = (u_int) argument_number(arguments, "vcpu", 0), .cpumap = { length, map },
        .flags = flags,
    };
    return emulator ? client_domain_pin_emulator(client, &of_emulator, NULL, err)
                    : client_domain_pin_vcpu_flags(client, &of_vcpu, NULL, err);
}

static int pin(struct session *session, const struct arguments *arguments, bool emulator, struct error *err)
{
    unsigned flags;
    bool sets = argument_text(arguments, "cpulist");
    int wrong = affect_flags(arguments, &flags, err);
    if (wrong)
        return wrong;
    if (sets && !emulator && argument_number(arguments, "vcpu", UINT64_MAX) > UINT32_MAX) {
        fail(err, ERR_INVALID_ARG, "vcpupin: Missing vCPU number in pin mode.");
        return COMMAND_MISUSED;
    }
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    int cpus = client ? host_cpus(client, err) : -1;
    if (cpus <= 0 || cpus > CPUSET_MAX)
        return cpus < 0 ? COMMAND_FAILED : fail(err, ERR_INTERNAL, "a host of %d processors", cpus);
    if (sets)
        return set_pin(client, &found.dom, arguments, emulator, flags, (unsigned) cpus, err);
    return (emulator ? show_emulator : show_vcpus)(session, arguments, client, &found.dom, flags,
                                                   (unsigned) cpus, err);
}

static int run_vcpu(struct session *session, const struct arguments *arguments, struct error *err)
{
    return pin(session, arguments, false, err);
}

static int run_emulator(struct session *session, const struct arguments *arguments, struct error *err)
{
    return pin(session, arguments, true, err);
}

const struct command vcpupin_command = {
    .name = "vcpupin", .group = "Resources", .summary = "show or set where a guest's processors may run",
    .parameters = vcpu_parameters, .run = run_vcpu,
};
const struct command emulatorpin_command = {
    .name = "emulatorpin", .group = "Resources", .summary = "show or set where a guest's emulator may run",
    .parameters = emulator_parameters, .run = run_emulator,
};
