/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/trouble.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/device.h"
#include "simvmm/monitor.h"
#include "simvmm/run.h"
#include "simvmm/value.h"

void trouble_crash_loaded(struct vm *vm)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set_text(a, data, "action", "run");
    event_emit(vm, "GUEST_CRASHLOADED", data);
}

static void set_path(struct arena *a, struct json *data, const char *key, const struct qom_node *node)
{
    owned_buffer struct buffer path = { 0 };
    qom_path(node, &path);
    value_set_text(a, data, key, buffer_text(&path));
}

/* ---- the clock ---- */

static void find_clock(struct qom_node *node, void *arg)
{
    struct qom_node **found = arg;
    if (!*found && text_equal(node->type, "mc146818rtc"))
        *found = node;
}

int trouble_rtc(struct vm *vm, int64_t seconds, struct error *err)
{
    struct qom_node *clock = NULL;
    qom_walk(qom_root(vm->tree), find_clock, &clock);
    if (!clock)
        return fail(err, ERR_INVALID_ARG, "the machine has no clock");
    vm->rtc_offset = seconds;
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set_number(a, data, "offset", seconds);
    set_path(a, data, "qom-path", clock);
    event_emit(vm, "RTC_CHANGE", data);
    return 0;
}

/* ---- networks ---- */

static struct qom_node *backend_of(const struct device *device)
{
    struct qom_node *inner = qom_child(device->node, "virtio-backend");
    return inner ? inner : device->node;
}

int trouble_rx_filter(struct vm *vm, const char *nic, struct error *err)
{
    struct device *device = device_find(vm, nic);
    if (!device || !text_starts(device->driver, "virtio-net"))
        return fail(err, ERR_INVALID_ARG, "there is no virtio network card '%s'", nic);
    if (device->filter_told)
        return 0;
    device->filter_told = true;
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set_text(a, data, "name", device->id);
    set_path(a, data, "path", backend_of(device));
    event_emit(vm, "NIC_RX_FILTER_CHANGED", data);
    return 0;
}

void trouble_rx_filter_was_read(struct vm *vm, const char *nic)
{
    for (size_t i = 0; i < vm->devices.count; i++)
        if (!nic || text_equal(vm->devices.items[i]->id, nic))
            vm->devices.items[i]->filter_told = false;
}

/* ---- disks ---- */

/* "report", "ignore" or "stop", as the device's policy has it for that error. */
static const char *io_action(const struct device *device, bool writing, bool full)
{
    const struct qom_property *p = qom_property_find(device->node, writing ? "werror" : "rerror");
    const char *policy = p ? p->value : NULL;
    if (text_equal(policy, "\"stop\""))
        return "stop";
    if (text_equal(policy, "\"ignore\""))
        return "ignore";
    if (text_equal(policy, "\"report\"") || !writing)
        return "report";
    return full ? "stop" : "report";    /* "enospc", which is what "auto" means to those who write */
}

int trouble_io(struct vm *vm, const char *id, const char *operation, const char *reason, struct error *err)
{
    struct device *device = device_find(vm, id);
    if (!device || !device->drive)
        return fail(err, ERR_INVALID_ARG, "there is no disk '%s'", id);
    bool full = text_equal(reason, "enospc");
    const char *action = io_action(device, text_equal(operation, "write"), full);
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    if (vm_is(vm, 11))
        set_path(a, data, "qom-path", backend_of(device));
    value_set_text(a, data, "device", "");
    value_set_text(a, data, "node-name", device->drive);
    value_set_text(a, data, "operation", operation);
    value_set_text(a, data, "action", action);
    value_set_bool(a, data, "nospace", full);
    value_set_text(a, data, "reason", full      ? strerror(ENOSPC)
                                      : reason ? reason
                                               : strerror(EIO));
    event_emit(vm, "BLOCK_IO_ERROR", data);
    if (!text_equal(action, "stop"))
        return 0;
    device->io_status = full ? "nospace" : "failed";
    run_stop_as(vm, RUN_IO_ERROR);
    return 0;
}

void trouble_io_is_over(struct vm *vm)
{
    for (size_t i = 0; i < vm->devices.count; i++)
        vm->devices.items[i]->io_status = NULL;
}

/* ---- memory ---- */

void trouble_memory(struct vm *vm, const char *recipient, const char *action)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a), *flags = value_object(a);
    value_set_bool(a, flags, "action-required", false);
    value_set_bool(a, flags, "recursive", false);
    value_set_text(a, data, "recipient", recipient);
    value_set_text(a, data, "action", action);
    value_set(a, data, "flags", flags);
    event_emit(vm, "MEMORY_FAILURE", data);
}
