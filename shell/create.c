/* SPDX-License-Identifier: Apache-2.0 */
/* create: runs a domain from XML; unless it is defined too, it is gone when it ends. */
#include "shell/command.h"
#include "shell/session.h"
#include "shell/xml_file.h"

static const struct { const char *option; unsigned bit; } start_flags[] = {
    { "paused", 0x1 }, { "autodestroy", 0x2 }, { "validate", 0x10 },
};

static const struct parameter parameters[] = {
    XML_FILE_PARAMETER,
    { "paused", PARAMETER_FLAG, .help = "do not let the guest run yet" },
    { "autodestroy", PARAMETER_FLAG, .help = "destroy it when this shell disconnects" },
    { "validate", PARAMETER_FLAG, .help = "refuse what nobody knows instead of dropping it" },
    { 0 },
};

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *file = argument_text(arguments, "file");
    owned_buffer struct buffer xml = { 0 };
    struct client *client = session_client(session, err);
    if (!client || xml_file_read(file, &xml, err) < 0)
        return COMMAND_FAILED;
    remote_domain_create_xml_args args = { .xml_desc = (char *) buffer_text(&xml) };
    for (size_t i = 0; i < ARRAY_COUNT(start_flags); i++)
        if (argument_flag(arguments, start_flags[i].option))
            args.flags |= start_flags[i].bit;
    reply_scope(domain_create_xml, reply);
    if (client_domain_create_xml(client, &args, &reply, err) < 0)
        return fail_in(err, "Failed to create domain from %s", file);
    session_confirm(session, "Domain '%s' created from %s\n", reply.dom.name, file);
    return COMMAND_DONE;
}

const struct command create_command = {
    .name = "create",
    .group = "Life",
    .summary = "run a domain from an XML file",
    .about = "It is gone when it ends, unless it is defined as well.",
    .parameters = parameters,
    .run = run,
};
