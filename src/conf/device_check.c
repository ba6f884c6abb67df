/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "conf/device.h"
#include "conf/devices.h"
#include "conf/domain_check.h"
#include "conf/domain_def.h"
#include "conf/kept.h"
#include "conf/machine.h"
#include "conf/usb.h"
#include "xml/element.h"

static void check_targets(const struct domain_def *def, struct xml_context *x)
{
    owned(map) struct map *targets = map_new();
    for (size_t i = 0; i < def->disks.count; i++) {
        struct disk *disk = def->disks.items[i];
        if (!disk->target)
            continue;
        if (map_find_text(targets, disk->target))
            xml_refuse(x, &disk->target, ERR_XML, NULL, "two disks have the target '%s'", disk->target);
        else
            map_set_text(targets, disk->target, disk);
    }
}

struct boot_orders { struct xml_context *x; const struct domain_def *def; struct map *taken; size_t count; };

/* `what` names the device, and is taken. */
static void take_order(struct boot_orders *orders, const void *member, uint32_t order, char *what)
{
    owned_memory char *name = what;
    const char *first = order ? map_find(orders->taken, &order, sizeof order) : NULL;
    orders->count += order != 0;
    if (first)
        xml_refuse(orders->x, member, ERR_CONFIG_UNSUPPORTED, NULL,
                   "boot order %u is used for more than one device: %s and %s", order, first, name);
    else if (order)
        map_set(orders->taken, &order, sizeof order, take(name));
}

static uint32_t order_of(const struct domain_def *def, struct device_place at, const void **ret_member)
{
    void *device = device_at(def, at);
    const uint32_t *order = NULL;
    switch (at.list) {
    case DEVICES_DISK:       order = &((struct disk *) device)->boot_order; break;
    case DEVICES_INTERFACE:  order = &((struct interface *) device)->boot_order; break;
    case DEVICES_HOSTDEV:    order = &((struct hostdev *) device)->boot_order; break;
    case DEVICES_REDIRDEV:   order = &((struct chardev *) device)->boot_order; break;
    case DEVICES_FILESYSTEM: order = &((struct filesystem *) device)->boot_order; break;
    default: break;
    }
    *ret_member = order;
    return order ? *order : 0;
}

static void take_orders(struct boot_orders *orders)
{
    for (struct device_place at = { 0, 0 }; at.list < DEVICES_LISTS; at.list++)
        for (at.index = 0; at.index < device_count(orders->def, at.list); at.index++) {
            const void *member;
            uint32_t order = order_of(orders->def, at, &member);
            if (order)
                take_order(orders, member, order, device_describe(orders->def, at));
        }
    for (const struct extra *e = NULL; (e = kept_next(&orders->def->extras, "devices/", e)); ) {
        uint32_t order = 0;
        if (raw_get_number(raw_find(e->raw, "boot"), "order", &order))
            take_order(orders, &orders->def->extras, order, memory_printf("<%s>", e->raw->name));
    }
}

static void check_boot(const struct domain_def *def, struct xml_context *x)
{
    owned(map) struct map *taken = map_new();
    struct boot_orders orders = { x, def, taken, 0 };
    take_orders(&orders);
    char *name;
    for (size_t at = 0; (name = map_next(taken, &at)) != NULL; )
        free(name);
    if (orders.count && def->os.boots.count)
        xml_refuse(x, &def->os.boots.items[0]->device, ERR_CONFIG_UNSUPPORTED, NULL,
                   "<boot dev> under <os> and <boot order> at devices cannot be mixed");
}

/* The companions of an ich9 usb controller share its index. */
static void check_controllers(const struct domain_def *def, struct xml_context *x)
{
    owned(map) struct map *seen = map_new();
    for (size_t i = 0; i < def->controllers.count; i++) {
        struct controller *c = def->controllers.items[i];
        uint32_t key[2] = { c->type, c->index.value };
        if (!c->index.set || !c->type || c->master_startport.set)
            continue;
        if (map_find(seen, key, sizeof key))
            xml_refuse(x, &c->index, ERR_XML, NULL, "there are two %s controllers with the index %u",
                       enum_word(&controller_type_names, c->type), c->index.value);
        else
            map_set(seen, key, sizeof key, c);
    }
}

static void check_root(const struct domain_def *def, struct xml_context *x)
{
    enum machine_kind kind = machine_kind(def);
    for (size_t i = 0; i < def->controllers.count && kind != MACHINE_OTHER; i++) {
        struct controller *c = def->controllers.items[i];
        enum controller_model wanted = kind == MACHINE_PC ? CONTROLLER_PCI_ROOT : CONTROLLER_PCIE_ROOT;
        bool root = c->model == CONTROLLER_PCI_ROOT || c->model == CONTROLLER_PCIE_ROOT;
        if (c->type == CONTROLLER_PCI && root && c->model != wanted)
            xml_refuse(x, &c->model, ERR_XML, enum_word(&controller_model_names, wanted),
                       "the root bus of the machine '%s' is a %s", def->os.machine,
                       enum_word(&controller_model_names, wanted));
        if (c->type == CONTROLLER_IDE && (kind == MACHINE_Q35 || c->index.value > 0))
            xml_refuse(x, &c->type, ERR_CONFIG_UNSUPPORTED, NULL, kind == MACHINE_Q35
                       ? "a q35 machine has no ide controllers; sata ones take the same disks"
                       : "a pc machine has one ide controller only");
    }
    for (size_t i = 0; i < def->disks.count && kind == MACHINE_Q35; i++)
        if (def->disks.items[i]->bus == DISK_BUS_IDE)
            xml_refuse(x, &def->disks.items[i]->bus, ERR_CONFIG_UNSUPPORTED, "sata",
                       "disk '%s': a q35 machine has no ide bus; sata takes the same disks",
                       def->disks.items[i]->target);
}

/* What a drive sits on is its bus's business: only virtio disks are PCI devices. */
static void check_disk_addresses(const struct domain_def *def, struct xml_context *x)
{
    for (size_t i = 0; i < def->disks.count; i++) {
        const struct disk *disk = def->disks.items[i];
        enum address_type type = disk->address ? disk->address->type : ADDRESS_NONE, wanted = ADDRESS_NONE;
        if (disk->bus == DISK_BUS_IDE || disk->bus == DISK_BUS_SATA || disk->bus == DISK_BUS_SCSI ||
            disk->bus == DISK_BUS_FDC)
            wanted = ADDRESS_DRIVE;
        if (disk->bus == DISK_BUS_USB)
            wanted = ADDRESS_USB;
        if (type && type != ADDRESS_UNASSIGNED && wanted && type != wanted)
            xml_refuse(x, &disk->address->type, ERR_CONFIG_UNSUPPORTED,
                       enum_word(&address_type_names, wanted),
                       "disk '%s': an address of type '%s' does not go with the bus '%s'", disk->target,
                       enum_word(&address_type_names, type), enum_word(&disk_bus_names, disk->bus));
    }
}

static void check_videos(const struct domain_def *def, struct xml_context *x)
{
    size_t primary = 0;
    for (size_t i = 0; i < def->videos.count && def->videos.count > 1; i++)
        if (def->videos.items[i]->model == VIDEO_NONE)
            xml_refuse(x, &def->videos.items[i]->model, ERR_CONFIG_UNSUPPORTED, NULL,
                       "a graphics card of model 'none' must be the only one");
    for (size_t i = 0; i < def->videos.count; i++)
        if (def->videos.items[i]->primary == YES && ++primary > 1)
            xml_refuse(x, &def->videos.items[i]->primary, ERR_CONFIG_UNSUPPORTED, "no",
                       "only one graphics card is the primary one");
}

static void check_chardevs(const struct domain_def *def, struct xml_context *x)
{
    for (size_t i = 1; i < def->consoles.count; i++)
        if (def->consoles.items[i]->target == TARGET_SERIAL)
            xml_refuse(x, &def->consoles.items[i]->target, ERR_CONFIG_UNSUPPORTED, "virtio",
                       "only the first console can be a serial port");
    if (def->os.bios_useserial == YES && !def->serials.count && !def->consoles.count)
        xml_refuse(x, &def->os.bios_useserial, ERR_XML, "a <serial>",
                   "the firmware cannot use a serial port when there is none");
}

static bool has_master(const struct domain_def *def, uint32_t index)
{
    for (size_t i = 0; i < def->controllers.count; i++) {
        const struct controller *c = def->controllers.items[i];
        if (c->type == CONTROLLER_USB && !c->master_startport.set && c->index.value == index)
            return true;
    }
    return false;
}

/* An ich9 companion needs the controller that it accompanies. */
static void check_companions(const struct domain_def *def, struct xml_context *x)
{
    for (size_t i = 0; i < def->controllers.count; i++) {
        const struct controller *c = def->controllers.items[i];
        if (c->master_startport.set && !has_master(def, c->index.value))
            xml_refuse(x, &c->master_startport, ERR_INTERNAL, NULL,
                       "the usb controller %u has no master that this one could accompany", c->index.value);
    }
}

static void check_graphics(const struct domain_def *def, struct xml_context *x)
{
    bool remote = def->graphics.count == 1;
    for (size_t i = 0; i < def->graphics.count; i++) {
        enum graphics_type type = def->graphics.items[i]->type;
        remote = remote || type == GRAPHICS_VNC || type == GRAPHICS_SPICE || type == GRAPHICS_DBUS;
    }
    for (size_t i = 0; i < def->graphics.count && !remote; i++)
        if (def->graphics.items[i]->type == GRAPHICS_EGL_HEADLESS)
            xml_refuse(x, &def->graphics.items[i]->type, ERR_CONFIG_UNSUPPORTED,
                       "a vnc or spice screen beside it",
                       "graphics of type 'egl-headless' show nothing by themselves");
}

static void check_opengl(const struct domain_def *def, struct xml_context *x)
{
    size_t count = 0;
    for (size_t i = 0; i < def->graphics.count; i++) {
        const struct graphics *graphics = def->graphics.items[i];
        if ((graphics->gl == YES || graphics->type == GRAPHICS_EGL_HEADLESS) && ++count > 1)
            xml_refuse(x, graphics, ERR_CONFIG_UNSUPPORTED, NULL, "only one screen can draw with OpenGL");
    }
}

static bool is_same_place(const struct hostdev *a, const struct hostdev *b)
{
    const struct host_place *p = a->place, *q = b->place;
    if (!p || !q || a->type != b->type)
        return false;
    if (a->type == HOSTDEV_MDEV)
        return p->uuid && text_equal(p->uuid, q->uuid);
    return a->type == HOSTDEV_PCI && p->pci.domain == q->pci.domain && p->pci.bus == q->pci.bus &&
           p->pci.slot == q->pci.slot && p->pci.function == q->pci.function;
}

static void check_hostdevs(const struct domain_def *def, struct xml_context *x)
{
    enum { COMPARED_MAX = 4096 };       /* it takes the square of their number */
    for (size_t i = 0; i < def->hostdevs.count && i < COMPARED_MAX; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same_place(def->hostdevs.items[i], def->hostdevs.items[k]))
                xml_refuse(x, def->hostdevs.items[i], ERR_XML, NULL,
                           "this device of the host is given twice");
}

/* Boards without one of their own need to be told which. */
static void check_panics(const struct domain_def *def, struct xml_context *x)
{
    static const char *const known[] = { "x86_64", "i686", "ppc64", "ppc64le", "s390x", "aarch64" };
    for (size_t i = 0; i < ARRAY_COUNT(known); i++)
        if (text_equal(def->os.arch, known[i]))
            return;
    for (size_t i = 0; i < def->panics.count; i++)
        if (!def->panics.items[i]->model)
            xml_refuse(x, def->panics.items[i], ERR_CONFIG_UNSUPPORTED, "model='pvpanic'",
                       "a panic device needs a model on machine '%s' (%s)",
                       def->os.machine ? def->os.machine : "", def->os.arch ? def->os.arch : "");
}

void check_devices(const struct domain_def *def, struct xml_context *x)
{
    check_graphics(def, x);
    check_opengl(def, x);
    check_hostdevs(def, x);
    check_panics(def, x);
    check_disk_addresses(def, x);
    check_chardevs(def, x);
    check_companions(def, x);
    check_targets(def, x);
    check_boot(def, x);
    check_controllers(def, x);
    check_root(def, x);
    check_videos(def, x);
}

static void check_drive_addresses(const struct domain_def *def, struct xml_context *x)
{
    owned(map) struct map *taken = map_new();
    for (size_t i = 0; i < def->disks.count; i++) {
        struct disk *disk = def->disks.items[i];
        if (!disk->address || disk->address->type != ADDRESS_DRIVE)
            continue;
        const struct drive_address *d = &disk->address->drive;
        uint32_t key[5] = { disk->bus, d->controller, d->bus, d->target, d->unit };
        const struct disk *other = map_find(taken, key, sizeof key);
        if (other)
            xml_refuse(x, &d->unit, ERR_CONFIG_UNSUPPORTED, NULL,
                       "disks '%s' and '%s' both have the address controller='%u' bus='%u' target='%u' "
                       "unit='%u'", other->target, disk->target, d->controller, d->bus, d->target, d->unit);
        else
            map_set(taken, key, sizeof key, disk);
    }
}

/* On a bus of slots each function is a place of its own; function 0 alone takes the whole slot, but nobody
 * minds. */
static void check_pci_addresses(const struct domain_def *def, struct xml_context *x)
{
    owned(map) struct map *taken = map_new();
    for (struct device_walk walk = { 0 }; device_next(def, &walk); ) {
        const struct address *address = *walk.address;
        if (!address || address->type != ADDRESS_PCI || pci_address_is_empty(&address->pci))
            continue;
        const struct pci_address *pci = &address->pci;
        uint32_t key[4] = { pci->domain, pci->bus, pci->slot, pci->function };
        if (map_find(taken, key, sizeof key))
            xml_refuse(x, &pci->slot, ERR_XML, NULL, "two devices have the PCI address %04x:%02x:%02x.%x",
                       pci->domain,
                       pci->bus, pci->slot, pci->function);
        else
            map_set(taken, key, sizeof key, (void *) address);
    }
}

void check_addresses(const struct domain_def *def, struct xml_context *x)
{
    usb_check(def, x);
    check_drive_addresses(def, x);
    check_pci_addresses(def, x);
}
