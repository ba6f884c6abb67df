/* SPDX-License-Identifier: Apache-2.0 */
/* desc: a domain's description, or its title. */
#include <stdio.h>
#include <string.h>

#include "shell/affect.h"
#include "shell/command.h"
#include "shell/session.h"

enum { METADATA_DESCRIPTION = 0, METADATA_TITLE = 1 };

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    AFFECT_PARAMETERS,
    { "title", PARAMETER_FLAG, .help = "the title, one line, instead of the description" },
    { "new-desc", PARAMETER_REST, .value = "text", .help = "the new text; an empty one removes it" },
    { 0 },
};

static int show(struct client *client, const remote_nonnull_domain *dom, bool title, unsigned flags,
                struct error *err)
{
    remote_domain_get_metadata_args args = {
        .dom = *dom,
        .type = title ? METADATA_TITLE : METADATA_DESCRIPTION,
        .flags = flags,
    };
    reply_scope(domain_get_metadata, reply);
    if (client_domain_get_metadata(client, &args, &reply, err) == 0) {
        fputs(reply.metadata, stdout);
        return COMMAND_DONE;
    }
    if (err->code != ERR_NO_METADATA)
        return COMMAND_FAILED;
    error_clear(err);
    printf("No %s for domain: %s", title ? "title" : "description", dom->name);
    return COMMAND_DONE;
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    bool title = argument_flag(arguments, "title"), change = argument_flag(arguments, "new-desc");
    unsigned flags;
    int wrong = affect_flags(arguments, &flags, err);
    if (wrong)
        return wrong;
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    if (!change)
        return show(client, &found.dom, title, flags, err);
    owned_memory char *text = argument_joined(arguments, "new-desc");
    remote_domain_set_metadata_args args = {
        .dom = found.dom,
        .type = title ? METADATA_TITLE : METADATA_DESCRIPTION,
        .metadata = *text ? &text : NULL,
        .flags = flags,
    };
    if (client_domain_set_metadata(client, &args, NULL, err) < 0)
        return COMMAND_FAILED;
    session_confirm(session, "Domain %s updated successfully", title ? "title" : "description");
    return COMMAND_DONE;
}

const struct command desc_command = {
    .name = "desc",
    .group = "Definitions",
    .summary = "print or set a domain's description or title",
    .parameters = parameters,
    .run = run,
};
