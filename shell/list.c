/* SPDX-License-Identifier: Apache-2.0 */
/* list: which domains there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/uuid.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/listing.h"
#include "shell/session.h"
#include "shell/states.h"

enum { ACTIVE = 1, INACTIVE = 2, TITLE_METADATA = 1 };

/* libvirt's bits for which domains to list. */
static const struct { const char *option; unsigned bit; } filters[] = {
    { "persistent", 0x4 }, { "transient", 0x8 }, { "state-running", 0x10 }, { "state-paused", 0x20 },
    { "state-shutoff", 0x40 }, { "state-other", 0x80 }, { "with-managed-save", 0x100 },
    { "without-managed-save", 0x200 }, { "autostart", 0x400 }, { "no-autostart", 0x800 },
};

static const struct parameter parameters[] = {
    { "inactive", PARAMETER_FLAG, .help = "list inactive domains" },
    { "all", PARAMETER_FLAG, .help = "list inactive and active domains" },
    { "transient", PARAMETER_FLAG, .help = "only those without a definition" },
    { "persistent", PARAMETER_FLAG, .help = "only those with a definition" },
    { "state-running", PARAMETER_FLAG, .help = "only running ones" },
    { "state-paused", PARAMETER_FLAG, .help = "only paused ones" },
    { "state-shutoff", PARAMETER_FLAG, .help = "only those that are shut off" },
    { "state-other", PARAMETER_FLAG, .help = "only those in another state" },
    { "autostart", PARAMETER_FLAG, .help = "only those that start with the host" },
    { "no-autostart", PARAMETER_FLAG, .help = "only those that do not" },
    { "with-managed-save", PARAMETER_FLAG, .help = "only those with a managed save image" },
    { "without-managed-save", PARAMETER_FLAG, .help = "only those without" },
    { "uuid", PARAMETER_FLAG, .help = "print uuids" },
    { "name", PARAMETER_FLAG, .help = "print names" },
    { "id", PARAMETER_FLAG, .help = "print ids" },
    { "table", PARAMETER_FLAG, .help = "print a table (the default)" },
    { "title", PARAMETER_FLAG, .help = "show titles in the table" },
    JSON_PARAMETER,
    { 0 },
};

static unsigned chosen_filters(const struct arguments *arguments)
{
    unsigned flags = ACTIVE;
    if (argument_flag(arguments, "inactive") || argument_flag(arguments, "state-shutoff"))
        flags = INACTIVE;
    if (argument_flag(arguments, "all"))
        flags = ACTIVE | INACTIVE;
    for (size_t i = 0; i < ARRAY_COUNT(filters); i++)
        if (argument_flag(arguments, filters[i].option))
            flags |= filters[i].bit;
    return flags;
}

/* Running ones by id, then the others by name. */
static int by_id_then_name(const void *a, const void *b)
{
    const remote_nonnull_domain *x = a, *y = b;
    if (x->id != y->id && x->id != -1 && y->id != -1)
        return x->id < y->id ? -1 : 1;
    if (x->id != y->id)
        return x->id == -1 ? 1 : -1;
    return strcasecmp(x->name, y->name);
}

static const char *state_of(struct client *client, const remote_nonnull_domain *dom)
{
    error_scope(ignored);                       /* it may be gone by now */
    remote_domain_get_state_args args = { .dom = *dom };
    reply_scope(domain_get_state, state);
    return client_domain_get_state(client, &args, &state, &ignored) < 0 ? NULL : state_word(state.state);
}

static void add_title(struct client *client, const remote_nonnull_domain *dom, struct listing *listing)
{
    error_scope(ignored);                       /* most have none */
    remote_domain_get_metadata_args args = { .dom = *dom, .type = TITLE_METADATA };
    reply_scope(domain_get_metadata, title);
    bool found = client_domain_get_metadata(client, &args, &title, &ignored) == 0;
    listing_add(listing, found ? title.metadata : "");
}

/* One value a line; --name and --uuid together print both. */
static void print_plain(const struct arguments *arguments, const remote_nonnull_domain *dom)
{
    char uuid[UUID_TEXT_SIZE];
    uuid_format((const struct uuid *) dom->uuid, uuid);
    const char *gap = "";
    if (argument_flag(arguments, "uuid"))
        printf("%s", uuid), gap = " ";
    if (argument_flag(arguments, "name"))
        printf("%s%s", gap, dom->name), gap = " ";
    if (argument_flag(arguments, "id") && dom->id == -1)
        printf("%s-", gap);
    else if (argument_flag(arguments, "id"))
        printf("%s%d", gap, dom->id);
    putchar('\n');
}

static void show(struct session *session, const struct arguments *arguments,
                 const connect_list_all_domains_reply *found)
{
    static const struct column columns[] = {
        { .title = "Id", .number = true },
        { .title = "Name" },
        { .title = "State" },
        { .key = "uuid" },
        { .title = "Title" },
    };
    bool title = argument_flag(arguments, "title");
    owned(listing) struct listing *listing = listing_new(columns, title ? 5 : 4);
    for (size_t i = 0; i < found->domains.domains_len; i++) {
        const remote_nonnull_domain *dom = &found->domains.domains_val[i];
        const char *state = state_of(session->client, dom);
        if (!state)
            continue;
        char uuid[UUID_TEXT_SIZE];
        uuid_format((const struct uuid *) dom->uuid, uuid);
        if (dom->id == -1)
            listing_add(listing, "-");
        else
            listing_printf(listing, "%d", dom->id);
        listing_add(listing, dom->name);
        listing_add(listing, state);
        listing_add(listing, uuid);
        if (title)
            add_title(session->client, dom, listing);
    }
    session_show(session, arguments, listing, 0);
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    bool plain = argument_flag(arguments, "name") || argument_flag(arguments, "uuid") ||
                 argument_flag(arguments, "id");
    if (plain && (argument_flag(arguments, "table") || argument_flag(arguments, "title") ||
                  argument_flag(arguments, "json"))) {
        fail(err, ERR_INVALID_ARG, "--name, --uuid and --id exclude --table, --title and --json");
        return COMMAND_MISUSED;
    }
    struct client *client = session_client(session, err);
    remote_connect_list_all_domains_args args = { .need_results = 1, .flags = chosen_filters(arguments) };
    reply_scope(connect_list_all_domains, found);
    if (!client || client_connect_list_all_domains(client, &args, &found, err) < 0)
        return fail_in(err, "Failed to list domains");
    if (found.domains.domains_len)
        qsort(found.domains.domains_val, found.domains.domains_len, sizeof *found.domains.domains_val,
              by_id_then_name);
    if (!plain)
        show(session, arguments, &found);
    for (size_t i = 0; plain && i < found.domains.domains_len; i++)
        print_plain(arguments, &found.domains.domains_val[i]);
    return COMMAND_DONE;
}

const struct command list_command = {
    .name = "list",
    .group = "Domains",
    .summary = "list domains",
    .parameters = parameters,
    .run = run,
};
