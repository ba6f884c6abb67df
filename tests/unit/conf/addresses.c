/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "base/memory.h"
#include "define.h"

static void expect_pci(const struct address *address, const char *wanted)
{
    char text[32];
    cr_assert_not_null(address);
    cr_assert_eq(address->type, ADDRESS_PCI);
    snprintf(text, sizeof text, "%02x:%02x.%x", address->pci.bus, address->pci.slot, address->pci.function);
    cr_assert_str_eq(text, wanted);
}

static const struct controller *find(const struct domain_def *def, enum controller_type type, uint32_t index)
{
    for (size_t i = 0; i < def->controllers.count; i++)
        if (def->controllers.items[i]->type == type && controller_index(def->controllers.items[i]) == index)
            return def->controllers.items[i];
    cr_assert_fail("no controller %d %u", type, index);
    return NULL;
}

Test(addresses, a_pc_has_its_chipset_in_slot_1_and_its_screen_in_slot_2)
{
    owned(domain_def) struct domain_def *def = define("pc", "",
        "<disk><target dev='vdb'/></disk><disk><target dev='vda'/></disk><disk><target dev='hda'/></disk>"
        "<interface type='user'/><video><model type='vga'/></video>");
    expect_pci(find(def, CONTROLLER_IDE, 0)->address, "00:01.1");
    expect_pci(find(def, CONTROLLER_USB, 0)->address, "00:01.2");
    expect_pci(def->videos.items[0]->address, "00:02.0");
    expect_pci(def->interfaces.items[0]->address, "00:03.0");
    expect_pci(def->disks.items[1]->address, "00:04.0");
    expect_pci(def->disks.items[0]->address, "00:05.0");
    expect_pci(def->memballoon->address, "00:06.0");
}

Test(addresses, a_q35_gives_each_device_a_port_of_its_own_and_has_a_spare_one)
{
    owned(domain_def) struct domain_def *def =
        define("q35", "",
               "<disk><target dev='vda'/></disk><interface type='user'><model type='virtio'/></interface>");
    expect_pci(find(def, CONTROLLER_SATA, 0)->address, "00:1f.2");
    expect_pci(def->interfaces.items[0]->address, "01:00.0");
    expect_pci(find(def, CONTROLLER_USB, 0)->address, "02:00.0");
    expect_pci(def->disks.items[0]->address, "03:00.0");
    expect_pci(def->memballoon->address, "04:00.0");
    expect_pci(find(def, CONTROLLER_PCI, 1)->address, "00:01.0");
    expect_pci(find(def, CONTROLLER_PCI, 5)->address, "00:01.4");
    cr_assert_eq(find(def, CONTROLLER_PCI, 5)->port.value, 0xc);
    cr_assert_eq(find(def, CONTROLLER_PCI, 1)->address->pci.multifunction, ON);
}

Test(addresses, a_q35_puts_conventional_cards_behind_a_bridge)
{
    owned(domain_def) struct domain_def *def =
        define("q35", "", "<interface type='user'><model type='e1000'/></interface>");
    const struct controller *bridge = find(def, CONTROLLER_PCI, 2);
    cr_assert_eq(bridge->model, CONTROLLER_PCIE_TO_PCI);
    expect_pci(bridge->address, "01:00.0");
    expect_pci(def->interfaces.items[0]->address, "02:01.0");
}

Test(addresses, slots_of_kept_devices_are_not_given_away)
{
    owned(domain_def) struct domain_def *def = define("pc", "",
        "<pstore><address type='pci' bus='0x00' slot='0x02'/></pstore><interface type='user'/>");
    expect_pci(def->interfaces.items[0]->address, "00:03.0");
}

Test(addresses, an_address_on_a_bus_that_is_not_there_makes_the_bridges_up_to_it)
{
    owned(domain_def) struct domain_def *def =
        define("pc", "", "<disk><target dev='vda'/><address type='pci' bus='2' slot='4'/></disk>");
    cr_assert_eq(find(def, CONTROLLER_PCI, 2)->model, CONTROLLER_PCI_BRIDGE);
    cr_assert_eq(find(def, CONTROLLER_PCI, 1)->chassis_nr.value, 1);
    expect_pci(def->disks.items[0]->address, "02:04.0");
}

Test(addresses, places_that_are_not_there_are_refused)
{
    refuse("pc", "", "<disk><target dev='vda'/><address type='pci' bus='9' slot='0' function='1'/></disk>",
           ERR_XML, "slot 0 is not usable");
    refuse("q35", "",
           "<controller type='pci' index='1' model='pcie-root-port'/>"
           "<disk><target dev='vda'/><address type='pci' bus='1' slot='1'/></disk>", ERR_XML, "only slot 0");
    refuse("pc", "",
           "<memballoon model='virtio'><address type='pci' bus='0' slot='1' function='1'/></memballoon>"
           "<disk><target dev='hda'/></disk>", ERR_XML, "PCI address 0000:00:01.1");
    static const char *const taken[] = { "slot='0x01' function='0x0'", "slot='0x01' function='0x1'",
                                         "slot='0x01' function='0x3'" };
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
        owned_memory char *disk = memory_printf("<disk><target dev='vda'/><address type='pci' %s/></disk>",
                                                taken[k]);
        refuse("pc", "", disk, ERR_XML, "one of them the chipset");
    }
    refuse("q35", "", "<disk><target dev='vda'/><address type='pci' slot='0x1f' function='0x3'/></disk>",
           ERR_XML, "0000:00:1f.3, one of them the chipset");
    refuse("pc", "", "<controller type='pci' index='65535' model='pci-bridge'/>", ERR_XML,
           "at most 256 PCI buses");
    refuse("pc", "", "<controller type='pci' index='4294967295' model='pci-bridge'/>", ERR_XML, "0 to 65535");
}

static char *cards(int count)
{
    owned_buffer struct buffer devices = { 0 };
    buffer_add_text(&devices, "<memballoon model='none'/>");
    for (int i = 0; i < count; i++)
        buffer_add_text(&devices, "<interface type='user'/>");
    return buffer_take(&devices);
}

static unsigned bridges(const struct domain_def *def)
{
    unsigned count = 0;
    for (size_t i = 0; i < def->controllers.count; i++)
        count += def->controllers.items[i]->model == CONTROLLER_PCI_BRIDGE;
    return count;
}

Test(addresses, a_pc_gets_bridges_for_what_its_root_bus_has_no_slot_for)
{
    /* Slots 2 to 31 are free, one is kept for a bridge, and a bridge has 31. */
    static const struct { int cards; unsigned bridges; } sizes[] = {
        { 29, 0 }, { 30, 1 }, { 59, 1 }, { 60, 2 }, { 400, 13 },
    };
    for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
        owned_memory char *devices = cards(sizes[i].cards);
        owned(domain_def) struct domain_def *def = define("pc", "", devices);
        cr_assert_eq(bridges(def), sizes[i].bridges, "%d cards: %u bridges", sizes[i].cards, bridges(def));
        owned_buffer struct buffer first = { 0 }, second = { 0 };
        error_scope(err);
        domain_def_format(def, 0, NULL, &first);
        owned(domain_def) struct domain_def *again = define_text(first.data, 0, NULL, &err);
        cr_assert_not_null(again, "%s", error_text(&err));
        domain_def_format(again, 0, NULL, &second);
        cr_assert_str_eq(second.data, first.data, "%d cards", sizes[i].cards);
    }
}

Test(addresses, a_full_machine_says_so)
{
    owned_memory char *devices = cards(8000);
    refuse("pc", "", devices, ERR_INTERNAL, "no free PCI slot is left");
}

Test(addresses, companions_of_a_usb_controller_share_its_number_and_slot)
{
    owned(domain_def) struct domain_def *def = define("pc", "",
        "<controller type='usb' model='ich9-ehci1'/>"
        "<controller type='usb' model='ich9-uhci1'><master startport='0'/></controller>"
        "<controller type='usb' model='ich9-uhci2'><master startport='2'/></controller>");
    expect_pci(def->controllers.items[0]->address, "00:02.7");
    expect_pci(def->controllers.items[1]->address, "00:02.0");
    expect_pci(def->controllers.items[2]->address, "00:02.1");
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(def->controllers.items[i]->index.value, 0);
    refuse("pc", "",
           "<controller type='usb' model='ich9-uhci1'><master startport='0'/></controller>"
           "<controller type='usb' index='5' model='ich9-ehci1'/>", ERR_INTERNAL, "no master");
    refuse("pc", "",
           "<controller type='usb' index='3' model='ich9-uhci1'><master startport='0'/></controller>",
           ERR_INTERNAL, "no master");
}

Test(addresses, usb_devices_get_the_first_free_port)
{
    owned(domain_def) struct domain_def *def = define("pc", "",
        "<input type='tablet' bus='usb'/><redirdev><address type='usb' bus='0' port='1'/></redirdev>");
    cr_assert_eq(def->inputs.items[0]->address->type, ADDRESS_USB);
    cr_assert_str_eq(def->inputs.items[0]->address->usb.port, "2");
}
