/* SPDX-License-Identifier: Apache-2.0 */
/* change-media: what lies in a CD-ROM or floppy drive. */
#include <stdio.h>

#include "base/text.h"
#include "shell/command.h"
#include "shell/definition.h"
#include "shell/device.h"
#include "shell/session.h"
#include "xml/element.h"

enum { UPDATE_FORCE = 4 };

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "path", PARAMETER_TEXT, .position = true, .required = true,
      .help = "the drive's target, or what lies in it" },
    { "source", PARAMETER_TEXT, .position = true, .help = "what to put in" },
    { "eject", PARAMETER_FLAG, .help = "only take out" },
    { "insert", PARAMETER_FLAG, .help = "only into an empty drive" },
    { "update", PARAMETER_FLAG, .help = "in place of what lies there (the default with a source)" },
    { "force", PARAMETER_FLAG, .help = "even if the guest has locked the tray" },
    { "block", PARAMETER_FLAG, .help = "the source is a block device" },
    DEVICE_PARAMETERS,
    { 0 },
};

static int check_request(const struct arguments *arguments, struct error *err)
{
    bool eject = argument_flag(arguments, "eject"), source = argument_text(arguments, "source");
    if (eject + argument_flag(arguments, "insert") + argument_flag(arguments, "update") > 1)
        fail(err, ERR_INVALID_ARG, "--eject, --insert and --update exclude each other");
    else if (eject == source)
        fail(err, ERR_INVALID_ARG, "change-media wants a source or --eject, one of them");
    return err->code ? COMMAND_MISUSED : COMMAND_DONE;
}

static struct disk *find_drive(const struct domain_def *def, const char *what, struct error *err)
{
    for (size_t i = 0; i < def->disks.count; i++) {
        struct disk *disk = def->disks.items[i];
        if (!text_equal(disk->target, what) && !text_equal(disk_path(disk), what))
            continue;
        if (disk->device == DISK_CDROM || disk->device == DISK_FLOPPY)
            return disk;
        fail(err, ERR_INVALID_ARG, "'%s' is no CD-ROM or floppy drive", what);
        return NULL;
    }
    fail(err, ERR_DEVICE_MISSING, "No disk found whose source path or target is %s", what);
    return NULL;
}

static int check_medium(const struct disk *disk, const struct arguments *arguments, struct error *err)
{
    if (argument_flag(arguments, "eject") && !disk_path(disk))
        return fail(err, ERR_OPERATION_INVALID, "The disk device '%s' doesn't have media", disk->target);
    if (argument_flag(arguments, "insert") && disk_path(disk))
        return fail(err, ERR_OPERATION_INVALID, "The disk device '%s' already has media", disk->target);
    return 0;
}

/* The definition is ours alone, so the drive can be changed in place. */
static void set_medium(struct disk *disk, const struct arguments *arguments)
{
    const char *source = argument_text(arguments, "source");
    bool block = argument_flag(arguments, "block");
    disk->type = block ? DISK_BLOCK : DISK_FILE;
    disk->file = block ? NULL : source;
    disk->dev = block ? source : NULL;
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    static const char *const done[] = { "inserted", "ejected", "updated" };
    unsigned flags;
    int wrong = check_request(arguments, err);
    if (wrong)
        return wrong;
    reply_scope(domain_lookup_by_name, found);
    struct client *client = session_domain(session, arguments, &found, err);
    if (!client)
        return COMMAND_FAILED;
    if ((wrong = device_flags(arguments, &found.dom, &flags, err)) != 0)
        return wrong;
    bool inactive = found.dom.id == -1 || (flags & AFFECT_CONFIG && !(flags & AFFECT_LIVE));
    owned(domain_def) struct domain_def *def = definition_fetch(client, &found.dom, inactive, err);
    struct disk *disk = def ? find_drive(def, argument_text(arguments, "path"), err) : NULL;
    if (!disk || check_medium(disk, arguments, err) < 0)
        return COMMAND_FAILED;
    set_medium(disk, arguments);
    owned_buffer struct buffer xml = { 0 };
    xml_write(&disk_element, disk, 0, &xml);
    if (argument_flag(arguments, "print-xml")) {
        fputs(buffer_text(&xml), stdout);
        return COMMAND_DONE;
    }
    flags |= argument_flag(arguments, "force") ? UPDATE_FORCE : 0;
    if (device_apply(client, DEVICE_UPDATE, &found.dom, buffer_text(&xml), flags, err) < 0)
        return fail_in(err, "Failed to complete action on media");
    session_confirm(session, "Successfully %s media.\n", done[argument_flag(arguments, "eject") ? 1
                                                             : argument_flag(arguments, "insert") ? 0 : 2]);
    return COMMAND_DONE;
}

const struct command change_media_command = {
    .name = "change-media",
    .group = "Devices",
    .summary = "change what lies in a CD-ROM or floppy drive",
    .parameters = parameters,
    .run = run,
};
