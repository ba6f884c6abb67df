/* SPDX-License-Identifier: Apache-2.0 */
/* attach-interface, detach-interface: network interfaces, without writing XML. */
#include <stdio.h>
#include <strings.h>

#include "base/text.h"
#include "shell/command.h"
#include "shell/definition.h"
#include "shell/device.h"
#include "shell/session.h"
#include "xml/element.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "type", PARAMETER_TEXT, .position = true, .required = true, .help = "user, network, bridge, direct" },
    { "source", PARAMETER_TEXT, .position = true, .help = "the network, bridge or device; user has none" },
    { "target", PARAMETER_TEXT, .help = "name of the host's device" },
    { "mac", PARAMETER_TEXT, .help = "address; a random one if left out" },
    { "model", PARAMETER_TEXT, .help = "virtio, e1000, rtl8139" },
    DEVICE_PARAMETERS,
    { 0 },
};

/* The attribute of <source> that names what a type is connected to. */
static const struct { const char *type, *attribute; } sources[] = {
    { "network", "network" }, { "bridge", "bridge" }, { "direct", "dev" },
};

static void add_child(struct buffer *xml, const char *element, const char *attribute, const char *value)
{
    if (!value)
        return;
    buffer_printf(xml, "  <%s", element);
    device_add_attribute(xml, attribute, value);
    buffer_add_text(xml, "/>\n");
}

static int add_interface(struct buffer *xml, const struct arguments *arguments, struct error *err)
{
    const char *type = argument_text(arguments, "type"), *source = argument_text(arguments, "source");
    const char *attribute = NULL;
    for (size_t i = 0; i < ARRAY_COUNT(sources); i++)
        if (text_equal(sources[i].type, type))
            attribute = sources[i].attribute;
    if (!attribute && !text_equal(type, "user")) {
        fail(err, ERR_INVALID_ARG, "No support for %s in command 'attach-interface'", type);
        return COMMAND_MISUSED;
    }
    if (!attribute != !source) {
        fail(err, ERR_INVALID_ARG, attribute ? "type %s wants a source" : "type %s takes no source", type);
        return COMMAND_MISUSED;
    }
    buffer_add_text(xml, "<interface");
    device_add_attribute(xml, "type", type);
    buffer_add_text(xml, ">\n");
    add_child(xml, "source", attribute, source);
    add_child(xml, "target", "dev", argument_text(arguments, "target"));
    add_child(xml, "mac", "address", argument_text(arguments, "mac"));
    add_child(xml, "model", "type", argument_text(arguments, "model"));
    buffer_add_text(xml, "</interface>\n");
    return COMMAND_DONE;
}

static int run_attach(struct session *session, const struct arguments *arguments, struct error *err)
{
    owned_buffer struct buffer xml = { 0 };
    unsigned flags;
    int wrong = add_interface(&xml, arguments, err);
    if (wrong)
        return wrong;
    if (argument_flag(arguments, "print-xml")) {
        fputs(buffer_text(&xml), stdout);
        return COMMAND_DONE;
    }
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    if ((wrong = device_flags(arguments, &found.dom, &flags, err)) != 0)
        return wrong;
    if (device_apply(client, DEVICE_ATTACH, &found.dom, buffer_text(&xml), flags, err) < 0)
        return fail_in(err, "Failed to attach interface");
    session_confirm(session, "Interface attached successfully\n");
    return COMMAND_DONE;
}

static const struct parameter detach_parameters[] = {
    DOMAIN_PARAMETER,
    { "type", PARAMETER_TEXT, .position = true, .required = true, .help = "user, network, bridge, direct" },
    { "mac", PARAMETER_TEXT, .help = "its address, needed if there are several" },
    DEVICE_PARAMETERS,
    { 0 },
};

/* The only one of its type, or the one with the address. */
static const struct interface *find_interface(const struct domain_def *def, const char *type, const char *mac,
                                              struct error *err)
{
    const struct interface *chosen = NULL;
    for (size_t i = 0; i < def->interfaces.count; i++) {
        const struct interface *interface = def->interfaces.items[i];
        char own[MAC_TEXT_SIZE];
        mac_format(&interface->mac, own);
        if (!text_equal(enum_word(&interface_type_names, interface->type), type) ||
            (mac && strcasecmp(own, mac)))
            continue;
        if (chosen) {
            fail(err, ERR_OPERATION_FAILED,
                 "the domain has several interfaces of type %s; say which with --mac", type);
            return NULL;
        }
        chosen = interface;
    }
    if (!chosen && mac)
        fail(err, ERR_DEVICE_MISSING, "No interface with MAC address %s was found", mac);
    else if (!chosen)
        fail(err, ERR_DEVICE_MISSING, "No interface found whose type is %s", type);
    return chosen;
}

static int run_detach(struct session *session, const struct arguments *arguments, struct error *err)
{
    unsigned flags;
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    int wrong = device_flags(arguments, &found.dom, &flags, err);
    if (wrong)
        return wrong;
    bool inactive = found.dom.id == -1 || (flags & AFFECT_CONFIG && !(flags & AFFECT_LIVE));
    owned(domain_def) struct domain_def *def = definition_fetch(client, &found.dom, inactive, err);
    const struct interface *interface =
        def ? find_interface(def, argument_text(arguments, "type"), argument_text(arguments, "mac"), err)
            : NULL;
    if (!interface)
        return COMMAND_FAILED;
    owned_buffer struct buffer xml = { 0 };
    xml_write(&interface_element, interface, 0, &xml);
    if (argument_flag(arguments, "print-xml")) {
        fputs(buffer_text(&xml), stdout);
        return COMMAND_DONE;
    }
    if (device_apply(client, DEVICE_DETACH, &found.dom, buffer_text(&xml), flags, err) < 0)
        return fail_in(err, "Failed to detach interface");
    session_confirm(session, "Interface detached successfully\n");
    return COMMAND_DONE;
}

const struct command attach_interface_command = {
    .name = "attach-interface", .group = "Devices", .summary = "plug a network interface in",
    .parameters = parameters, .run = run_attach,
};
const struct command detach_interface_command = {
    .name = "detach-interface", .group = "Devices", .summary = "pull a network interface out",
    .parameters = detach_parameters, .run = run_detach,
};
