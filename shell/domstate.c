/* SPDX-License-Identifier: Apache-2.0 */
/* domstate: what a domain is doing, and why. */
#include <stdio.h>

#include "base/uuid.h"
#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/listing.h"
#include "shell/session.h"
#include "shell/states.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "reason", PARAMETER_FLAG, .help = "say why, too" },
    JSON_PARAMETER,
    { 0 },
};

static void show_json(struct session *session, const struct arguments *arguments,
                      const remote_nonnull_domain *dom, const domain_get_state_reply *state)
{
    static const struct column columns[] = {
        { .title = "Name" }, { .title = "State" }, { .title = "Reason" }, { .key = "uuid" }
    };
    char uuid[UUID_TEXT_SIZE];
    uuid_format((const struct uuid *) dom->uuid, uuid);
    owned(listing) struct listing *listing = listing_new(columns, ARRAY_COUNT(columns));
    listing_add(listing, dom->name);
    listing_add(listing, state_word(state->state));
    listing_add(listing, state_reason(state->state, state->reason));
    listing_add(listing, uuid);
    session_show(session, arguments, listing, 0);
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_get_state_args args = { .dom = found.dom };
    reply_scope(domain_get_state, state);
    if (client_domain_get_state(client, &args, &state, err) < 0)
        return COMMAND_FAILED;
    if (argument_flag(arguments, "json"))
        show_json(session, arguments, &found.dom, &state);
    else if (argument_flag(arguments, "reason"))
        printf("%s (%s)\n", state_word(state.state), state_reason(state.state, state.reason));
    else
        puts(state_word(state.state));
    return COMMAND_DONE;
}

const struct command domstate_command = {
    .name = "domstate",
    .group = "Domains",
    .summary = "print what a domain is doing",
    .parameters = parameters,
    .run = run,
};
