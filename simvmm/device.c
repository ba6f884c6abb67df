/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/adjust.h"
#include "simvmm/block.h"
#include "simvmm/bus.h"
#include "simvmm/chardev.h"
#include "simvmm/compose.h"
#include "simvmm/keyval.h"
#include "simvmm/port.h"
#include "simvmm/property.h"
#include "simvmm/value.h"

static const struct { const char *alias, *driver; } aliases[] = {
    { "ahci", "ich9-ahci" },
    { "lsi", "lsi53c895a" },
    { "virtio-9p", "virtio-9p-pci" },
    { "virtio-balloon", "virtio-balloon-pci" },
    { "virtio-blk", "virtio-blk-pci" },
    { "virtio-gpu", "virtio-gpu-pci" },
    { "virtio-keyboard", "virtio-keyboard-pci" },
    { "virtio-mouse", "virtio-mouse-pci" },
    { "virtio-net", "virtio-net-pci" },
    { "virtio-rng", "virtio-rng-pci" },
    { "virtio-scsi", "virtio-scsi-pci" },
    { "virtio-serial", "virtio-serial-pci" },
    { "virtio-tablet", "virtio-tablet-pci" },
    { "virtio-crypto", "virtio-crypto-pci" },
    { "e1000", "e1000" },
};

static const char *resolve_alias(const char *driver)
{
    for (size_t i = 0; i < ARRAY_COUNT(aliases); i++)
        if (text_equal(aliases[i].alias, driver))
            return aliases[i].driver;
    return driver;
}

struct device *device_find(const struct vm *vm, const char *id_or_path)
{
    for (size_t i = 0; i < vm->devices.count; i++) {
        struct device *d = vm->devices.items[i];
        if (text_equal(d->id, id_or_path))
            return d;
        if (*id_or_path == '/' && qom_at(vm->tree, id_or_path) == d->node)
            return d;
    }
    return NULL;
}

/* ---- what a device leans on ---- */

/* The geometry that QEMU makes up for a disk without a partition table. */
static void guess_geometry(struct qom_node *node, uint64_t size)
{
    uint64_t cylinders = size / 512 / (16 * 63);
    cylinders = cylinders < 2 ? 2 : cylinders > 16383 ? 16383 : cylinders;
    struct qom_node *inner = qom_child(node, "virtio-backend");
    const struct qom_property *heads = qom_property_find(node, "heads");
    if (!heads || !text_equal(heads->value, "16"))
        return;
    qom_set_number(node, "cyls", cylinders);
    if (inner)
        qom_set_number(inner, "cyls", cylinders);
}

static int take_drive(struct vm *vm, struct device *device, const char *value, struct error *err)
{
    struct block_node *block = block_find(vm, value);
    if (!block)
        return fail(err, ERR_INVALID_ARG, "Property '%s.drive' can't find value '%s'",
                    property_owner(device->node, "drive"), value);
    device->drive = arena_copy(vm->arena, value);
    guess_geometry(device->node, block->size);
    return 0;
}

static int take_chardev(struct vm *vm, struct device *device, const char *value, struct error *err)
{
    struct chardev *chardev = chardev_find(vm, value);
    if (!chardev)
        return fail(err, ERR_INVALID_ARG, "Property '%s.chardev' can't find value '%s'",
                    property_owner(device->node, "chardev"), value);
    device->chardev = arena_copy(vm->arena, value);
    return 0;
}

static int take_netdev(struct vm *vm, struct device *device, const char *value, struct error *err)
{
    for (size_t i = 0; i < vm->netdevs.count; i++) {
        struct netdev *n = vm->netdevs.items[i];
        if (!text_equal(n->id, value))
            continue;
        if (n->used_by)
            return fail(err, ERR_INVALID_ARG, "Property '%s.netdev' can't take value '%s', it's in use",
                        property_owner(device->node, "netdev"), value);
        n->used_by = device->id ? device->id : device->driver;
        device->netdev = n->id;
        return 0;
    }
    return fail(err, ERR_INVALID_ARG, "Property '%s.netdev' can't find value '%s'",
                property_owner(device->node, "netdev"), value);
}

static const struct {
    const char *property;
    int (*lean)(struct vm *vm, struct device *device, const char *value, struct error *err);
} leans[] = {
    { "drive", take_drive }, { "chardev", take_chardev }, { "netdev", take_netdev },
};

/* Two devices cannot be the first to boot from. */
static int check_bootindex(const struct vm *vm, const struct json *given, struct error *err)
{
    const char *index = keyval_text(given, "bootindex");
    for (size_t i = 0; index && i < vm->devices.count; i++) {
        const struct qom_property *p = qom_property_find(vm->devices.items[i]->node, "bootindex");
        if (p && text_equal(p->value, index) && *index != '-')
            return fail(err, ERR_INVALID_ARG, "The bootindex %s has already been used", index);
    }
    return 0;
}

static int set_properties(struct vm *vm, struct device *device, const struct json *given, bool strict,
                          struct error *err)
{
    for (size_t i = 0; i < given->length; i++) {
        const char *name = given->members[i].key;
        const struct json *value = given->members[i].value;
        if (text_equal(name, "driver") || text_equal(name, "id") || text_equal(name, "bus"))
            continue;
        if (!qom_property_find(device->node, name))
            return fail(err, ERR_INVALID_ARG, "Property '%s.%s' not found", device->driver, name);
        for (size_t k = 0; k < ARRAY_COUNT(leans); k++)
            if (text_equal(leans[k].property, name) && json_text(value)
                && leans[k].lean(vm, device, json_text(value), err) < 0)
                return -1;
        if (!text_equal(name, "addr") && property_set(vm, device->node, name, value, strict, err) < 0)
            return -1;
    }
    return 0;
}

/* Back ends that the part was harvested with, but this device was not given. */
static void clear_harvested(struct device *device, const struct json *given)
{
    for (size_t k = 0; k < ARRAY_COUNT(leans); k++) {
        struct qom_node *backend = qom_child(device->node, "virtio-backend");
        if (json_get(given, leans[k].property))
            continue;
        qom_set_text(device->node, leans[k].property, "");
        if (backend)
            qom_set_text(backend, leans[k].property, "");
    }
}

/* Only when all its properties are known does it say how it will use the disk. */
static int attach_drive(struct vm *vm, struct device *device, struct error *err)
{
    struct block_node *block = device->drive ? block_find(vm, device->drive) : NULL;
    if (!block)
        return 0;
    const struct qom_property *cache = qom_property_find(device->node, "write-cache");
    if (cache && text_equal(cache->value, "\"off\""))
        block->writeback = false;
    return block_attach(vm, block, device->node, err);
}

static int check_needs(struct vm *vm, const struct device *device, struct error *err)
{
    static const struct { const char *property, *type, *text; } needs[] = {
        { "drive", "virtio-blk-pci", "drive property not set" },
        { "drive", "scsi-hd", "drive property not set" },
        { "drive", "ide-hd", "No drive specified" },
        { "drive", "usb-storage", "drive property not set" },
    };
    (void) vm;
    for (size_t i = 0; i < ARRAY_COUNT(needs); i++) {
        bool there = *needs[i].property == 'd' ? device->drive != NULL : device->chardev != NULL;
        if (text_equal(device->driver, needs[i].type) && !there)
            return fail(err, ERR_INVALID_ARG, "%s", needs[i].text);
    }
    return 0;
}

static bool mac_is_used(const struct vm *vm, const char *json)
{
    for (size_t i = 0; i < vm->devices.count; i++) {
        const struct qom_property *p = qom_property_find(vm->devices.items[i]->node, "mac");
        if (p && text_equal(p->value, json))
            return true;
    }
    return false;
}

/* 52:54:00:12:34:56 and up: the first that nobody has. */
static void default_mac(struct vm *vm, struct device *device, const struct json *given)
{
    if (!qom_property_find(device->node, "mac") || json_get(given, "mac"))
        return;
    for (unsigned last = 0x56; last < 0x100; last++) {
        const char *mac = arena_printf(vm->arena, "52:54:00:12:34:%02x", last);
        owned_memory char *json = memory_printf("\"%s\"", mac);
        if (mac_is_used(vm, json))
            continue;
        error_scope(err);
        (void) property_set(vm, device->node, "mac", value_text(vm->arena, mac), false, &err);
        return;
    }
}

/* ---- making and removing ---- */

static const struct part *part_of(struct vm *vm, const char *driver, struct error *err)
{
    const struct part *part = data_part(vm->data, "device", driver);
    if (part)
        return part;
    if (data_type_is(vm->data, driver, "device") && data_type_is_abstract(vm->data, driver))
        return fail(err, ERR_INVALID_ARG, "Parameter 'driver' expects a non-abstract device type"), NULL;
    if (!data_type_is(vm->data, driver, "device"))
        return fail(err, ERR_INVALID_ARG, "'%s' is not a valid device model name", driver), NULL;
    return fail(err, ERR_NO_SUPPORT,
                "device '%s' exists in QEMU %s, but what it adds to the tree was not harvested", driver,
                vm->version),
           NULL;
}

bool device_is_good_id(const char *id)
{
    if (!((*id >= 'a' && *id <= 'z') || (*id >= 'A' && *id <= 'Z')))
        return false;
    return strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") == strlen(id);
}

/* A bus without a handler takes nobody while the machine runs, nor does a PCI bus whose handler is the
 * board's and does not tell the guest of this one. */
static bool bus_takes_guests(const struct vm *vm, const struct qom_node *bus)
{
    const struct qom_property *handler = qom_property_find(bus, "hotplug-handler");
    if (!handler || !handler->node)
        return false;
    bool port = data_type_is(vm->data, handler->node->type, "pci-bridge");
    return !data_type_is(vm->data, bus->type, "PCI") || port || qom_property_find(bus, "acpi-pcihp-bsel");
}

/* Whether its kind can come and go.  Where the bus it was harvested on takes nobody, "false" is for the bus's
 * sake. */
static bool is_pluggable(const struct part *part, const struct qom_node *node)
{
    const struct qom_property *p = qom_property_find(node, "hotpluggable");
    bool of_its_bus = !text_equal(part->bus, "System") &&
        !(text_equal(part->bus, "PCI") && text_equal(part->machine, "pc"));
    return !p || !text_equal(p->value, "false") || of_its_bus;
}

static int check_hotplug(const struct vm *vm, const struct part *part, const struct device *device,
                         struct error *err)
{
    if (!is_pluggable(part, device->node) && vm_is(vm, 7))
        return fail(err, ERR_INVALID_ARG, "Parameter 'driver' expects a pluggable device type");
    if (!is_pluggable(part, device->node))
        return fail(err, ERR_INVALID_ARG, "Device '%s' does not support hotplugging", device->driver);
    if (device->bus && !bus_takes_guests(vm, device->bus))
        return fail(err, ERR_INVALID_ARG, "Bus '%s' does not support hotplugging", device->bus->name);
    return 0;
}

static int realize(struct vm *vm, struct device *device, const struct json *given, int flags,
                   struct error *err)
{
    clear_harvested(device, given);
    compose_globals(vm, device->node);
    default_mac(vm, device, given);
    if (set_properties(vm, device, given, flags & DEVICE_STRICT, err) < 0
        || check_bootindex(vm, given, err) < 0
        || check_needs(vm, device, err) < 0
        || attach_drive(vm, device, err) < 0
        || bus_place(vm, device->bus, device->node, given, err) < 0
        || adjust_device(vm, device, given, err) < 0)
        return -1;
    qom_set_bool(device->node, "hotplugged", flags & DEVICE_AT_RUN_TIME);
    bus_attach(vm, device->bus, device->node);
    if (device->chardev)
        port_attach(vm, device);
    return 0;
}

struct device *device_create(struct vm *vm, const struct json *given, int flags, struct error *err)
{
    const char *driver = json_get_text(given, "driver"), *id = keyval_text(given, "id");
    if (!driver)
        return fail(err, ERR_INVALID_ARG, "Parameter 'driver' is missing"), NULL;
    driver = resolve_alias(driver);
    const struct part *part = part_of(vm, driver, err);
    if (!part)
        return NULL;
    if (id && !device_is_good_id(id))
        return fail(err, ERR_INVALID_ARG, DEVICE_BAD_ID), NULL;
    if (id && device_find(vm, id))
        return fail(err, ERR_INVALID_ARG,
                    flags & DEVICE_AT_RUN_TIME ? "Duplicate device ID '%s'" : "Duplicate ID '%s' for device",
                    id),
               NULL;
    struct qom_node *bus = bus_find(vm, driver, part->bus, keyval_text(given, "bus"), err);
    if (!bus)
        return NULL;

    struct device *device = ARENA_NEW(vm->arena, struct device);
    struct placing place = { .id = arena_copy(vm->arena, id), .bus = bus };
    place.parent = qom_at(vm->tree, id ? "/machine/peripheral" : "/machine/peripheral-anon");
    place.name = id ? place.id : compose_free_name(vm, place.parent, "device");
    *device = (struct device) { .id = place.id, .driver = arena_copy(vm->arena, driver), .bus = bus };
    device->node = compose_part(vm, part, &place);
    device->node->device = device;
    if (((flags & DEVICE_AT_RUN_TIME) && check_hotplug(vm, part, device, err) < 0) ||
        realize(vm, device, given, flags, err) < 0) {
        qom_node_remove(vm->tree, device->node);
        return NULL;
    }
    vector_push(&vm->devices, device);
    return device;
}

void device_remove(struct vm *vm, struct device *device)
{
    for (size_t i = 0; i < vm->devices.count; i++)
        if (vm->devices.items[i] == device) {
            vector_remove(&vm->devices, i);
            break;
        }
    for (size_t i = 0; i < vm->netdevs.count; i++)
        if (device->netdev == vm->netdevs.items[i]->id)
            vm->netdevs.items[i]->used_by = NULL;
    if (vm->balloon_device == device)
        vm->balloon_device = NULL;
    block_detach(vm, device->node);
    port_detach(vm, device);
    qom_node_remove(vm->tree, device->node);
}
