/* SPDX-License-Identifier: Apache-2.0 */
/* dumpxml: a domain's definition, or what runs. */
#include <stdio.h>

#include "shell/arguments.h"
#include "shell/command.h"
#include "shell/session.h"

static const struct { const char *option; unsigned bit; } xml_flags[] = {
    { "security-info", 0x1 }, { "inactive", 0x2 }, { "update-cpu", 0x4 }, { "migratable", 0x8 },
};

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "inactive", PARAMETER_FLAG, .help = "print what the next start will run" },
    { "security-info", PARAMETER_FLAG, .help = "print passwords, too" },
    { "update-cpu", PARAMETER_FLAG, .help = "print the processor as this host has it" },
    { "migratable", PARAMETER_FLAG, .help = "print what another host understands" },
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_get_xml_desc_args args = { .dom = found.dom };
    for (size_t i = 0; i < ARRAY_COUNT(xml_flags); i++)
        if (argument_flag(arguments, xml_flags[i].option))
            args.flags |= xml_flags[i].bit;
    reply_scope(domain_get_xml_desc, reply);
    if (client_domain_get_xml_desc(client, &args, &reply, err) < 0)
        return COMMAND_FAILED;
    fputs(reply.xml, stdout);
    return COMMAND_DONE;
}

const struct command dumpxml_command = {
    .name = "dumpxml",
    .group = "Domains",
    .summary = "print a domain's XML",
    .parameters = parameters,
    .run = run,
};
