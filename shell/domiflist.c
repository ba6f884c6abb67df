/* SPDX-License-Identifier: Apache-2.0 */
/* domiflist: a domain's network interfaces. */
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/definition.h"
#include "shell/listing.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "inactive", PARAMETER_FLAG, .help = "those of the next start" },
    JSON_PARAMETER,
    { 0 },
};

static const struct column columns[] = {
    { .title = "Interface" }, { .title = "Type" }, { .title = "Source" },
    { .title = "Model" },     { .title = "MAC" },
};

static const char *source_of(const struct interface *interface)
{
    return interface->network ? interface->network
         : interface->bridge ? interface->bridge
         : interface->source_dev ? interface->source_dev : interface->path;
}

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
    owned(listing) struct listing *listing = listing_new(columns, ARRAY_COUNT(columns));
    for (size_t i = 0; i < def->interfaces.count; i++) {
        const struct interface *interface = def->interfaces.items[i];
        char mac[MAC_TEXT_SIZE];
        mac_format(&interface->mac, mac);
        listing_add(listing, interface->target_dev);
        listing_add(listing, enum_word(&interface_type_names, interface->type));
        listing_add(listing, source_of(interface));
        listing_add(listing, interface->model);
        listing_add(listing, mac);
    }
    session_show(session, arguments, listing, 0);
    return COMMAND_DONE;
}

const struct command domiflist_command = {
    .name = "domiflist",
    .group = "Devices",
    .summary = "list a domain's network interfaces",
    .parameters = parameters,
    .run = run,
};
