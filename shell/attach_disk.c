/* SPDX-License-Identifier: Apache-2.0 */
/* attach-disk, detach-disk: disks, without writing XML. */
#include <stdio.h>

#include "base/text.h"
#include "shell/command.h"
#include "shell/definition.h"
#include "shell/device.h"
#include "shell/session.h"
#include "xml/element.h"

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "source", PARAMETER_TEXT, .position = true, .required = true,
      .help = "image or block device; '' is none" },
    { "target", PARAMETER_TEXT, .position = true, .required = true, .help = "what the guest sees: vdb" },
    { "targetbus", PARAMETER_TEXT, .help = "virtio, ide, sata, scsi, usb" },
    { "driver", PARAMETER_TEXT, .help = "only qemu" },
    { "subdriver", PARAMETER_TEXT, .help = "format of the image: raw, qcow2" },
    { "cache", PARAMETER_TEXT, .help = "none, writeback, writethrough, directsync, unsafe" },
    { "io", PARAMETER_TEXT, .help = "threads, native, io_uring" },
    { "type", PARAMETER_TEXT, .help = "disk, cdrom, floppy, lun" },
    { "mode", PARAMETER_TEXT, .help = "readonly or shareable" },
    { "sourcetype", PARAMETER_TEXT, .help = "file or block; guessed from the source if left out" },
    { "serial", PARAMETER_TEXT, .help = "serial number" },
    DEVICE_PARAMETERS,
    { 0 },
};

/* "block" for what lies in /dev. */
static const char *source_type(const struct arguments *arguments)
{
    const char *type = argument_text(arguments, "sourcetype");
    return type ? type : text_starts(argument_text(arguments, "source"), "/dev/") ? "block" : "file";
}

static void add_driver(struct buffer *xml, const struct arguments *arguments)
{
    static const struct { const char *option, *attribute; } rows[] = {
        { "driver", "name" }, { "subdriver", "type" }, { "cache", "cache" }, { "io", "io" },
    };
    struct buffer attributes = { 0 };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        device_add_attribute(&attributes, rows[i].attribute, argument_text(arguments, rows[i].option));
    if (attributes.length)
        buffer_printf(xml, "  <driver%s/>\n", attributes.data);
    buffer_done(&attributes);
}

static int add_mode(struct buffer *xml, const char *mode, struct error *err)
{
    if (!mode)
        return COMMAND_DONE;
    if (!text_equal(mode, "readonly") && !text_equal(mode, "shareable")) {
        fail(err, ERR_INVALID_ARG, "--mode is readonly or shareable, not '%s'", mode);
        return COMMAND_MISUSED;
    }
    buffer_printf(xml, "  <%s/>\n", mode);
    return COMMAND_DONE;
}

static int add_disk(struct buffer *xml, const struct arguments *arguments, struct error *err)
{
    const char *type = source_type(arguments), *source = argument_text(arguments, "source");
    const char *serial = argument_text(arguments, "serial");
    buffer_add_text(xml, "<disk");
    device_add_attribute(xml, "type", type);
    device_add_attribute(xml, "device", argument_text(arguments, "type"));
    buffer_add_text(xml, ">\n");
    add_driver(xml, arguments);
    if (*source) {
        buffer_add_text(xml, "  <source");
        device_add_attribute(xml, text_equal(type, "block") ? "dev" : "file", source);
        buffer_add_text(xml, "/>\n");
    }
    buffer_add_text(xml, "  <target");
    device_add_attribute(xml, "dev", argument_text(arguments, "target"));
    device_add_attribute(xml, "bus", argument_text(arguments, "targetbus"));
    buffer_add_text(xml, "/>\n");
    if (serial) {
        buffer_add_text(xml, "  <serial>");
        device_add_escaped(xml, serial);
        buffer_add_text(xml, "</serial>\n");
    }
    int wrong = add_mode(xml, argument_text(arguments, "mode"), err);
    buffer_add_text(xml, "</disk>\n");
    return wrong;
}

static int run_attach(struct session *session, const struct arguments *arguments, struct error *err)
{
    owned_buffer struct buffer xml = { 0 };
    unsigned flags;
    int wrong = add_disk(&xml, arguments, err);
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
        return fail_in(err, "Failed to attach disk");
    session_confirm(session, "Disk attached successfully\n");
    return COMMAND_DONE;
}

static const struct parameter detach_parameters[] = {
    DOMAIN_PARAMETER,
    { "target", PARAMETER_TEXT, .position = true, .required = true,
      .help = "what the guest sees, or the image" },
    DEVICE_PARAMETERS,
    { 0 },
};

static const struct disk *find_disk(const struct domain_def *def, const char *what, struct error *err)
{
    for (size_t i = 0; i < def->disks.count; i++) {
        const struct disk *disk = def->disks.items[i];
        if (text_equal(disk->target, what) || text_equal(disk_path(disk), what))
            return disk;
    }
    fail(err, ERR_DEVICE_MISSING, "No disk found whose source path or target is %s", what);
    return NULL;
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
    const struct disk *disk = def ? find_disk(def, argument_text(arguments, "target"), err) : NULL;
    if (!disk)
        return COMMAND_FAILED;
    owned_buffer struct buffer xml = { 0 };
    xml_write(&disk_element, disk, 0, &xml);
    if (argument_flag(arguments, "print-xml")) {
        fputs(buffer_text(&xml), stdout);
        return COMMAND_DONE;
    }
    if (device_apply(client, DEVICE_DETACH, &found.dom, buffer_text(&xml), flags, err) < 0)
        return fail_in(err, "Failed to detach disk");
    session_confirm(session, "Disk detached successfully\n");
    return COMMAND_DONE;
}

const struct command attach_disk_command = {
    .name = "attach-disk", .group = "Devices", .summary = "plug a disk in",
    .parameters = parameters, .run = run_attach,
};
const struct command detach_disk_command = {
    .name = "detach-disk", .group = "Devices", .summary = "pull a disk out",
    .parameters = detach_parameters, .run = run_detach,
};
