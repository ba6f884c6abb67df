/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/pci.h"

#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "base/vector.h"
#include "conf/domain_def.h"
#include "conf/pci_map.h"
#include "xml/element.h"

static bool needs_place(const struct address *address)
{
    return !address || address->type == ADDRESS_NONE ||
           (address->type == ADDRESS_PCI && pci_address_is_empty(&address->pci));
}

/* At `bus` 0, if the device has no place yet and this one is free. */
static void offer(struct pci_map *map, struct address **address, unsigned slot, unsigned function)
{
    if (needs_place(*address) && pci_is_free(map, 0, slot, function))
        pci_take(map, address, 0, slot, function);
}

/* The same for a part of the chipset, which is there and nowhere else. */
static void claim(struct pci_map *map, struct controller *c, unsigned slot, unsigned function)
{
    if (!needs_place(c->address))
        return;
    offer(map, &c->address, slot, function);
    if (needs_place(c->address))
        xml_refuse(map->x, c, ERR_XML, NULL,
                   "two devices have the PCI address 0000:00:%02x.%x, one of them the %s controller", slot,
                   function, enum_word(&controller_type_names, c->type));
}

static void occupy(struct pci_map *map, unsigned slot, unsigned functions)
{
    map->used[0][slot] |= (unsigned char) functions;
}

static void place_chipset(struct pci_map *map)
{
    struct domain_def *def = map->def;
    bool pc = map->machine == MACHINE_PC;
    for (size_t i = 0; i < def->controllers.count; i++) {
        struct controller *c = def->controllers.items[i];
        if (pc && c->type == CONTROLLER_IDE && c->index.value == 0)
            claim(map, c, 1, 1);
        else if (pc && c->type == CONTROLLER_USB && c->index.value == 0 && c->model == CONTROLLER_PIIX3_UHCI)
            claim(map, c, 1, 2);
        else if (!pc && c->type == CONTROLLER_SATA && c->index.value == 0)
            claim(map, c, 31, 2);
    }
    struct video *video = def->videos.count ? def->videos.items[0] : NULL;
    if (video && video->model != VIDEO_NONE && video->model != VIDEO_RAMFB &&
        pci_slot_is_free(map, 0, pc ? 2 : 1))
        offer(map, &video->address, pc ? 2 : 1, 0);
}

/* The host bridge and what the chipset is made of. */
static void reserve_chipset(struct pci_map *map)
{
    occupy(map, 0, 0xff);
    if (map->machine == MACHINE_PC)
        occupy(map, 1, 0xff);
    else
        occupy(map, 31, 0xff);
}

static bool take_any(struct pci_map *map, struct address **address, bool express)
{
    if (!needs_place(*address))
        return true;
    return express && map->machine == MACHINE_Q35 ? pci_take_express(map, address)
                                                  : pci_take_conventional(map, address);
}

static bool pci_takes_bridges(const struct pci_map *map, unsigned bus)
{
    return map->kinds[bus] == PCI_BUS_CONVENTIONAL || map->kinds[bus] == PCI_BUS_DMI;
}

static bool place_bridge(struct pci_map *map, struct controller *c)
{
    if (!needs_place(c->address) || c->model == CONTROLLER_PCI_ROOT || c->model == CONTROLLER_PCIE_ROOT)
        return true;
    switch (c->model) {
    case CONTROLLER_ROOT_PORT: return pci_take_root_port(map, c);
    case CONTROLLER_DMI_BRIDGE:
        offer(map, &c->address, 30, 0);
        return !needs_place(c->address) || pci_take_root_slot(map, &c->address);
    case CONTROLLER_PCI_EXPANDER: case CONTROLLER_PCIE_EXPANDER: return pci_take_root_slot(map, &c->address);
    case CONTROLLER_PCIE_TO_PCI: case CONTROLLER_UPSTREAM_PORT: return take_any(map, &c->address, true);
    case CONTROLLER_PCI_BRIDGE:
        /* On the lowest bus that takes it, which is never its own or one behind it. */
        for (unsigned bus = 0; bus < c->index.value && bus < map->buses; bus++)
            for (unsigned slot = 1; slot < PCI_SLOTS && pci_takes_bridges(map, bus); slot++)
                if (pci_slot_is_free(map, bus, slot)) {
                    pci_take(map, &c->address, bus, slot, 0);
                    return true;
                }
        break;
    default: break;
    }
    xml_refuse(map->x, c, ERR_XML, "an <address>", "no place is found for the pci controller %u",
               c->index.value);
    return false;
}

static void place_bridges(struct pci_map *map)
{
    for (size_t i = 0; i < map->def->controllers.count; i++) {
        struct controller *c = map->def->controllers.items[i];
        if (c->model == CONTROLLER_DMI_BRIDGE && c->address && c->address->pci.bus != 0)
            xml_refuse(map->x, &c->address->pci.bus, ERR_XML, "0",
                       "a dmi-to-pci-bridge is part of the root bus");
        else if (c->type == CONTROLLER_PCI && place_bridge(map, c))
            pci_fill_controller(c);
    }
}

static bool is_ich9(enum controller_model model)
{
    return model >= CONTROLLER_ICH9_EHCI1 && model <= CONTROLLER_ICH9_UHCI3;
}

static unsigned ich9_function(enum controller_model model)
{
    return model == CONTROLLER_ICH9_EHCI1 ? 7 : (unsigned) (model - CONTROLLER_ICH9_UHCI1);
}

/* The four parts of an ich9 usb controller are functions of one slot. */
static bool place_ich9(struct pci_map *map, struct controller *c)
{
    const struct pci_address *slot = NULL;
    for (size_t i = 0; i < map->def->controllers.count && !slot; i++) {
        const struct controller *other = map->def->controllers.items[i];
        if (other->type == CONTROLLER_USB && is_ich9(other->model) && other->index.value == c->index.value &&
            !needs_place(other->address) && other->address->type == ADDRESS_PCI)
            slot = &other->address->pci;
    }
    unsigned function = ich9_function(c->model);
    if (!slot && map->machine == MACHINE_Q35 && c->index.value < 2 &&
        pci_slot_is_free(map, 0, c->index.value ? 26 : 29)) {
        pci_take(map, &c->address, 0, c->index.value ? 26 : 29, function);
    } else if (!slot) {
        if (!pci_take_conventional(map, &c->address))
            return false;
        c->address->pci.function = function;
        map->used[c->address->pci.bus][c->address->pci.slot] = (unsigned char) (1u << function);
    } else if (pci_is_free(map, slot->bus, slot->slot, function)) {
        pci_take(map, &c->address, slot->bus, slot->slot, function);
    } else {
        return pci_take_conventional(map, &c->address);
    }
    if (function == 0)
        c->address->pci.multifunction = ON;
    return true;
}

static bool controller_is_express(const struct controller *c)
{
    return c->type == CONTROLLER_VIRTIO_SERIAL || c->type == CONTROLLER_NVME ||
           c->model == CONTROLLER_QEMU_XHCI || c->model == CONTROLLER_NEC_XHCI ||
           c->model == CONTROLLER_VIRTIO_SCSI || c->model == CONTROLLER_TRANSITIONAL ||
           c->model == CONTROLLER_NON_TRANSITIONAL;
}

static bool place_controller(struct pci_map *map, struct controller *c)
{
    switch (c->type) {
    case CONTROLLER_USB:
        if (c->model == CONTROLLER_USB_NONE || !needs_place(c->address))
            return true;
        return is_ich9(c->model) ? place_ich9(map, c) : take_any(map, &c->address, controller_is_express(c));
    case CONTROLLER_SCSI:
    case CONTROLLER_VIRTIO_SERIAL:
    case CONTROLLER_NVME:
        return c->model == CONTROLLER_IBMVSCSI || take_any(map, &c->address, controller_is_express(c));
    case CONTROLLER_SATA:
        return !needs_place(c->address) || take_any(map, &c->address, false);
    default:
        return true;
    }
}

static bool interface_is_express(const struct interface *interface)
{
    return text_starts(interface->model, "virtio") || text_equal(interface->model, "e1000e") ||
           text_equal(interface->model, "igb") || text_equal(interface->model, "vmxnet3");
}

static bool place_interface(struct pci_map *map, struct interface *interface)
{
    if (interface->type == INTERFACE_HOSTDEV || !interface->model || text_equal(interface->model, "usb-net"))
        return true;
    return take_any(map, &interface->address, interface_is_express(interface));
}

static int compare_targets(const void *a, const void *b)
{
    uint32_t first = 0, second = 0;
    disk_target_index((*(struct disk *const *) a)->target, &first);
    disk_target_index((*(struct disk *const *) b)->target, &second);
    return first < second ? -1 : first > second;
}

/* vda before vdb, wherever they stand. */
static bool place_disks(struct pci_map *map)
{
    VECTOR(struct disk *) disks = { 0 };
    bool ok = true;
    for (size_t i = 0; i < map->def->disks.count; i++)
        if (map->def->disks.items[i]->bus == DISK_BUS_VIRTIO)
            vector_push(&disks, map->def->disks.items[i]);
    if (disks.count)
        qsort(disks.items, disks.count, sizeof *disks.items, compare_targets);
    for (size_t i = 0; i < disks.count && ok; i++)
        ok = take_any(map, &disks.items[i]->address, true);
    vector_done(&disks);
    return ok;
}

static bool place_sound(struct pci_map *map, struct sound *sound)
{
    if (sound->model == SOUND_SB16 || sound->model == SOUND_PCSPK || sound->model == SOUND_USB ||
        sound->model == SOUND_ICH7)
        return true;
    if (sound->model == SOUND_ICH9 && map->machine == MACHINE_Q35 && pci_slot_is_free(map, 0, 27))
        offer(map, &sound->address, 27, 0);
    return take_any(map, &sound->address, sound->model == SOUND_VIRTIO);
}

static bool place_hostdev(struct pci_map *map, struct hostdev *hostdev)
{
    bool pci = hostdev->type == HOSTDEV_PCI || hostdev->type == HOSTDEV_SCSI_HOST ||
               (hostdev->type == HOSTDEV_MDEV && text_equal(hostdev->model, "vfio-pci"));
    return !pci || take_any(map, &hostdev->address, true);
}

static bool place_first_half(struct pci_map *map)
{
    const struct domain_def *def = map->def;
    bool ok = true;
    for (size_t i = 0; i < def->filesystems.count && ok; i++)
        ok = take_any(map, &def->filesystems.items[i]->address, true);
    for (size_t i = 0; i < def->interfaces.count && ok; i++)
        ok = place_interface(map, def->interfaces.items[i]);
    for (size_t i = 0; i < def->sounds.count && ok; i++)
        ok = place_sound(map, def->sounds.items[i]);
    for (size_t i = 0; i < def->controllers.count && ok; i++)
        ok = place_controller(map, def->controllers.items[i]);
    ok = ok && place_disks(map);
    for (size_t i = 0; i < def->hostdevs.count && ok; i++)
        ok = place_hostdev(map, def->hostdevs.items[i]);
    return ok;
}

static bool place_second_half(struct pci_map *map)
{
    const struct domain_def *def = map->def;
    bool ok = true;
    if (def->memballoon && def->memballoon->model != MEMBALLOON_NONE &&
        def->memballoon->model != MEMBALLOON_XEN)
        ok = take_any(map, &def->memballoon->address, true);
    for (size_t i = 0; i < def->rngs.count && ok; i++)
        ok = take_any(map, &def->rngs.items[i]->address, true);
    for (size_t i = 0; i < def->watchdogs.count && ok; i++)
        if (def->watchdogs.items[i]->model == WATCHDOG_I6300ESB)
            ok = take_any(map, &def->watchdogs.items[i]->address, false);
    for (size_t i = 0; i < def->videos.count && ok; i++)
        if (def->videos.items[i]->model != VIDEO_NONE && def->videos.items[i]->model != VIDEO_RAMFB)
            ok = take_any(map, &def->videos.items[i]->address, def->videos.items[i]->model == VIDEO_VIRTIO);
    for (size_t i = 0; i < def->inputs.count && ok; i++)
        if (def->inputs.items[i]->bus == INPUT_BUS_VIRTIO)
            ok = take_any(map, &def->inputs.items[i]->address, true);
    for (size_t i = 0; i < def->serials.count && ok; i++)
        if (def->serials.items[i]->target == TARGET_PCI_SERIAL)
            ok = take_any(map, &def->serials.items[i]->address, false);
    for (size_t i = 0; i < def->panics.count && ok; i++)
        if (def->panics.items[i]->model == PANIC_PVPANIC)
            ok = take_any(map, &def->panics.items[i]->address, true);
    for (size_t i = 0; i < def->shmems.count && ok; i++)
        ok = take_any(map, &def->shmems.items[i]->address, false);
    for (size_t i = 0; i < def->iommus.count && ok; i++)
        if (def->iommus.items[i]->model == IOMMU_VIRTIO && needs_place(def->iommus.items[i]->address))
            ok = pci_take_root_slot(map, &def->iommus.items[i]->address);
    return ok && (!def->vsock || take_any(map, &def->vsock->address, true));
}

/* In the order in which libvirt serves them; stops where there is no room, which was reported. */
static void place_devices(struct pci_map *map)
{
    if (place_first_half(map))
        place_second_half(map);
}

/* A port to plug something into later. */
static void add_spare_port(struct pci_map *map)
{
    struct address *nothing = NULL;
    if (!map->added_port || map->machine != MACHINE_Q35)
        return;
    for (unsigned bus = 0; bus < map->buses; bus++)
        if (map->kinds[bus] == PCI_BUS_PORT && pci_slot_is_free(map, bus, 0))
            return;
    pci_take_express(map, &nothing);
}

/* Does every slot have its owner already?  Then it was meant so. */
static bool is_full(const struct pci_map *map)
{
    for (unsigned bus = 0; bus < map->buses; bus++)
        for (unsigned slot = 1; slot < PCI_SLOTS; slot++)
            if (map->kinds[bus] == PCI_BUS_CONVENTIONAL && pci_slot_is_free(map, bus, slot))
                return false;
    return true;
}

/* A slot of a pc stays free for the bridge that is added when one more device comes. */
static void keep_spare_slot(struct pci_map *map)
{
    struct address **nobody = arena_alloc(xml_arena(map->x), sizeof *nobody);
    if (map->machine == MACHINE_PC)
        pci_take_conventional(map, nobody);
}

static void place_all(struct pci_map *map)
{
    bool full = is_full(map);
    place_chipset(map);
    reserve_chipset(map);
    place_bridges(map);
    place_devices(map);
    add_spare_port(map);
    if (!full)
        keep_spare_slot(map);
}

/* Bridges take slots themselves, so as many as were missing may be one too few. */
enum { ROUNDS_MAX = 8 };

void pci_assign(struct domain_def *def, struct xml_context *x)
{
    if (machine_kind(def) == MACHINE_OTHER)
        return;
    for (size_t i = 0; i < def->controllers.count; i++) {
        const struct controller *c = def->controllers.items[i];
        if (c->type != CONTROLLER_PCI || c->index.value < PCI_BUSES)
            continue;
        xml_refuse(x, &c->index, ERR_XML, "0 to 255", "there are at most %d PCI buses", PCI_BUSES);
        return;
    }
    for (unsigned missing = 0, round = 0; round < ROUNDS_MAX && !xml_has_errors(x); round++) {
        owned(pci_map) struct pci_map *map = pci_map_new(def, x);
        pci_add_bridges(map, missing);
        place_all(map);
        missing = map->missing;
        if (!missing)
            return;
        pci_undo(map);
    }
    if (!xml_has_errors(x))
        xml_refuse(x, def, ERR_INTERNAL, NULL, "no free PCI slot is left, and no more bridges can be added");
}
