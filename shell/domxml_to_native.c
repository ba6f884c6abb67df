/* SPDX-License-Identifier: Apache-2.0 */
/* domxml-to-native: the command line that a start would run. */
#include <stdio.h>

#include "shell/command.h"
#include "shell/session.h"
#include "shell/xml_file.h"

enum { XML_SECURE = 0x1, XML_MIGRATABLE = 0x8 };

static const struct parameter parameters[] = {
    { "format", PARAMETER_TEXT, .position = true, .required = true, .help = "only qemu-argv" },
    { "xml", PARAMETER_TEXT, .position = true, .value = "file", .help = "file with a domain's XML" },
    { "domain", PARAMETER_DOMAIN, .help = "a defined domain instead of a file" },
    { 0 },
};

static int convert(struct client *client, const char *format, const char *xml, struct error *err)
{
    remote_connect_domain_xml_to_native_args args = { .nativeFormat = (char *) format,
                                                      .domainXml = (char *) xml };
    reply_scope(connect_domain_xml_to_native, native);
    if (client_connect_domain_xml_to_native(client, &args, &native, err) < 0)
        return COMMAND_FAILED;
    fputs(native.nativeConfig, stdout);
    return COMMAND_DONE;
}

static int convert_domain(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    remote_domain_get_xml_desc_args args = { .dom = found.dom, .flags = XML_SECURE | XML_MIGRATABLE };
    reply_scope(domain_get_xml_desc, description);
    if (client_domain_get_xml_desc(client, &args, &description, err) < 0)
        return COMMAND_FAILED;
    return convert(client, argument_text(arguments, "format"), description.xml, err);
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    const char *file = argument_text(arguments, "xml");
    if (!file == !argument_text(arguments, "domain")) {
        fail(err, ERR_INVALID_ARG, "domxml-to-native wants a file or --domain, one of them");
        return COMMAND_MISUSED;
    }
    if (!file)
        return convert_domain(session, arguments, err);
    owned_buffer struct buffer xml = { 0 };
    struct client *client = session_client(session, err);
    if (!client || xml_file_read(file, &xml, err) < 0)
        return COMMAND_FAILED;
    return convert(client, argument_text(arguments, "format"), buffer_text(&xml), err);
}

const struct command domxml_to_native_command = {
    .name = "domxml-to-native",
    .group = "Domains",
    .summary = "print the emulator's command line for a domain",
    .parameters = parameters,
    .run = run,
};
