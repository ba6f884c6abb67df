/* SPDX-License-Identifier: Apache-2.0 */
/* nodeinfo: the host's processors and memory. */
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/listing.h"
#include "shell/session.h"

static const struct parameter parameters[] = { JSON_PARAMETER, { 0 } };

static const struct column columns[] = {
    { .title = "CPU model" },
    { "CPU(s)", "cpus", true },
    { .title = "CPU frequency" },
    { "CPU socket(s)", "cpu_sockets", true },
    { "Core(s) per socket", "cores_per_socket", true },
    { "Thread(s) per core", "threads_per_core", true },
    { "NUMA cell(s)", "numa_cells", true },
    { .title = "Memory size" },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    enum { TITLE_WIDTH = 20 };
    struct client *client = session_client(session, err);
    reply_scope(node_get_info, node);
    if (!client || client_node_get_info(client, NULL, &node, err) < 0)
        return COMMAND_FAILED;
    owned(listing) struct listing *listing = listing_new(columns, ARRAY_COUNT(columns));
    listing_printf(listing, "%.*s", (int) sizeof node.model, node.model);
    listing_printf(listing, "%d", node.cpus);
    if (node.mhz)
        listing_printf(listing, "%d MHz", node.mhz);
    else
        listing_add(listing, NULL);
    listing_printf(listing, "%d", node.sockets);
    listing_printf(listing, "%d", node.cores);
    listing_printf(listing, "%d", node.threads);
    listing_printf(listing, "%d", node.nodes);
    listing_printf(listing, "%llu KiB", (unsigned long long) node.memory);
    session_show(session, arguments, listing, TITLE_WIDTH);
    return COMMAND_DONE;
}

const struct command nodeinfo_command = {
    .name = "nodeinfo",
    .group = "Host",
    .summary = "print the host's processors and memory",
    .parameters = parameters,
    .run = run,
};
