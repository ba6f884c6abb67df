/* SPDX-License-Identifier: Apache-2.0 */
/* freecell, nodecpumap, maxvcpus: what the host has. */
#include <stdio.h>

#include "base/memory.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/cpumap.h"
#include "shell/session.h"

enum { CELLS_MAX = 1024 };

static const struct parameter freecell_parameters[] = {
    { "cellno", PARAMETER_NUMBER, .position = true, .help = "a NUMA cell" },
    { "all", PARAMETER_FLAG, .help = "each cell, and the sum" },
    { 0 },
};

static int show_cell(struct client *client, int cell, struct error *err)
{
    remote_node_get_cells_free_memory_args args = { .startCell = cell, .maxcells = 1 };
    reply_scope(node_get_cells_free_memory, cells);
    if (client_node_get_cells_free_memory(client, &args, &cells, err) < 0)
        return COMMAND_FAILED;
    if (cells.cells.cells_len != 1)
        return fail(err, ERR_INVALID_ARG, "there is no cell %d", cell);
    printf("%d: %llu KiB\n", cell, (unsigned long long) cells.cells.cells_val[0] / 1024);
    return COMMAND_DONE;
}

static int show_cells(struct client *client, struct error *err)
{
    remote_node_get_cells_free_memory_args args = { .maxcells = CELLS_MAX };
    reply_scope(node_get_cells_free_memory, cells);
    unsigned long long sum = 0;
    if (client_node_get_cells_free_memory(client, &args, &cells, err) < 0)
        return COMMAND_FAILED;
    for (u_int i = 0; i < cells.cells.cells_len; i++) {
        printf("%5u: %10llu KiB\n", i, (unsigned long long) cells.cells.cells_val[i] / 1024);
        sum += cells.cells.cells_val[i];
    }
    printf("--------------------\n%5s: %10llu KiB\n", "Total", sum / 1024);
    return COMMAND_DONE;
}

static int run_freecell(struct session *session, const struct arguments *arguments, struct error *err)
{
    struct client *client = session_client(session, err);
    reply_scope(node_get_free_memory, memory);
    if (!client)
        return COMMAND_FAILED;
    if (argument_flag(arguments, "all"))
        return show_cells(client, err);
    if (argument_text(arguments, "cellno"))
        return show_cell(client, (int) argument_number(arguments, "cellno", 0), err);
    if (client_node_get_free_memory(client, NULL, &memory, err) < 0)
        return COMMAND_FAILED;
    printf("Total: %llu KiB\n", (unsigned long long) memory.freeMem / 1024);
    return COMMAND_DONE;
}

static const struct parameter map_parameters[] = {
    { "pretty", PARAMETER_FLAG, .help = "print processors as ranges" },
    { 0 },
};

static int run_map(struct session *session, const struct arguments *arguments, struct error *err)
{
    struct client *client = session_client(session, err);
    remote_node_get_cpu_map_args args = { .need_map = 1, .need_online = 1 };
    reply_scope(node_get_cpu_map, map);
    if (!client || client_node_get_cpu_map(client, &args, &map, err) < 0)
        return COMMAND_FAILED;
    owned_buffer struct buffer text = { 0 };
    (argument_flag(arguments, "pretty") ? cpumap_add_ranges : cpumap_add_letters)(
        map.cpumap.cpumap_val, map.cpumap.cpumap_len, (unsigned) map.ret, &text);
    printf("%-15s %d\n%-15s %u\n%-15s %s\n", "CPUs present:", map.ret, "CPUs online:", map.online, "CPU map:",
           buffer_text(&text));
    return COMMAND_DONE;
}

static const struct parameter max_parameters[] = {
    { "type", PARAMETER_TEXT, .position = true, .help = "qemu or kvm" },
    { 0 },
};

static int run_maximum(struct session *session, const struct arguments *arguments, struct error *err)
{
    struct client *client = session_client(session, err);
    char *type = (char *) argument_text(arguments, "type");
    remote_connect_get_max_vcpus_args args = { .type = type ? &type : NULL };
    reply_scope(connect_get_max_vcpus, most);
    if (!client || client_connect_get_max_vcpus(client, &args, &most, err) < 0)
        return COMMAND_FAILED;
    printf("%d\n", most.max_vcpus);
    return COMMAND_DONE;
}

const struct command freecell_command = {
    .name = "freecell", .group = "Host", .summary = "print how much memory is free",
    .parameters = freecell_parameters, .run = run_freecell,
};
const struct command nodecpumap_command = {
    .name = "nodecpumap", .group = "Host", .summary = "print which of the host's processors are online",
    .parameters = map_parameters, .run = run_map,
};
const struct command maxvcpus_command = {
    .name = "maxvcpus", .group = "Host", .summary = "print how many processors a guest can have",
    .parameters = max_parameters, .run = run_maximum,
};
