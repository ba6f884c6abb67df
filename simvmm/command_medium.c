/* SPDX-License-Identifier: Apache-2.0 */
/* Trays open and close, media come and go. */
#include "base/text.h"
#include "simvmm/block_check.h"
#include "simvmm/command.h"
#include "simvmm/drive.h"
#include "simvmm/given.h"
#include "simvmm/monitor.h"
#include "simvmm/value.h"

static const char *name_of(const struct call *call)
{
    const char *id = json_get_text(call->arguments, "id");
    return id ? id : json_get_text(call->arguments, "device");
}

static struct device *find_removable(struct call *call, struct error *err)
{
    struct device *device = drive_find(call, err);
    if (device && !drive_is_removable(device))
        return fail(err, ERR_INVALID_ARG, "Device '%s' is not removable", name_of(call)), NULL;
    return device;
}

static void move_tray(struct call *call, struct device *device, bool open)
{
    struct arena *a = call->arena;
    struct json *data = value_object(a);
    const struct block_node *b = drive_node(call->vm, device);
    if (!drive_has_tray(device) || device->tray_open == open)
        return;
    device->tray_open = open;
    value_set_text(a, data, "device", b && b->drive ? b->drive : "");
    value_set_text(a, data, "id", drive_owner(device, a));
    value_set_bool(a, data, "tray-open", open);
    event_emit(call->vm, "DEVICE_TRAY_MOVED", data);
}

static void take_out(struct call *call, struct device *device)
{
    block_detach(call->vm, device->node);
    device->drive = NULL;
    qom_set_text(device->node, "drive", "");
}

static int put_in(struct call *call, struct device *device, struct block_node *b, struct error *err)
{
    if (block_attach(call->vm, b, device->node, err) < 0)
        return -1;
    device->drive = b->name;
    qom_set_text(device->node, "drive", b->name);
    return 0;
}

/* ---- step by step ---- */

static int open_tray(struct call *call, struct error *err)
{
    struct device *device = find_removable(call, err);
    if (!device)
        return -1;
    if (!drive_has_tray(device))
        return fail(err, ERR_INVALID_ARG, "Device '%s' does not have a tray", name_of(call));
    move_tray(call, device, true);
    return 0;
}

static int close_tray(struct call *call, struct error *err)
{
    struct device *device = find_removable(call, err);
    if (device)
        move_tray(call, device, false);
    return device ? 0 : -1;
}

static int remove_medium(struct call *call, struct error *err)
{
    struct device *device = find_removable(call, err);
    if (!device)
        return -1;
    if (drive_has_tray(device) && !device->tray_open)
        return fail(err, ERR_INVALID_ARG, "Tray of device '%s' is not open", name_of(call));
    take_out(call, device);
    return 0;
}

static int insert_medium(struct call *call, struct error *err)
{
    const char *name = json_get_text(call->arguments, "node-name");
    struct device *device = drive_find(call, err);
    struct block_node *b = block_find(call->vm, name);
    if (!device)
        return -1;
    if (!b)
        return fail(err, ERR_INVALID_ARG, "Node '%s' not found", name);
    if (b->user)
        return fail(err, ERR_INVALID_ARG, "Node '%s' is already in use", name);
    if (!drive_is_removable(device))
        return fail(err, ERR_INVALID_ARG, "Device is not removable");
    if (drive_has_tray(device) && !device->tray_open)
        return fail(err, ERR_INVALID_ARG, "Tray of the device is not open");
    if (device->drive)
        return fail(err, ERR_INVALID_ARG, "There already is a medium in the device");
    return put_in(call, device, b, err);
}

/* ---- all at once ---- */

static int eject(struct call *call, struct error *err)
{
    struct device *device = find_removable(call, err);
    if (!device)
        return -1;
    move_tray(call, device, true);
    take_out(call, device);
    return 0;
}

static int change_medium(struct call *call, struct error *err)
{
    static const char *const modes[] = { "retain", "read-only", "read-write", NULL };
    const struct json *given = call->arguments;
    const char *file = json_get_text(given, "filename"), *format = json_get_text(given, "format");
    unsigned mode = 0;
    if (given_word(given, "read-only-mode", modes, &mode, err) < 0)
        return -1;
    struct device *device = drive_find(call, err);
    if (!device)
        return -1;
    if (format && !block_is_driver(format))
        return fail(err, ERR_INVALID_ARG, "Unknown driver '%s'", format);
    const struct block_node *before = drive_node(call->vm, device);
    bool read_only = mode == 1 || (mode == 0 && (before ? before->read_only : drive_has_tray(device)));
    struct block_node *b = block_open_file(call->vm, file, format, NULL, NULL, read_only, true, err);
    if (!b)
        return -1;
    int result = -1;
    if (!drive_is_removable(device))
        (void) fail(err, ERR_INVALID_ARG, "Device '%s' is not removable", name_of(call));
    else {
        move_tray(call, device, true);
        take_out(call, device);
        result = put_in(call, device, b, err);
        move_tray(call, device, false);
    }
    block_unref(b); /* the device has it */
    return result;
}

#define DEVICE                                                                                               \
    { "device", ARG_TEXT, true },                                                                            \
    {                                                                                                        \
        "id", ARG_TEXT, true                                                                                 \
    }
#define FORCE                                                                                                \
    {                                                                                                        \
        "force", ARG_BOOL, true                                                                              \
    }
#define END                                                                                                  \
    {                                                                                                        \
        NULL, 0, false                                                                                       \
    }

static const struct argument force_args[] = { DEVICE, FORCE, END };
static const struct argument device_args[] = { DEVICE, END };
static const struct argument id_args[] = { { "id", ARG_TEXT, false }, END };
static const struct argument insert_args[] = { { "id", ARG_TEXT, false },
                                               { "node-name", ARG_TEXT, false },
                                               END };
static const struct argument change_args[] = {
    DEVICE, { "filename", ARG_TEXT, false },      { "format", ARG_TEXT, true },
    FORCE,  { "read-only-mode", ARG_TEXT, true }, END,
};

const struct command medium_commands[] = {
    { "blockdev-open-tray", ALWAYS, open_tray, force_args },
    { "blockdev-close-tray", ALWAYS, close_tray, device_args },
    { "blockdev-remove-medium", ALWAYS, remove_medium, id_args },
    { "blockdev-insert-medium", ALWAYS, insert_medium, insert_args },
    { "blockdev-change-medium", ALWAYS, change_medium, change_args },
    { "eject", ALWAYS, eject, force_args },
    { NULL, ALWAYS, NULL, NULL },
};
