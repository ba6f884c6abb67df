/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/adjust.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/compose.h"
#include "simvmm/device.h"
#include "simvmm/keyval.h"
#include "simvmm/property.h"
#include "simvmm/value.h"

typedef int adjustment(struct vm *vm, struct device *device, const struct json *given, struct error *err);

static uint64_t number_of(const struct qom_node *node, const char *name)
{
    const struct qom_property *p = node ? qom_property_find(node, name) : NULL;
    return p && p->kind == QOM_VALUE && p->value ? strtoull(p->value, NULL, 10) : 0;
}

static void set_both(struct qom_node *node, const char *name, uint64_t number)
{
    qom_set_number(node, name, number);
    struct qom_node *backend = qom_child(node, "virtio-backend");
    if (backend)
        qom_set_number(backend, name, number);
}

static void set_vectors(struct qom_node *node, const struct json *given, uint64_t wanted)
{
    uint64_t vectors = json_get(given, "vectors") ? number_of(node, "vectors") : wanted;
    struct qom_node *table = qom_child(node, "msix-table[0]"), *pba = qom_child(node, "msix-pba[0]");
    qom_set_number(node, "vectors", vectors);
    if (table)
        qom_set_number(table, "size", 16 * vectors);
    if (pba)
        qom_set_number(pba, "size", 8 * ((vectors + 63) / 64));
}

/* A queue a processor, an interrupt a queue, and one for changes of the configuration. */
static int virtio_blk(struct vm *vm, struct device *device, const struct json *given, struct error *err)
{
    (void) err;
    if (!json_get(given, "num-queues"))
        set_both(device->node, "num-queues", vm->cpus);
    set_vectors(device->node, given, number_of(device->node, "num-queues") + 1);
    return 0;
}

static int virtio_scsi(struct vm *vm, struct device *device, const struct json *given, struct error *err)
{
    (void) err;
    if (!json_get(given, "num_queues"))
        set_both(device->node, "num_queues", vm->cpus);
    set_vectors(device->node, given, number_of(device->node, "num_queues") + 3);
    return 0;
}

/* A larger configuration space makes a larger I/O window. */
static int virtio_net(struct vm *vm, struct device *device, const struct json *given, struct error *err)
{
    struct qom_node *window = qom_child(device->node, "virtio-pci[1]");
    (void) vm;
    (void) given;
    (void) err;
    if (window && number_of(device->node, "host_mtu"))
        qom_set_number(window, "size", 64);
    return 0;
}

static int balloon(struct vm *vm, struct device *device, const struct json *given, struct error *err)
{
    (void) given;
    if (vm->balloon_device)
        return fail(err, ERR_INVALID_ARG, "Only one balloon device is supported");
    vm->balloon_device = device;
    vm->balloon = vm->balloon_target = vm->memory;
    return 0;
}

static int rng(struct vm *vm, struct device *device, const struct json *given, struct error *err)
{
    struct qom_node *backend = qom_child(device->node, "virtio-backend");
    struct qom_node *own = backend ? qom_child(backend, "default-backend") : NULL;
    (void) err;
    if (own && json_get(given, "rng"))
        qom_node_remove(vm->tree, own);
    return 0;
}

static int vga_memory(struct vm *vm, struct device *device, const struct json *given, struct error *err)
{
    struct qom_node *memory = qom_child(device->node, "vga.vram[0]");
    (void) vm;
    (void) err;
    if (memory && json_get(given, "vgamem_mb"))
        qom_set_number(memory, "size", number_of(device->node, "vgamem_mb") << 20);
    return 0;
}

/* A screen for every output. */
static int outputs(struct vm *vm, struct device *device, const struct json *given, struct error *err)
{
    struct qom_node *all = qom_at(vm->tree, "/backend"), *first = NULL;
    (void) err;
    for (size_t i = 0; i < all->properties.count; i++) {
        struct qom_node *console =
            all->properties.items[i].kind == QOM_CHILD ? all->properties.items[i].node : NULL;
        const struct qom_property *owner = console ? qom_property_find(console, "device") : NULL;
        if (owner && owner->node == device->node)
            first = console;
    }
    uint64_t count = json_get(given, "max_outputs") ? number_of(device->node, "max_outputs") : 1;
    for (uint64_t head = 1; first && head < count && head < 16; head++) {
        struct qom_node *console =
            qom_node_add(vm->tree, all, compose_free_name(vm, all, "console"), first->type);
        for (size_t i = 0; i < first->properties.count; i++) {
            struct qom_property p = first->properties.items[i];
            p.own = NULL;
            qom_add(vm->tree, console, &p);
        }
        qom_set_number(console, "head", head);
    }
    return vga_memory(vm, device, given, err);
}

/* A companion controller's ports are on its master's bus. */
static int companion(struct vm *vm, struct device *device, const struct json *given, struct error *err)
{
    (void) err;
    if (!json_get(given, "masterbus"))
        return 0;
    for (size_t i = 0; i < device->node->properties.count; i++) {
        const struct qom_property *p = &device->node->properties.items[i];
        if (p->kind == QOM_CHILD && p->node && text_equal(p->node->type, "usb-bus")) {
            qom_node_remove(vm->tree, p->node);
            break;
        }
    }
    return 0;
}

/* xHCI has its port registers one after the other, the fast ports first. */
static int xhci(struct vm *vm, struct device *device, const struct json *given, struct error *err)
{
    struct qom_node *core = qom_child(device->node, "xhci-core"),
                    *like = core ? qom_child(core, "usb2 port #1[0]") : NULL;
    uint64_t fast = number_of(device->node, "p3"), slow = number_of(device->node, "p2");
    (void) given;
    (void) err;
    for (uint64_t n = 0; like && n < fast + slow && n < 64; n++) {
        owned_memory char *name = memory_printf("usb%d port #%u[0]", n < fast ? 3 : 2,
                                                (unsigned) (n < fast ? n + 1 : n - fast + 1));
        struct qom_node *port = qom_child(core, name);
        if (!port) {
            port = qom_node_add(vm->tree, core, name, like->type);
            for (size_t i = 0; i < like->properties.count; i++) {
                struct qom_property p = like->properties.items[i];
                p.value = p.value ? arena_copy(vm->arena, p.value) : NULL;
                p.own = NULL;
                qom_add(vm->tree, port, &p);
            }
        }
        qom_set_number(port, "addr", 0x440 + 0x10 * n);
    }
    return 0;
}

/* The disk behind a USB bridge has the drive, the bridge itself gives it away. */
static int usb_storage(struct vm *vm, struct device *device, const struct json *given, struct error *err)
{
    struct qom_node *disk = NULL;
    for (size_t i = 0; i < device->node->properties.count && !disk; i++) {
        struct qom_node *bus = device->node->properties.items[i].kind == QOM_CHILD
                                   ? device->node->properties.items[i].node
                                   : NULL;
        disk = bus ? qom_child(bus, "legacy[0]") : NULL;
    }
    (void) vm;
    (void) given;
    (void) err;
    if (disk && device->drive)
        qom_set_text(disk, "drive", device->drive);
    qom_set_text(device->node, "drive", "");
    return 0;
}

/* Two drives a bus, numbered over all buses. */
struct ide_count { struct vm *vm; const struct qom_node *bus; unsigned before; bool found; };

static void count_ide(struct qom_node *node, void *arg)
{
    struct ide_count *c = arg;
    c->found |= node == c->bus;
    if (!c->found && data_type_is(c->vm->data, node->type, "IDE"))
        c->before++;
}

static int ide_serial(struct vm *vm, struct device *device, const struct json *given, struct error *err)
{
    struct ide_count count = { vm, device->bus, 0, false };
    (void) err;
    if (json_get(given, "serial"))
        return 0;
    qom_walk(qom_root(vm->tree), count_ide, &count);
    owned_memory char *serial =
        memory_printf("QM%05u", 2 * count.before + (unsigned) number_of(device->node, "unit") + 1);
    qom_set_text(device->node, "serial", serial);
    return 0;
}

static const struct { const char *driver; adjustment *adjust; } rows[] = {
    { "virtio-blk-pci", virtio_blk },
    { "virtio-blk-pci-transitional", virtio_blk },
    { "virtio-blk-pci-non-transitional", virtio_blk },
    { "virtio-scsi-pci", virtio_scsi },
    { "virtio-scsi-pci-transitional", virtio_scsi },
    { "virtio-scsi-pci-non-transitional", virtio_scsi },
    { "virtio-net-pci", virtio_net },
    { "virtio-balloon-pci", balloon },
    { "virtio-balloon-pci-transitional", balloon },
    { "virtio-balloon-pci-non-transitional", balloon },
    { "virtio-rng-pci", rng },
    { "virtio-rng-pci-transitional", rng },
    { "virtio-rng-pci-non-transitional", rng },
    { "VGA", vga_memory },
    { "cirrus-vga", vga_memory },
    { "vmware-svga", vga_memory },
    { "secondary-vga", vga_memory },
    { "virtio-vga", outputs },
    { "virtio-gpu-pci", outputs },
    { "ich9-usb-uhci1", companion },
    { "ich9-usb-uhci2", companion },
    { "ich9-usb-uhci3", companion },
    { "piix3-usb-uhci", companion },
    { "nec-usb-xhci", xhci },
    { "qemu-xhci", xhci },
    { "usb-storage", usb_storage },
    { "ide-hd", ide_serial },
    { "ide-cd", ide_serial },
};

/* Behind a PCIe port there is no room for the old interface. */
static void adjust_express(struct vm *vm, struct device *device, const struct json *given)
{
    if (!data_type_is(vm->data, device->bus->type, "PCI"))
        return;
    /* Whoever a bus has for a handler, only those that firmware tells the guest about can have devices
     * come and go. */
    if (!qom_property_find(device->bus, "acpi-pcihp-bsel"))
        qom_set_bool(device->node, "hotpluggable", false);
    const struct qom_property *legacy = qom_property_find(device->node, "disable-legacy");
    if (!legacy || json_get(given, "disable-legacy") || !data_type_is(vm->data, device->bus->type, "PCIE") ||
        device->bus == vm->main_bus)
        return;
    qom_set_text(device->node, "disable-legacy", "on");
    struct qom_node *window = qom_child(device->node, "virtio-pci[1]");
    if (window)
        qom_node_remove(vm->tree, window);
}

int adjust_device(struct vm *vm, struct device *device, const struct json *given, struct error *err)
{
    adjust_express(vm, device, given);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (text_equal(rows[i].driver, device->driver))
            return rows[i].adjust(vm, device, given, err);
    return 0;
}
