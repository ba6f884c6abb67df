/* SPDX-License-Identifier: Apache-2.0 */
/* The guest's disks, and a file system on each. */
#include <string.h>

#include "base/text.h"
#include "simvmm/agent.h"
#include "simvmm/device.h"
#include "simvmm/value.h"

enum { DISKS_MAX = 26, FS_BYTES = 1 << 30, FS_USED = 256 << 20 };

struct place { const char *mountpoint, *disk; const struct device *device; };

static size_t disks(const struct vm *vm, struct arena *a, struct place *places, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < vm->devices.count && count < most; i++) {
        if (!vm->devices.items[i]->drive)
            continue;
        const char *name = arena_printf(a, "vd%c", (char) ('a' + count));
        places[count] = (struct place) { count ? arena_printf(a, "/mnt/%s", name) : "/", name,
                                         vm->devices.items[i] };
        count++;
    }
    return count;
}

static uint64_t number_of(const struct device *device, const char *property)
{
    const struct qom_property *p = qom_property_find(device->node, property);
    uint64_t number = 0;
    if (p && p->value)
        text_to_u64(p->value, UINT32_MAX, &number);
    return number;
}

/* Where it is plugged in. The guest counts its PCI buses as their names do: "pci.3". */
static struct json *describe_address(struct arena *a, const struct place *place, const char *partition)
{
    const struct device *device = place->device;
    struct json *v = value_object(a), *pci = value_object(a);
    const char *dot = strrchr(device->bus->name, '.');
    uint64_t devfn = number_of(device, "addr"), bus = 0;
    bool virtio = text_starts(device->driver, "virtio-blk-");
    if (dot && virtio)
        text_to_u64(dot + 1, 255, &bus);
    value_set_number(a, pci, "domain", 0);
    value_set_number(a, pci, "bus", (long long) bus);
    value_set_number(a, pci, "slot", virtio ? (long long) devfn >> 3 : 0);
    value_set_number(a, pci, "function", virtio ? (long long) devfn & 7 : 0);
    value_set(a, v, "pci-controller", pci);
    value_set_text(a, v, "bus-type", virtio                                ? "virtio"
                                     : text_starts(device->driver, "scsi-") ? "scsi"
                                     : text_starts(device->driver, "ide-")  ? "sata"
                                                                            : "unknown");
    value_set_number(a, v, "bus", (long long) number_of(device, "channel"));
    value_set_number(a, v, "target", (long long) number_of(device, "scsi-id"));
    value_set_number(a, v, "unit", (long long) number_of(device, virtio ? "" : "lun"));
    const struct qom_property *serial = qom_property_find(device->node, "serial");
    if (serial && serial->value && strlen(serial->value) > 2)
        value_set_text(a, v, "serial", arena_copy_bytes(a, serial->value + 1, strlen(serial->value) - 2));
    value_set_text(a, v, "dev", arena_printf(a, "/dev/%s%s", place->disk, partition));
    return v;
}

int agent_get_disks(struct call *call, struct error *err)
{
    struct place places[DISKS_MAX];
    size_t count = disks(call->vm, call->arena, places, DISKS_MAX);
    struct json *list = value_array(call->arena);
    (void) err;
    for (size_t i = 0; i < count; i++) {
        struct json *v = value_object(call->arena);
        value_set_text(call->arena, v, "name", arena_printf(call->arena, "/dev/%s", places[i].disk));
        value_set_bool(call->arena, v, "partition", false);
        value_set(call->arena, v, "dependencies", value_array(call->arena));
        value_set(call->arena, v, "address", describe_address(call->arena, &places[i], ""));
        value_push(call->arena, list, v);
    }
    call_return(call, list);
    return 0;
}

int agent_fsinfo(struct call *call, struct error *err)
{
    struct place places[DISKS_MAX];
    size_t count = disks(call->vm, call->arena, places, DISKS_MAX);
    struct json *list = value_array(call->arena);
    (void) err;
    for (size_t i = count; i-- > 0;) {
        struct json *v = value_object(call->arena), *on = value_array(call->arena);
        value_push(call->arena, on, describe_address(call->arena, &places[i], "1"));
        value_set_text(call->arena, v, "name", arena_printf(call->arena, "%s1", places[i].disk));
        value_set_text(call->arena, v, "mountpoint", places[i].mountpoint);
        value_set_text(call->arena, v, "type", "ext4");
        value_set_number(call->arena, v, "used-bytes", FS_USED);
        value_set_number(call->arena, v, "total-bytes", FS_BYTES);
        value_set(call->arena, v, "disk", on);
        value_push(call->arena, list, v);
    }
    call_return(call, list);
    return 0;
}

int agent_freeze_status(struct call *call, struct error *err)
{
    (void) err;
    call_return(call, value_text(call->arena, call->vm->agent_system->frozen ? "frozen" : "thawed"));
    return 0;
}

static bool is_wanted(const struct json *wanted, const char *mountpoint)
{
    for (size_t i = 0; wanted && i < wanted->length; i++)
        if (text_equal(json_text(wanted->items[i]), mountpoint))
            return true;
    return !wanted;
}

int agent_freeze(struct call *call, struct error *err)
{
    struct place places[DISKS_MAX];
    long long done = 0;
    (void) err;
    size_t count = disks(call->vm, call->arena, places, DISKS_MAX);
    for (size_t i = 0; i < count; i++)
        done += is_wanted(json_get(call->arguments, "mountpoints"), places[i].mountpoint);
    call->vm->agent_system->frozen = true;
    call_return(call, value_number(call->arena, done));
    return 0;
}

int agent_thaw(struct call *call, struct error *err)
{
    struct place places[DISKS_MAX];
    (void) err;
    size_t count = disks(call->vm, call->arena, places, DISKS_MAX);
    call_return(call, value_number(call->arena, call->vm->agent_system->frozen ? (long long) count : 0));
    call->vm->agent_system->frozen = false;
    return 0;
}

int agent_trim(struct call *call, struct error *err)
{
    struct place places[DISKS_MAX];
    struct json *v = value_object(call->arena), *list = value_array(call->arena);
    (void) err;
    size_t count = disks(call->vm, call->arena, places, DISKS_MAX);
    for (size_t i = 0; i < count; i++) {
        struct json *one = value_object(call->arena);
        value_set_text(call->arena, one, "path", places[i].mountpoint);
        value_set_number(call->arena, one, "trimmed", FS_BYTES - FS_USED);
        value_set_number(call->arena, one, "minimum", 0);
        value_push(call->arena, list, one);
    }
    value_set(call->arena, v, "paths", list);
    call_return(call, v);
    return 0;
}
