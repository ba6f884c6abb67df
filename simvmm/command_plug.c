/* SPDX-License-Identifier: Apache-2.0 */
/* What comes and goes while the machine runs: devices, objects, disks, networks. */
#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/device.h"
#include "simvmm/guest.h"
#include "simvmm/migration.h"
#include "simvmm/netdev.h"
#include "simvmm/object.h"
#include "simvmm/run.h"
#include "simvmm/value.h"

static int device_add(struct call *call, struct error *err)
{
    if (migration_is_running(call->vm))
        return fail(err, ERR_OPERATION_INVALID, "device_add not allowed while migrating");
    return device_create(call->vm, call->arguments, DEVICE_AT_RUN_TIME, err) ? 0 : -1;
}

/* ---- unplugging ---- */

static bool is_immediate(const struct vm *vm, const struct device *device)
{
    return data_type_is(vm->data, device->bus->type, "usb-bus") ||
           data_type_is(vm->data, device->bus->type, "SCSI");
}

static int device_del(struct call *call, struct error *err)
{
    struct vm *vm = call->vm;
    const char *id = json_get_text(call->arguments, "id");
    struct device *device = device_find(vm, id);
    const struct qom_property *may = device ? qom_property_find(device->node, "hotpluggable") : NULL;
    if (!device)
        return fail(err, ERR_DEVICE_MISSING, "Device '%s' not found", id);
    if (may && text_equal(may->value, "false"))
        return fail(err, ERR_INVALID_ARG, "Device '%s' does not support hotplugging", device->driver);
    if (is_immediate(vm, device)) {
        guest_unplug_now(vm, device);
        return 0;
    }
    for (size_t i = 0; i < vm->unplugging.count; i++)
        if (vm->unplugging.items[i] == device)
            return fail(err, ERR_INVALID_ARG, "Device %s is already in the process of unplug", id);
    guest_unplug(vm, device);
    return 0;
}

/* ---- back ends ---- */

static int object_add(struct call *call, struct error *err)
{
    if (object_create(call->vm, call->arguments, err))
        return 0;
    err->number = 0;
    return -1;
}

static int object_del(struct call *call, struct error *err)
{
    return object_delete(call->vm, json_get_text(call->arguments, "id"), err);
}

static int netdev_add(struct call *call, struct error *err)
{
    return netdev_create(call->vm, call->arguments, err);
}

static int netdev_del(struct call *call, struct error *err)
{
    return netdev_delete(call->vm, json_get_text(call->arguments, "id"), err);
}

static const struct argument anything[] = { { "", ARG_REST, false } };
static const struct argument id_args[] = { { "id", ARG_TEXT, false }, { NULL, 0, false } };

const struct command plug_commands[] = {
    { "device_add", ALWAYS, device_add, anything },
    { "device_del", ALWAYS, device_del, id_args },
    { "object-add", ALWAYS, object_add, anything },
    { "object-del", ALWAYS, object_del, id_args },
    { "netdev_add", ALWAYS, netdev_add, anything },
    { "netdev_del", ALWAYS, netdev_del, id_args },
    { NULL, ALWAYS, NULL, NULL },
};
