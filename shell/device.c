/* SPDX-License-Identifier: Apache-2.0 */
/* attach-device, detach-device, update-device: devices that come and go, as XML. */
#include "shell/affect.h"
#include "shell/command.h"
#include "shell/session.h"
#include "shell/xml_file.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    XML_FILE_PARAMETER,
    AFFECT_PARAMETERS,
    { "persistent", PARAMETER_FLAG, .help = "the next start, and the running guest if there is one" },
    { 0 },
};

/* What all three do first: the flags, the domain, the XML. */
static int prepare(struct session *session, const struct arguments *arguments,
                   domain_lookup_by_name_reply *found, struct buffer *xml, unsigned *flags, struct error *err)
{
    int wrong = affect_flags(arguments, flags, err);
    if (wrong)
        return wrong;
    if (!session_domain(session, arguments, found, err) ||
        xml_file_read(argument_text(arguments, "file"), xml, err) < 0)
        return COMMAND_FAILED;
    if (argument_flag(arguments, "persistent"))
        *flags |= AFFECT_CONFIG | (found->dom.id != -1 ? AFFECT_LIVE : 0);
    return COMMAND_DONE;
}

static int run_attach(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    owned_buffer struct buffer xml = { 0 };
    unsigned flags;
    int result = prepare(session, arguments, &found, &xml, &flags, err);
    if (result)
        return result;
    remote_domain_attach_device_flags_args args = {
        .dom = found.dom, .xml = (char *) buffer_text(&xml), .flags = flags,
    };
    if (client_domain_attach_device_flags(session->client, &args, NULL, err) < 0)
        return fail_in(err, "Failed to attach device from %s", argument_text(arguments, "file"));
    session_confirm(session, "Device attached successfully\n");
    return COMMAND_DONE;
}

static int run_detach(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    owned_buffer struct buffer xml = { 0 };
    unsigned flags;
    int result = prepare(session, arguments, &found, &xml, &flags, err);
    if (result)
        return result;
    remote_domain_detach_device_flags_args args = {
        .dom = found.dom, .xml = (char *) buffer_text(&xml), .flags = flags,
    };
    if (client_domain_detach_device_flags(session->client, &args, NULL, err) < 0)
        return fail_in(err, "Failed to detach device from %s", argument_text(arguments, "file"));
    session_confirm(session, "Device detached successfully\n");
    return COMMAND_DONE;
}

static int run_update(struct session *session, const struct arguments *arguments, struct error *err)
{
    reply_scope(domain_lookup_by_name, found);
    owned_buffer struct buffer xml = { 0 };
    unsigned flags;
    int result = prepare(session, arguments, &found, &xml, &flags, err);
    if (result)
        return result;
    remote_domain_update_device_flags_args args = {
        .dom = found.dom, .xml = (char *) buffer_text(&xml), .flags = flags,
    };
    if (client_domain_update_device_flags(session->client, &args, NULL, err) < 0)
        return fail_in(err, "Failed to update device from %s", argument_text(arguments, "file"));
    session_confirm(session, "Device updated successfully\n");
    return COMMAND_DONE;
}

const struct command attach_device_command = {
    .name = "attach-device", .group = "Devices", .summary = "plug a device in, from an XML file",
    .parameters = parameters, .run = run_attach,
};
const struct command detach_device_command = {
    .name = "detach-device", .group = "Devices", .summary = "pull a device out, from an XML file",
    .parameters = parameters, .run = run_detach,
};
const struct command update_device_command = {
    .name = "update-device", .group = "Devices", .summary = "change a device, from an XML file",
    .parameters = parameters, .run = run_update,
};
