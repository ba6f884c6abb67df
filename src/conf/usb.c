/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/usb.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "conf/devices.h"
#include "conf/kept.h"
#include "xml/element.h"

enum { USB_BUSES = 64, USB_PORTS = 32, USB_HUBS = 64 };

/* A bit per port, from bit 1: of the root hubs, and of the hubs that are plugged into them or each other. */
struct usb_hub { uint32_t bus; const char *path; uint32_t used; };
struct usb_map {
    uint32_t ports[USB_BUSES], used[USB_BUSES];
    struct usb_hub hubs[USB_HUBS];
    size_t hubs_count;
};

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

/* "1.2" is port 2 of the hub at "1". */
static struct usb_hub *find_hub(struct usb_map *map, uint32_t bus, const char *path, size_t length)
{
    for (size_t i = 0; i < map->hubs_count; i++) {
        struct usb_hub *hub = &map->hubs[i];
        if (hub->bus == bus && strlen(hub->path) == length && strncmp(hub->path, path, length) == 0)
            return hub;
    }
    return NULL;
}

static void use(struct usb_map *map, uint32_t bus, const char *port)
{
    const char *dot = port ? strrchr(port, '.') : NULL;
    unsigned long number = port ? strtoul(dot ? dot + 1 : port, NULL, 10) : 0;
    if (bus >= USB_BUSES || number == 0 || number >= USB_PORTS)
        return;
    struct usb_hub *hub = dot ? find_hub(map, bus, port, (size_t) (dot - port)) : NULL;
    if (hub)
        hub->used |= 1u << number;
    else if (!dot)
        map->used[bus] |= 1u << number;
}

static void add_hub(struct usb_map *map, const struct address *address)
{
    if (address && address->type == ADDRESS_USB && address->usb.port && map->hubs_count < USB_HUBS)
        map->hubs[map->hubs_count++] = (struct usb_hub) { address->usb.bus, address->usb.port, 0 };
}

static void learn(struct usb_map *map, const struct domain_def *def)
{
    for (size_t i = 0; i < def->controllers.count; i++) {
        const struct controller *c = def->controllers.items[i];
        if (c->type == CONTROLLER_USB && !c->master_startport.set && c->index.value < USB_BUSES)
            map->ports[c->index.value] = port_count(c);
    }
    for (size_t i = 0; i < def->hubs.count; i++)
        add_hub(map, def->hubs.items[i]->address);
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

static uint32_t free_port(uint32_t used, uint32_t ports)
{
    for (uint32_t port = 1; port <= ports; port++)
        if (!(used & 1u << port))
            return port;
    return 0;
}

static void plug(struct usb_map *map, struct address **address, uint32_t bus, const char *port,
                 struct arena *arena)
{
    if (!*address)
        *address = ARENA_NEW(arena, struct address);
    (*address)->type = ADDRESS_USB;
    (*address)->usb.bus = bus;
    (*address)->usb.port = port;
    use(map, bus, port);
}

/* A port of a root hub, and if there is none left, one behind a hub. */
static void assign(struct usb_map *map, struct address **address, struct arena *arena)
{
    if (*address && ((*address)->type != ADDRESS_USB || (*address)->usb.port))
        return;
    for (uint32_t bus = 0; bus < USB_BUSES; bus++) {
        uint32_t port = free_port(map->used[bus], map->ports[bus]);
        if (port) {
            plug(map, address, bus, arena_printf(arena, "%u", port), arena);
            return;
        }
    }
    for (size_t i = 0; i < map->hubs_count; i++) {
        const struct usb_hub *hub = &map->hubs[i];
        uint32_t port = free_port(hub->used, HUB_PORTS);
        if (port) {
            plug(map, address, hub->bus, arena_printf(arena, "%s.%u", hub->path, port), arena);
            return;
        }
    }
}

/* Whether the device needs a usb port. */
static bool is_usb(const struct device_walk *walk)
{
    switch (walk->kind) {
    case DEVICE_DISK: return ((struct disk *) walk->device)->bus == DISK_BUS_USB;
    case DEVICE_CONTROLLER: return ((struct controller *) walk->device)->type == CONTROLLER_CCID;
    case DEVICE_INPUT: return ((struct input *) walk->device)->bus == INPUT_BUS_USB;
    case DEVICE_SERIAL: return ((struct chardev *) walk->device)->target == TARGET_USB_SERIAL;
    case DEVICE_SOUND: return ((struct sound *) walk->device)->model == SOUND_USB;
    case DEVICE_HOSTDEV: return ((struct hostdev *) walk->device)->type == HOSTDEV_USB;
    case DEVICE_REDIRDEV: return ((struct chardev *) walk->device)->bus == REDIRDEV_USB;
    default: return false;
    }
}

/* As many hubs as the devices need that the ports do not suffice for; each takes a port itself. */
static void add_hubs(struct usb_map *map, struct domain_def *def, struct arena *arena)
{
    size_t devices = 0, ports = def->hubs.count * (HUB_PORTS - 1);
    for (struct device_walk walk = { 0 }; device_next(def, &walk); )
        devices += is_usb(&walk);
    for (size_t bus = 0; bus < USB_BUSES; bus++)
        ports += map->ports[bus];
    while (ports && ports < devices && def->hubs.count < USB_HUBS) {
        struct hub *hub = ARENA_NEW(arena, struct hub);
        hub->type = HUB_USB;
        list_add(arena, &def->hubs, hub);
        ports += HUB_PORTS - 1;
    }
}

static void assign_kind(struct usb_map *map, struct domain_def *def, enum device_kind kind,
                        struct arena *arena)
{
    for (struct device_walk walk = { 0 }; device_next(def, &walk); )
        if (walk.kind == kind && is_usb(&walk))
            assign(map, walk.address, arena);
}

/* Is every port on the way there, as far as its number goes? */
static bool is_there(const struct usb_map *map, uint32_t bus, const char *port)
{
    uint32_t ports = map->ports[bus];
    for (const char *at = port; at; ports = HUB_PORTS) {
        unsigned long number = strtoul(at, NULL, 10);
        if (ports && (number == 0 || number > ports))
            return false;
        const char *dot = strchr(at, '.');
        at = dot ? dot + 1 : NULL;
    }
    return true;
}

void usb_check(const struct domain_def *def, struct xml_context *x)
{
    struct usb_map map = { .hubs_count = 0 };
    learn(&map, def);
    for (struct device_walk walk = { 0 }; device_next(def, &walk); ) {
        const struct address *address = *walk.address;
        if (address && address->type == ADDRESS_USB && address->usb.port && address->usb.bus < USB_BUSES &&
            !is_there(&map, address->usb.bus, address->usb.port))
            xml_refuse(x, &address->usb.port, ERR_XML, NULL, "there is no port %s on usb bus %u",
                       address->usb.port, address->usb.bus);
    }
}

void usb_assign(struct domain_def *def, struct arena *arena)
{
    struct usb_map map = { .hubs_count = 0 };
    learn(&map, def);
    add_hubs(&map, def, arena);
    for (size_t i = 0; i < def->hubs.count; i++) {
        struct hub *hub = def->hubs.items[i];
        bool placed = hub->address && hub->address->type == ADDRESS_USB && hub->address->usb.port;
        assign(&map, &hub->address, arena);
        if (!placed)
            add_hub(&map, hub->address);
    }
    assign_kind(&map, def, DEVICE_HOSTDEV, arena);
    assign_kind(&map, def, DEVICE_CONTROLLER, arena);
    assign_kind(&map, def, DEVICE_INPUT, arena);
    assign_kind(&map, def, DEVICE_SERIAL, arena);
    assign_kind(&map, def, DEVICE_SOUND, arena);
    assign_kind(&map, def, DEVICE_REDIRDEV, arena);
}

void usb_assign_disks(struct domain_def *def, struct arena *arena)
{
    struct usb_map map = { .hubs_count = 0 };
    learn(&map, def);
    assign_kind(&map, def, DEVICE_DISK, arena);
}
