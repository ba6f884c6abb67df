/* SPDX-License-Identifier: Apache-2.0 */
/* domblklist: a domain's disks. */
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/definition.h"
#include "shell/listing.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "inactive", PARAMETER_FLAG, .help = "those of the next start" },
    { "details", PARAMETER_FLAG, .help = "show kinds of source and device, too" },
    JSON_PARAMETER,
    { 0 },
};

static const struct column columns[] = {
    { .title = "Type" }, { .title = "Device" }, { .title = "Target" }, { .title = "Source" },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    owned(domain_def) struct domain_def *def =
        definition_fetch(client, &found.dom, argument_flag(arguments, "inactive"), err);
    if (!def)
        return COMMAND_FAILED;
    size_t skipped = argument_flag(arguments, "details") || argument_flag(arguments, "json") ? 0 : 2;
    owned(listing) struct listing *listing = listing_new(columns + skipped, ARRAY_COUNT(columns) - skipped);
    for (size_t i = 0; i < def->disks.count; i++) {
        const struct disk *disk = def->disks.items[i];
        const char *source = disk->source_name ? disk->source_name : disk_path(disk);
        if (!skipped)
            listing_add(listing, enum_word(&disk_type_names, disk->type));
        if (!skipped)
            listing_add(listing, enum_word(&disk_device_names, disk->device));
        listing_add(listing, disk->target);
        listing_add(listing, source);
    }
    session_show(session, arguments, listing, 0);
    return COMMAND_DONE;
}

const struct command domblklist_command = {
    .name = "domblklist",
    .group = "Devices",
    .summary = "list a domain's disks",
    .parameters = parameters,
    .run = run,
};
