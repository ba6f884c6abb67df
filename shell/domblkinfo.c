/* SPDX-License-Identifier: Apache-2.0 */
/* domblkinfo: how large disks are. */
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/definition.h"
#include "shell/listing.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "device", PARAMETER_TEXT, .position = true, .help = "a disk: its target, or the path of its image" },
    { "all", PARAMETER_FLAG, .help = "all disks" },
    JSON_PARAMETER,
    { 0 },
};

static const struct column columns[] = {
    { .title = "Target" },
    { .title = "Capacity", .number = true },
    { .title = "Allocation", .number = true },
    { .title = "Physical", .number = true },
};

static int add_sizes(struct listing *listing, struct client *client, const remote_nonnull_domain *dom,
                     const char *disk, struct error *err)
{
    remote_domain_get_block_info_args args = { .dom = *dom, .path = (char *) disk };
    reply_scope(domain_get_block_info, info);
    if (client_domain_get_block_info(client, &args, &info, err) < 0)
        return -1;
    listing_printf(listing, "%llu", (unsigned long long) info.capacity);
    listing_printf(listing, "%llu", (unsigned long long) info.allocation);
    listing_printf(listing, "%llu", (unsigned long long) info.physical);
    return 0;
}

static int run_all(struct session *session, const struct arguments *arguments, struct client *client,
                   const remote_nonnull_domain *dom, struct error *err)
{
    owned(domain_def) struct domain_def *def = definition_fetch(client, dom, false, err);
    if (!def)
        return COMMAND_FAILED;
    owned(listing) struct listing *listing = listing_new(columns, ARRAY_COUNT(columns));
    for (size_t i = 0; i < def->disks.count; i++) {
        const struct disk *disk = def->disks.items[i];
        listing_add(listing, disk->target);
        if (!disk_path(disk) && !disk->source_name) {
            for (size_t j = 1; j < ARRAY_COUNT(columns); j++)
                listing_add(listing, "-");              /* an empty drive */
        } else if (add_sizes(listing, client, dom, disk->target, err) < 0) {
            return COMMAND_FAILED;
        }
    }
    session_show(session, arguments, listing, 0);
    return COMMAND_DONE;
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    enum { TITLE_WIDTH = 15 };
    const char *device = argument_text(arguments, "device");
    if (!device == !argument_flag(arguments, "all")) {
        fail(err, ERR_INVALID_ARG, "domblkinfo wants a device or --all, one of them");
        return COMMAND_MISUSED;
    }
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    if (!device)
        return run_all(session, arguments, client, &found.dom, err);
    owned(listing) struct listing *listing = listing_new(columns + 1, ARRAY_COUNT(columns) - 1);
    if (add_sizes(listing, client, &found.dom, device, err) < 0)
        return COMMAND_FAILED;
    session_show(session, arguments, listing, TITLE_WIDTH);
    return COMMAND_DONE;
}

const struct command domblkinfo_command = {
    .name = "domblkinfo",
    .group = "Devices",
    .summary = "print how large disks are",
    .parameters = parameters,
    .run = run,
};
