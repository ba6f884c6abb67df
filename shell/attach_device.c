/* SPDX-License-Identifier: Apache-2.0 */
/* attach-device, detach-device, update-device: devices that come and go, as XML files. */
#include <stdio.h>

#include "shell/command.h"
#include "shell/device.h"
#include "shell/session.h"
#include "shell/xml_file.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER, XML_FILE_PARAMETER, DEVICE_PARAMETERS, { 0 }
};

static int change(struct session *session, const struct arguments *arguments, enum device_change kind,
                  const char *verb, struct error *err)
{
    const char *file = argument_text(arguments, "file");
    owned_buffer struct buffer xml = { 0 };
    unsigned flags;
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client || xml_file_read(file, &xml, err) < 0)
        return COMMAND_FAILED;
    int wrong = device_flags(arguments, &found.dom, &flags, err);
    if (wrong)
        return wrong;
    if (argument_flag(arguments, "print-xml")) {
        fputs(buffer_text(&xml), stdout);
        return COMMAND_DONE;
    }
    if (device_apply(client, kind, &found.dom, buffer_text(&xml), flags, err) < 0)
        return fail_in(err, "Failed to %s device from %s", verb, file);
    return COMMAND_DONE;
}

static int run_attach(struct session *session, const struct arguments *arguments, struct error *err)
{
    int result = change(session, arguments, DEVICE_ATTACH, "attach", err);
    if (!result)
        session_confirm(session, "Device attached successfully\n");
    return result;
}

static int run_detach(struct session *session, const struct arguments *arguments, struct error *err)
{
    int result = change(session, arguments, DEVICE_DETACH, "detach", err);
    if (!result)
        session_confirm(session, "Device detached successfully\n");
    return result;
}

static int run_update(struct session *session, const struct arguments *arguments, struct error *err)
{
    int result = change(session, arguments, DEVICE_UPDATE, "update", err);
    if (!result)
        session_confirm(session, "Device updated successfully\n");
    return result;
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
