/* SPDX-License-Identifier: Apache-2.0 */
/* dominfo: the facts about one domain. */
#include <stdio.h>

#include "base/uuid.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/listing.h"
#include "shell/session.h"
#include "shell/states.h"

static const struct parameter parameters[] = { DOMAIN_PARAMETER, JSON_PARAMETER, { 0 } };

static const struct column columns[] = {
    { .title = "Id", .number = true },
    { .title = "Name" },
    { .title = "UUID" },
    { .title = "OS Type" },
    { .title = "State" },
    { "CPU(s)", "cpus", true },
    { .title = "CPU time" },
    { .title = "Max memory" },
    { .title = "Used memory" },
    { .title = "Persistent" },
    { .title = "Autostart" },
    { .title = "Managed save" },
};

static void add_identity(struct listing *listing, const remote_nonnull_domain *dom)
{
    char uuid[UUID_TEXT_SIZE];
    uuid_format((const struct uuid *) dom->uuid, uuid);
    if (dom->id == -1)
        listing_add(listing, "-");
    else
        listing_printf(listing, "%d", dom->id);
    listing_add(listing, dom->name);
    listing_add(listing, uuid);
}

static void add_os_type(struct listing *listing, struct client *client, const remote_nonnull_domain *dom)
{
    error_scope(ignored);
    remote_domain_get_os_type_args args = { .dom = *dom };
    reply_scope(domain_get_os_type, os);
    listing_add(listing, client_domain_get_os_type(client, &args, &os, &ignored) == 0 ? os.type : NULL);
}

static int add_info(struct listing *listing, struct client *client, const remote_nonnull_domain *dom,
                    struct error *err)
{
    remote_domain_get_info_args args = { .dom = *dom };
    reply_scope(domain_get_info, info);
    if (client_domain_get_info(client, &args, &info, err) < 0)
        return -1;
    listing_add(listing, state_word(info.state));
    listing_printf(listing, "%u", info.nrVirtCpu);
    if (info.cpuTime)
        listing_printf(listing, "%.1fs", (double) info.cpuTime / 1e9);
    else
        listing_add(listing, NULL);
    if (info.maxMem == UINT64_MAX)
        listing_add(listing, "no limit");
    else
        listing_printf(listing, "%llu KiB", (unsigned long long) info.maxMem);
    listing_printf(listing, "%llu KiB", (unsigned long long) info.memory);
    return 0;
}

static void add_flags(struct listing *listing, struct client *client, const remote_nonnull_domain *dom)
{
    error_scope(ignored);
    remote_domain_is_persistent_args persistent_args = { .dom = *dom };
    remote_domain_get_autostart_args autostart_args = { .dom = *dom };
    remote_domain_has_managed_save_image_args saved_args = { .dom = *dom };
    reply_scope(domain_is_persistent, persistent);
    reply_scope(domain_get_autostart, autostart);
    reply_scope(domain_has_managed_save_image, saved);
    bool known = client_domain_is_persistent(client, &persistent_args, &persistent, &ignored) == 0;
    listing_add(listing, !known ? "unknown" : persistent.persistent ? "yes" : "no");
    known = client_domain_get_autostart(client, &autostart_args, &autostart, &ignored) == 0;
    listing_add(listing, !known ? "no autostart" : autostart.autostart ? "enable" : "disable");
    known = client_domain_has_managed_save_image(client, &saved_args, &saved, &ignored) == 0;
    listing_add(listing, !known ? "unknown" : saved.result ? "yes" : "no");
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    enum { TITLE_WIDTH = 15 };
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    owned(listing) struct listing *listing = listing_new(columns, ARRAY_COUNT(columns));
    add_identity(listing, &found.dom);
    add_os_type(listing, client, &found.dom);
    if (add_info(listing, client, &found.dom, err) < 0)
        return COMMAND_FAILED;
    add_flags(listing, client, &found.dom);
    session_show(session, arguments, listing, TITLE_WIDTH);
    return COMMAND_DONE;
}

const struct command dominfo_command = {
    .name = "dominfo",
    .group = "Domains",
    .summary = "print the facts about a domain",
    .parameters = parameters,
    .run = run,
};
