/* SPDX-License-Identifier: Apache-2.0 */
/* cpu-features: which features a running domain's processor has, was asked to have, and could not have. */
#include <stdio.h>

#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/listing.h"
#include "shell/session.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "unavailable", PARAMETER_FLAG, .help = "only those that could not be had" },
    { "asked", PARAMETER_FLAG, .help = "only those that were asked for by name" },
    JSON_PARAMETER,
    { 0 },
};

/* By the numbers of domus.x. */
static const char *const states[] = { "?", "enabled", "disabled", "unavailable" };
static const char *const wishes[] = { "-", "on", "off" };

static const char *word_of(const char *const *words, size_t count, int number)
{
    return number >= 0 && (size_t) number < count ? words[number] : "?";
}

static bool is_wanted(const struct arguments *arguments, const domus_cpu_feature *feature)
{
    return (!argument_flag(arguments, "unavailable") || feature->state == DOMUS_FEATURE_UNAVAILABLE) &&
           (!argument_flag(arguments, "asked") || feature->asked != DOMUS_FEATURE_NOT_ASKED);
}

static void show(struct session *session, const struct arguments *arguments, const domus_cpu_reply *reply)
{
    static const struct column columns[] = { { .title = "Feature" },
                                             { .title = "Asked" },
                                             { .title = "State" } };
    owned(listing) struct listing *listing = listing_new(columns, ARRAY_COUNT(columns));
    for (u_int i = 0; i < reply->features.features_len; i++) {
        const domus_cpu_feature *feature = &reply->features.features_val[i];
        if (!is_wanted(arguments, feature))
            continue;
        listing_add(listing, feature->name);
        listing_add(listing, word_of(wishes, ARRAY_COUNT(wishes), feature->asked));
        listing_add(listing, word_of(states, ARRAY_COUNT(states), feature->state));
    }
    if (!argument_flag(arguments, "json"))
        session_confirm(session, "Model: %s (%s)\n\n", reply->model, reply->type);
    session_show(session, arguments, listing, 0);
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    reply_scope(domus_cpu, reply);
    struct client *client = session_domain(session, arguments, &found, err);
    domus_cpu_args args = { .dom = found.dom };
    if (!client || client_domus_cpu(client, &args, &reply, err) < 0)
        return COMMAND_FAILED;
    show(session, arguments, &reply);
    return COMMAND_DONE;
}

const struct command cpu_features_command = {
    .name = "cpu-features",
    .group = "Emulator",
    .summary = "list the features of a running domain's processor, as asked and as they are",
    .about =
        "Those that its guest sees, those that were asked for by name, and those that the model or the XML "
        "wanted and the host could not give.  Read from the kept tree: the emulator is not asked.",
    .parameters = parameters,
    .run = run,
};
