/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/usb.h"

#include <stdlib.h>

#include "base/text.h"
#include "conf/devices.h"
#include "conf/kept.h"
#include "xml/element.h"

enum { USB_BUSES = 64, USB_PORTS = 32 };

/* A bit per port of the root hub, from bit 1. */
struct usb_map { uint32_t ports[USB_BUSES], used[USB_BUSES]; };

static uint32_t port_count(const struct controller *c)
{
    switch (c->model) {
    case CONTROLLER_PIIX3_UHCI: case CONTROLLER_PIIX4_UHCI: case CONTROLLER_VT82C686B_UHCI: return 2;
    case CONTROLLER_PCI_OHCI: return 3;
    case CONTROLLER_EHCI: case CONTROLLER_ICH9_EHCI1: return 6;
    case CONTROLLER_NEC_XHCI: case CONTROLLER_QEMU_XHCI:
        return c->ports.set && c->ports.value < USB_PORTS ? c->ports.value : 4;
    default: return 0;
    }
}

static void use(struct usb_map *map, uint32_t bus, const char *port)
{
    unsigned long number = port ? strtoul(port, NULL, 10) : 0;
    if (bus < USB_BUSES && number > 0 && number < USB_PORTS)
        map->used[bus] |= 1u << number;
}

static void learn(struct usb_map *map, const struct domain_def *def)
{
    for (size_t i = 0; i < def->controllers.count; i++) {
        const struct controller *c = def->controllers.items[i];
        if (c->type == CONTROLLER_USB && !c->master_startport.set && c->index.value < USB_BUSES)
            map->ports[c->index.value] = port_count(c);
    }
    for (struct device_walk walk = { 0 }; device_next(def, &walk); )
        if (*walk.address && (*walk.address)->type == ADDRESS_USB)
            use(map, (*walk.address)->usb.bus, (*walk.address)->usb.port);
    for (const struct extra *e = NULL; (e = kept_next(&def->extras, "devices/", e)); ) {
        const struct raw *address = raw_find(e->raw, "address");
        uint32_t bus = 0;
        if (text_equal(raw_get(address, "type"), "usb") && raw_get_number(address, "bus", &bus))
            use(map, bus, raw_get(address, "port"));
    }
}

static void assign(struct usb_map *map, struct address **address, struct arena *arena)
{
    if (*address && ((*address)->type != ADDRESS_USB || (*address)->usb.port))
        return;
    for (uint32_t bus = 0; bus < USB_BUSES; bus++)
        for (uint32_t port = 1; port <= map->ports[bus]; port++) {
            if (map->used[bus] & 1u << port)
                continue;
            map->used[bus] |= 1u << port;
            if (!*address)
                *address = ARENA_NEW(arena, struct address);
            (*address)->type = ADDRESS_USB;
            (*address)->usb.bus = bus;
            (*address)->usb.port = arena_printf(arena, "%u", port);
            return;
        }
}

void usb_assign(struct domain_def *def, struct arena *arena)
{
    struct usb_map map = { { 0 }, { 0 } };
    learn(&map, def);
    for (size_t i = 0; i < def->inputs.count; i++)
        if (def->inputs.items[i]->bus == INPUT_BUS_USB)
            assign(&map, &def->inputs.items[i]->address, arena);
    for (size_t i = 0; i < def->serials.count; i++)
        if (def->serials.items[i]->target == TARGET_USB_SERIAL)
            assign(&map, &def->serials.items[i]->address, arena);
}

void usb_assign_disks(struct domain_def *def, struct arena *arena)
{
    struct usb_map map = { { 0 }, { 0 } };
    learn(&map, def);
    for (size_t i = 0; i < def->disks.count; i++)
        if (def->disks.items[i]->bus == DISK_BUS_USB)
            assign(&map, &def->disks.items[i]->address, arena);
}
