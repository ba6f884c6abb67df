/* SPDX-License-Identifier: Apache-2.0 */
/* metadata: what a program of somebody's keeps in a domain's XML. */
#include <stdio.h>

#include "shell/affect.h"
#include "shell/command.h"
#include "shell/session.h"

enum { METADATA_ELEMENT = 2 };

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "uri", PARAMETER_TEXT, .position = true, .required = true,
      .help = "the XML namespace that names whose it is" },
    AFFECT_PARAMETERS,
    { "key", PARAMETER_TEXT, .help = "with --set: the prefix of the namespace" },
    { "set", PARAMETER_TEXT, .value = "xml", .help = "the new element" },
    { "remove", PARAMETER_FLAG, .help = "remove it" },
    { 0 },
};

static int show(struct client *client, const remote_nonnull_domain *dom, char *uri, unsigned flags,
                struct error *err)
{
    remote_domain_get_metadata_args args = {
        .dom = *dom, .type = METADATA_ELEMENT, .uri = &uri, .flags = flags
    };
    reply_scope(domain_get_metadata, reply);
    if (client_domain_get_metadata(client, &args, &reply, err) < 0)
        return COMMAND_FAILED;
    puts(reply.metadata);
    return COMMAND_DONE;
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    char *xml = (char *) argument_text(arguments, "set"), *key = (char *) argument_text(arguments, "key");
    char *uri = (char *) argument_text(arguments, "uri");
    bool removal = argument_flag(arguments, "remove");
    unsigned flags;
    int wrong = affect_flags(arguments, &flags, err);
    if (wrong)
        return wrong;
    if ((xml && removal) || (xml && !key)) {
        fail(err, ERR_INVALID_ARG, "--set wants --key, and excludes --remove");
        return COMMAND_MISUSED;
    }
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    if (!xml && !removal)
        return show(client, &found.dom, uri, flags, err);
    remote_domain_set_metadata_args args = {
        .dom = found.dom,
        .type = METADATA_ELEMENT,
        .metadata = xml ? &xml : NULL,
        .key = key ? &key : NULL,
        .uri = &uri,
        .flags = flags,
    };
    if (client_domain_set_metadata(client, &args, NULL, err) < 0)
        return COMMAND_FAILED;
    session_confirm(session, removal ? "Metadata removed\n" : "Metadata modified\n");
    return COMMAND_DONE;
}

const struct command metadata_command = {
    .name = "metadata",
    .group = "Definitions",
    .summary = "print, set or remove an element that a program keeps with a domain",
    .parameters = parameters,
    .run = run,
};
