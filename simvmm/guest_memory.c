/* SPDX-License-Identifier: Apache-2.0 */
/* What the guest gives back when it is asked to: memory and devices. */
#include "base/text.h"
#include "simvmm/device.h"
#include "simvmm/guest.h"
#include "simvmm/monitor.h"
#include "simvmm/value.h"

enum { BALLOON_EVENT_MS = 10, BALLOON_STEP_MS = 100 };

/* ---- memory ---- */

static void emit_balloon(struct vm *vm)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set_number(a, data, "actual", (long long) vm->balloon);
    event_emit(vm, "BALLOON_CHANGE", data);
}

void guest_balloon_is(struct vm *vm, uint64_t bytes)
{
    vm->balloon = bytes;
    emit_balloon(vm);
}

static void step(struct vm *vm)
{
    uint64_t most = (guest_manner(vm)->balloon_rate << 20) / (1000 / BALLOON_STEP_MS);
    uint64_t now = vm->balloon, target = vm->balloon_target;
    if (now > target)
        now -= now - target > most ? most : now - target;
    else
        now += target - now > most ? most : target - now;
    if (now != target)
        guest_plan(vm, BALLOON_STEP_MS, step);
    guest_balloon_is(vm, now);
}

void guest_balloon_to(struct vm *vm, uint64_t bytes)
{
    bool moving = vm->balloon != vm->balloon_target && guest_manner(vm)->balloon_rate;
    vm->balloon_target = bytes;
    if (bytes == vm->balloon || !guest_runs(vm) || moving)
        return;
    if (guest_manner(vm)->balloon_rate) {
        guest_plan(vm, BALLOON_STEP_MS, step);
        return;
    }
    vm->balloon = bytes;
    guest_plan(vm, BALLOON_EVENT_MS, emit_balloon);
}

/* ---- devices ---- */

static void emit_deleted(struct vm *vm, const char *event, const char *id, const char *path)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set_text(a, data, "device", id);
    value_set_text(a, data, "path", path);
    event_emit(vm, event, data);
}

void guest_unplug_now(struct vm *vm, struct device *device)
{
    owned_buffer struct buffer path = { 0 };
    qom_path(device->node, &path);
    if (qom_child(device->node, "virtio-backend")) {
        owned_memory char *inner = memory_printf("%s/virtio-backend", buffer_text(&path));
        emit_deleted(vm, "DEVICE_DELETED", NULL, inner);
    }
    emit_deleted(vm, "DEVICE_DELETED", device->id, buffer_text(&path));
    device_remove(vm, device);
}

static void refuse(struct vm *vm, const struct device *device)
{
    owned_buffer struct buffer path = { 0 };
    qom_path(device->node, &path);
    emit_deleted(vm, "DEVICE_UNPLUG_GUEST_ERROR", device->id, buffer_text(&path));
}

static void answer_unplugs(struct vm *vm)
{
    if (guest_manner(vm)->unplug_answer == UNPLUG_AGREED)
        guest_end_unplugs(vm);
    for (size_t i = 0; i < vm->unplugging.count; i++)
        refuse(vm, vm->unplugging.items[i]);
    vm->unplugging.count = 0;
}

void guest_unplug(struct vm *vm, struct device *device)
{
    vector_push(&vm->unplugging, device);
    if (guest_manner(vm)->unplug_answer != UNPLUG_IGNORED)
        guest_plan(vm, guest_manner(vm)->unplug, answer_unplugs);
}

void guest_end_unplugs(struct vm *vm)
{
    while (vm->unplugging.count) {
        struct device *device = vm->unplugging.items[0];
        vector_remove(&vm->unplugging, 0);
        guest_unplug_now(vm, device);
    }
}
