/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/pci_map.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "conf/defaults.h"
#include "conf/devices.h"
#include "conf/kept.h"
#include "xml/element.h"

static enum pci_bus_kind bus_kind(const struct controller *c)
{
    switch (c->model) {
    case CONTROLLER_PCIE_ROOT: case CONTROLLER_PCIE_EXPANDER: return PCI_BUS_ROOT;
    case CONTROLLER_ROOT_PORT: case CONTROLLER_DOWNSTREAM_PORT: return PCI_BUS_PORT;
    case CONTROLLER_UPSTREAM_PORT: return PCI_BUS_SWITCH;
    case CONTROLLER_DMI_BRIDGE: return PCI_BUS_DMI;
    default: return PCI_BUS_CONVENTIONAL;
    }
}

static void add_bus(struct pci_map *map, const struct controller *c)
{
    if (c->type != CONTROLLER_PCI || c->index.value >= PCI_BUSES)
        return;
    map->kinds[c->index.value] = bus_kind(c);
    if (map->buses <= c->index.value)
        map->buses = c->index.value + 1;
}

static struct controller *add_controller(struct pci_map *map, enum controller_model model)
{
    if (map->buses >= PCI_BUSES)
        return NULL;
    struct controller *c = defaults_add_controller(map->def, CONTROLLER_PCI, map->buses, model,
                                                   xml_arena(map->x));
    add_bus(map, c);
    return c;
}

bool pci_is_free(const struct pci_map *map, unsigned bus, unsigned slot, unsigned function)
{
    return !(map->used[bus][slot] & 1u << function);
}

bool pci_slot_is_free(const struct pci_map *map, unsigned bus, unsigned slot)
{
    return map->used[bus][slot] == 0;
}

void pci_take(struct pci_map *map, struct address **address, unsigned bus, unsigned slot, unsigned function)
{
    struct pci_placement placement = { .address = address, .before = *address };
    if (*address)
        placement.value = **address;
    vector_push(&map->placements, placement);
    if (!*address)
        *address = ARENA_NEW(xml_arena(map->x), struct address);
    (*address)->type = ADDRESS_PCI;
    (*address)->pci.bus = bus;
    (*address)->pci.slot = slot;
    (*address)->pci.function = function;
    map->used[bus][slot] |= (unsigned char) (1u << function);
}

/* An address may name a bus that nobody defined; then it and those below it are made. */
static bool reach_bus(struct pci_map *map, const struct address *address, unsigned bus)
{
    bool known = bus < map->buses && map->kinds[bus] != PCI_BUS_NONE;
    while (!known && map->machine != MACHINE_OTHER && map->buses <= bus) {
        enum controller_model model = CONTROLLER_PCI_BRIDGE;
        if (map->machine == MACHINE_Q35)
            model = CONTROLLER_ROOT_PORT;
        if (map->machine == MACHINE_Q35 && map->buses == bus && address->pci.slot > 0)
            model = CONTROLLER_PCIE_TO_PCI;
        if (!add_controller(map, model))
            break;
    }
    known = bus < map->buses && map->kinds[bus] != PCI_BUS_NONE;
    if (!known)
        xml_refuse(map->x, &address->pci.bus, ERR_XML, NULL, "there is no pci controller with the index %u",
                   bus);
    return known;
}

/* What the board has there whatever the document says; the USB controller of a pc can be left out. */
static bool is_chipset_place(const struct pci_map *map, const struct pci_address *pci)
{
    static const unsigned functions[] = { [MACHINE_PC] = 1u << 0 | 1u << 1 | 1u << 3,
                                          [MACHINE_Q35] = 1u << 0 | 1u << 2 | 1u << 3 };
    if (pci->bus != 0 || (map->machine != MACHINE_PC && map->machine != MACHINE_Q35))
        return false;
    bool is_slot = pci->slot == (map->machine == MACHINE_PC ? 1 : 31);
    return is_slot && functions[map->machine] & 1u << pci->function;
}

/* Its IDE or SATA controller may be given the address that it has. */
static bool is_chipset_part(const struct pci_map *map, const struct address *address)
{
    enum controller_type built_in = map->machine == MACHINE_PC ? CONTROLLER_IDE : CONTROLLER_SATA;
    for (size_t i = 0; i < map->def->controllers.count; i++) {
        const struct controller *c = map->def->controllers.items[i];
        if (c->address == address)
            return c->type == built_in && c->index.value == 0 &&
                   address->pci.function == (map->machine == MACHINE_PC ? 1 : 2);
    }
    return false;
}

static void reserve(struct pci_map *map, const struct address *owner, const struct pci_address *pci)
{
    if (pci->bus >= PCI_BUSES || pci->slot >= PCI_SLOTS || pci->function > 7 || pci->domain != 0)
        return;
    enum pci_bus_kind kind = map->kinds[pci->bus];
    if (kind == PCI_BUS_CONVENTIONAL && pci->slot == 0)
        xml_refuse(map->x, &owner->pci.slot, ERR_XML, "a slot from 1",
                   "invalid PCI address %04x:%02x:%02x.%x: slot 0 is not usable", pci->domain, pci->bus,
                   pci->slot, pci->function);
    if (kind == PCI_BUS_PORT && pci->slot != 0)
        xml_refuse(map->x, &owner->pci.slot, ERR_XML, "slot 0",
                   "invalid PCI address %04x:%02x:%02x.%x: behind a port there is only slot 0", pci->domain,
                   pci->bus, pci->slot, pci->function);
    if (is_chipset_place(map, pci) && !is_chipset_part(map, owner))
        xml_refuse(map->x, &owner->pci.slot, ERR_XML, "another slot",
                   "two devices have the PCI address %04x:%02x:%02x.%x, one of them the chipset", pci->domain,
                   pci->bus, pci->slot, pci->function);
    map->used[pci->bus][pci->slot] |= (unsigned char) (1u << pci->function);
}

static void reserve_devices(struct pci_map *map)
{
    for (struct device_walk walk = { 0 }; device_next(map->def, &walk); ) {
        const struct address *address = *walk.address;
        if (!address || address->type != ADDRESS_PCI || pci_address_is_empty(&address->pci))
            continue;
        if (address->pci.bus < PCI_BUSES && reach_bus(map, address, address->pci.bus))
            reserve(map, address, &address->pci);
    }
}

/* Devices that we cannot build have their places all the same. */
static void reserve_kept(struct pci_map *map)
{
    for (const struct extra *e = NULL; (e = kept_next(&map->def->extras, "devices/", e)); ) {
        const struct raw *raw = raw_find(e->raw, "address");
        struct pci_address pci = { 0 };
        if (!raw || !text_equal(raw_get(raw, "type"), "pci") || !raw_get_number(raw, "slot", &pci.slot) ||
            !raw_get_number(raw, "bus", &pci.bus))
            continue;
        raw_get_number(raw, "function", &pci.function);
        if (pci.bus < PCI_BUSES && pci.slot < PCI_SLOTS && pci.function <= 7)
            map->used[pci.bus][pci.slot] |= (unsigned char) (1u << pci.function);
    }
}

struct pci_map *pci_map_new(struct domain_def *def, struct xml_context *x)
{
    struct pci_map *map = NEW(struct pci_map);
    map->def = def;
    map->x = x;
    map->machine = machine_kind(def);
    for (size_t i = 0; i < def->controllers.count; i++)
        add_bus(map, def->controllers.items[i]);
    reserve_devices(map);
    reserve_kept(map);
    return map;
}

void pci_map_free(struct pci_map *map)
{
    if (map)
        vector_done(&map->placements);
    free(map);
}

/* In reverse order, so that what was first there stays. */
void pci_undo(struct pci_map *map)
{
    for (size_t i = map->placements.count; i-- > 0; ) {
        const struct pci_placement *placement = &map->placements.items[i];
        *placement->address = placement->before;
        if (placement->before)
            *placement->before = placement->value;
    }
}

void pci_add_bridges(struct pci_map *map, unsigned count)
{
    while (count-- > 0 && map->buses < PCI_BUSES)
        add_controller(map, CONTROLLER_PCI_BRIDGE);
}

static bool take_slot_on(struct pci_map *map, struct address **address, unsigned bus)
{
    for (unsigned slot = 1; slot < PCI_SLOTS; slot++)
        if (pci_slot_is_free(map, bus, slot)) {
            pci_take(map, address, bus, slot, 0);
            return true;
        }
    return false;
}

static bool refuse_full(struct pci_map *map, const char *what)
{
    xml_refuse(map->x, map->def, ERR_INTERNAL, NULL, "no %s is left, and no more can be added", what);
    return false;
}

bool pci_take_root_slot(struct pci_map *map, struct address **address)
{
    return take_slot_on(map, address, 0) || refuse_full(map, "free slot on the PCI root bus");
}

bool pci_take_conventional(struct pci_map *map, struct address **address)
{
    for (unsigned bus = 0; bus < map->buses; bus++)
        if (map->kinds[bus] == PCI_BUS_CONVENTIONAL && take_slot_on(map, address, bus))
            return true;
    if (map->machine == MACHINE_PC && map->buses < PCI_BUSES) {
        map->kinds[map->buses] = PCI_BUS_CONVENTIONAL;
        map->missing++;
        return take_slot_on(map, address, map->buses++);
    }
    if (map->machine != MACHINE_Q35)
        return refuse_full(map, "free PCI slot");
    struct address *place = NULL;
    if (!pci_take_express(map, &place))
        return false;
    struct controller *bridge = add_controller(map, CONTROLLER_PCIE_TO_PCI);
    if (!bridge)
        return refuse_full(map, "free PCI slot");
    bridge->address = place;
    pci_fill_controller(bridge);
    return take_slot_on(map, address, bridge->index.value);
}

bool pci_take_express(struct pci_map *map, struct address **address)
{
    for (unsigned bus = 0; bus < map->buses; bus++)
        if (map->kinds[bus] == PCI_BUS_PORT && pci_slot_is_free(map, bus, 0)) {
            pci_take(map, address, bus, 0, 0);
            return true;
        }
    struct controller *port = add_controller(map, CONTROLLER_ROOT_PORT);
    if (!port)
        return refuse_full(map, "free PCI Express port");
    if (!pci_take_root_port(map, port))
        return false;
    pci_fill_controller(port);
    map->added_port = true;
    pci_take(map, address, port->index.value, 0, 0);
    return true;
}

/* Another function of a slot that holds nothing but ports? */
static bool join_ports(struct pci_map *map, struct controller *port)
{
    for (size_t i = 0; i < map->def->controllers.count; i++) {
        const struct controller *other = map->def->controllers.items[i];
        const struct address *address = other->address;
        if (other == port || other->model != CONTROLLER_ROOT_PORT || !address ||
            address->type != ADDRESS_PCI || address->pci.bus != 0 || address->pci.function != 0 ||
            address->pci.multifunction != ON)
            continue;
        for (unsigned function = 1; function < 8; function++)
            if (pci_is_free(map, 0, address->pci.slot, function)) {
                pci_take(map, &port->address, 0, address->pci.slot, function);
                return true;
            }
    }
    return false;
}

bool pci_take_root_port(struct pci_map *map, struct controller *port)
{
    if (join_ports(map, port))
        return true;
    if (!take_slot_on(map, &port->address, 0))
        return refuse_full(map, "free slot for a pcie-root-port");
    port->address->pci.multifunction = ON;
    return true;
}

static const char *device_of(enum controller_model model)
{
    switch (model) {
    case CONTROLLER_PCI_BRIDGE: return "pci-bridge";
    case CONTROLLER_DMI_BRIDGE: return "i82801b11-bridge";
    case CONTROLLER_ROOT_PORT: return "pcie-root-port";
    case CONTROLLER_UPSTREAM_PORT: return "x3130-upstream";
    case CONTROLLER_DOWNSTREAM_PORT: return "xio3130-downstream";
    case CONTROLLER_PCI_EXPANDER: return "pxb";
    case CONTROLLER_PCIE_EXPANDER: return "pxb-pcie";
    case CONTROLLER_PCIE_TO_PCI: return "pcie-pci-bridge";
    default: return NULL;
    }
}

void pci_fill_controller(struct controller *c)
{
    bool port = c->model == CONTROLLER_ROOT_PORT || c->model == CONTROLLER_DOWNSTREAM_PORT;
    if (!c->pci_model)
        c->pci_model = device_of(c->model);
    if (c->model == CONTROLLER_PCI_BRIDGE && !c->chassis_nr.set && c->index.value <= 255)
        c->chassis_nr = (struct opt_u32) { true, c->index.value };
    if (port && !c->chassis.set && c->index.value <= 255)
        c->chassis = (struct opt_u32) { true, c->index.value };
    if (port && !c->port.set && c->address && c->address->type == ADDRESS_PCI) {
        const struct pci_address *pci = &c->address->pci;
        c->port = (struct opt_u32) { true, c->model == CONTROLLER_ROOT_PORT ? pci->slot << 3 | pci->function
            : pci->slot };
    }
}
