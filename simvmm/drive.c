/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/drive.h"

#include "base/text.h"

bool drive_has_tray(const struct device *device)
{
    return text_equal(device->driver, "ide-cd") || text_equal(device->driver, "scsi-cd");
}

bool drive_is_removable(const struct device *device)
{
    return drive_has_tray(device) || text_equal(device->driver, "floppy");
}

const char *drive_owner(const struct device *device, struct arena *a)
{
    struct qom_node *inner = qom_child(device->node, "virtio-backend");
    if (device->id && !inner)
        return device->id;
    owned_buffer struct buffer path = { 0 };
    qom_path(inner ? inner : device->node, &path);
    return arena_copy(a, buffer_text(&path));
}

struct block_node *drive_node(const struct vm *vm, const struct device *device)
{
    return device->drive ? block_find(vm, device->drive) : NULL;
}

static bool has_path(const struct device *device, const char *path, struct arena *a)
{
    owned_buffer struct buffer own = { 0 };
    qom_path(device->node, &own);
    return text_equal(buffer_text(&own), path) || text_equal(drive_owner(device, a), path);
}

static struct device *find_by_id(struct call *call, const char *id, struct error *err)
{
    for (size_t i = 0; i < call->vm->devices.count; i++) {
        struct device *device = call->vm->devices.items[i];
        const char *owner = drive_owner(device, call->arena);
        bool is_it = text_equal(device->id, id) || has_path(device, id, call->arena);
        if (!is_it)
            continue;
        bool is_outer = !text_equal(owner, id) && qom_child(device->node, "virtio-backend");
        if (is_outer || (!device->drive && !drive_is_removable(device)))
            return fail(err, ERR_INVALID_ARG, "Device does not have a block device backend"), NULL;
        return device;
    }
    call->error_class = "DeviceNotFound";
    return fail(err, ERR_INVALID_ARG, "Device '%s' not found", id), NULL;
}

struct device *drive_find(struct call *call, struct error *err)
{
    const char *id = json_get_text(call->arguments, "id"), *name = json_get_text(call->arguments, "device");
    if (!id == !name)
        return fail(err, ERR_INVALID_ARG, "Need exactly one of 'device' and 'id'"), NULL;
    if (id)
        return find_by_id(call, id, err);
    for (size_t i = 0; i < call->vm->devices.count; i++) {
        const struct block_node *b = drive_node(call->vm, call->vm->devices.items[i]);
        if (b && text_equal(b->drive, name))
            return call->vm->devices.items[i];
    }
    call->error_class = "DeviceNotFound";
    return fail(err, ERR_INVALID_ARG, "Device '%s' not found", name), NULL;
}
