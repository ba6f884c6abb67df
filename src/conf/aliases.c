/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "conf/devices.h"
#include "conf/domain_def.h"
#include "conf/machine.h"
#include "conf/usb.h"

/* A narrow scsi bus counts units only. */
static bool is_narrow(const struct domain_def *def, uint32_t index)
{
    for (size_t i = 0; i < def->controllers.count; i++) {
        const struct controller *c = def->controllers.items[i];
        if (c->type == CONTROLLER_SCSI && c->index.value == index)
            return c->model == CONTROLLER_LSILOGIC || c->model == CONTROLLER_MODEL_ABSENT ||
                   c->model == CONTROLLER_AUTO;
    }
    return false;
}

/* Names as libvirt gives them: clients and people know them. */
static const char *disk_alias(const struct domain_def *def, const struct disk *disk, struct arena *a)
{
    const char *bus = enum_word(&disk_bus_names, disk->bus);
    uint32_t index = 0;
    disk_target_index(disk->target, &index);
    if (!disk->address || disk->address->type != ADDRESS_DRIVE)
        return arena_printf(a, "%s-disk%u", bus, index);
    const struct drive_address *d = &disk->address->drive;
    if (disk->bus == DISK_BUS_SCSI && !is_narrow(def, d->controller))
        return arena_printf(a, "scsi%u-%u-%u-%u", d->controller, d->bus, d->target, d->unit);
    return arena_printf(a, "%s%u-%u-%u", bus, d->controller, d->bus, d->unit);
}

static const char *controller_alias(const struct domain_def *def, const struct controller *c, struct arena *a)
{
    uint32_t index = c->index.value;
    enum machine_kind kind = machine_kind(def);
    switch (c->type) {
    case CONTROLLER_PCI:
        return c->model == CONTROLLER_PCIE_ROOT ? "pcie.0" : arena_printf(a, "pci.%u", index);
    case CONTROLLER_IDE:
        return kind == MACHINE_PC && index == 0 ? "ide" : arena_printf(a, "ide%u", index);
    case CONTROLLER_SATA:
        return kind == MACHINE_Q35 && index == 0 ? "ide" : arena_printf(a, "sata%u", index);
    case CONTROLLER_USB:
        return index == 0 ? "usb" : arena_printf(a, "usb%u", index);
    default:
        return arena_printf(a, "%s%u", enum_word(&controller_type_names, c->type), index);
    }
}

static bool is_taken(const struct domain_def *def, const char *alias)
{
    for (struct device_walk walk = { 0 }; device_next(def, &walk); )
        if (text_equal(*walk.alias, alias))
            return true;
    return false;
}

/* Its number among its kind, or a later one: devices that were plugged in keep theirs when earlier ones go.
 */
static const char *free_alias(const struct domain_def *def, const char *word, size_t number, struct arena *a)
{
    const char *alias;
    do
        alias = arena_printf(a, "%s%zu", word, number++);
    while (is_taken(def, alias));
    return alias;
}

/* By its slot, if it has one. */
static const char *memory_alias(const struct domain_def *def, const struct device_walk *walk, struct arena *a)
{
    const struct memory_device *device = walk->device;
    bool slot = device->address && device->address->type == ADDRESS_DIMM && device->address->dimm.slot.set;
    return free_alias(def, memory_device_word(device), slot ? device->address->dimm.slot.value : 0, a);
}

static const char *device_alias(const struct domain_def *def, const struct device_walk *walk, struct arena *a)
{
    static const char *const words[] = {
        [DEVICE_INTERFACE] = "net", [DEVICE_SERIAL] = "serial", [DEVICE_CONSOLE] = "console",
        [DEVICE_INPUT] = "input", [DEVICE_VIDEO] = "video", [DEVICE_MEMBALLOON] = "balloon",
        [DEVICE_FILESYSTEM] = "fs", [DEVICE_PARALLEL] = "parallel", [DEVICE_CHANNEL] = "channel",
        [DEVICE_TPM] = "tpm", [DEVICE_SOUND] = "sound", [DEVICE_HOSTDEV] = "hostdev",
        [DEVICE_REDIRDEV] = "redir", [DEVICE_HUB] = "hub", [DEVICE_WATCHDOG] = "watchdog",
        [DEVICE_RNG] = "rng", [DEVICE_PANIC] = "panic", [DEVICE_VSOCK] = "vsock",
        [DEVICE_SMARTCARD] = "smartcard", [DEVICE_SHMEM] = "shmem", [DEVICE_IOMMU] = "iommu",
    };
    if (walk->kind == DEVICE_DISK)
        return disk_alias(def, walk->device, a);
    if (walk->kind == DEVICE_CONTROLLER)
        return controller_alias(def, walk->device, a);
    if (walk->kind == DEVICE_MEMORY)
        return memory_alias(def, walk, a);
    return free_alias(def, words[walk->kind], walk->index, a);
}

struct domain_def *domain_def_copy_live(const struct domain_def *def)
{
    struct domain_def *live = domain_def_copy(def);
    usb_assign_disks(live, live->arena);
    memory_devices_assign(live);
    for (struct device_walk walk = { 0 }; device_next(live, &walk); )
        if (!*walk.alias)
            *walk.alias = device_alias(live, &walk, live->arena);
    /* The console that mirrors a serial port is that port, so it has the port's name. */
    if (live->consoles.count && live->serials.count && live->consoles.items[0]->target == TARGET_SERIAL)
        live->consoles.items[0]->alias = live->serials.items[0]->alias;
    return live;
}
