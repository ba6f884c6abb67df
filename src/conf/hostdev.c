/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/hostdev.h"

#include "base/text.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(hostdev_mode, HOSTDEV_MODES);
DEFINE_ENUM_CODEC(hostdev_type, HOSTDEV_TYPES);
DEFINE_ENUM_CODEC(guest_reset, GUEST_RESETS);
BORROW_ENUM_CODEC(startup_policy);
DEFINE_WORDS_CODEC(hostdev_driver, "vfio", "kvm", "xen");

static void check_source(const struct hostdev *hostdev, struct xml_context *x)
{
    const struct host_place *place = hostdev->place;
    if (hostdev->type == HOSTDEV_USB && !hostdev->vendor && !hostdev->product && !place)
        xml_refuse(x, hostdev, ERR_XML, "<vendor> and <product>, or <address bus='...' device='...'>",
                   "a usb device must be told apart");
    if (hostdev->type == HOSTDEV_PCI && !place)
        xml_refuse(x, hostdev, ERR_XML, "<address domain='...' bus='...' slot='...' function='...'>",
                   "a pci device needs its address on the host");
    if (hostdev->type == HOSTDEV_MDEV && (!place || !place->uuid))
        xml_refuse(x, hostdev, ERR_XML, "<address uuid='...'>", "a mediated device needs its uuid");
    if (hostdev->type == HOSTDEV_MDEV && text_equal(hostdev->model, "vfio-ap") && hostdev->boot_order)
        xml_refuse(x, &hostdev->boot_order, ERR_CONFIG_UNSUPPORTED, NULL,
                   "nothing can be booted from a device of model 'vfio-ap'");
    if (hostdev->type == HOSTDEV_MDEV && text_equal(hostdev->model, "vfio-pci") && hostdev->address &&
        hostdev->address->type != ADDRESS_PCI && hostdev->address->type != ADDRESS_UNASSIGNED)
        xml_refuse(x, &hostdev->address->type, ERR_XML, "pci",
                   "an address of type '%s' does not go with model 'vfio-pci'",
                   enum_word(&address_type_names, hostdev->address->type));
    if (hostdev->type == HOSTDEV_MDEV && !hostdev->model)
        xml_refuse(x, &hostdev->model, ERR_XML, "model='vfio-pci'", "a mediated device needs a model");
}

static void hostdev_check(void *self, struct xml_context *x)
{
    const struct hostdev *hostdev = self;
    bool capability = hostdev->type >= HOSTDEV_STORAGE;
    if (hostdev->mode == HOSTDEV_CAPABILITIES || capability)
        xml_refuse(x, &hostdev->mode, ERR_CONFIG_UNSUPPORTED, "subsystem",
                   "capabilities of the host are for containers");
    else
        check_source(hostdev, x);
}

#define SELF struct host_place
#define PLACE "Where it is on the host."
PART(pci_place, "address", PLACE,
    ATTR("domain", pci.domain, hex4, "PCI domain", ALWAYS, RANGE(0, 0xffff)),
    ATTR("bus", pci.bus, hex2, "PCI bus", ALWAYS, RANGE(0, 255)),
    ATTR("slot", pci.slot, hex2, "slot on the bus", ALWAYS, RANGE(0, 31)),
    ATTR("function", pci.function, hex1, "function in the slot", ALWAYS, RANGE(0, 7)));
PART(usb_place, "address", PLACE,
    ATTR("bus", usb.bus, u32, "USB bus", REQUIRED, ALWAYS),
    ATTR("device", usb.device, u32, "number on the bus", REQUIRED, ALWAYS),
    ATTR("port", usb.port, string, "port on the bus"));
PART(mdev_place, "address", PLACE, ATTR("uuid", uuid, string, "the device's uuid", REQUIRED));
PART(scsi_place, "address", PLACE,
    ATTR("bus", drive.bus, u32, "bus of the adapter", REQUIRED, ALWAYS),
    ATTR("target", drive.target, u32, "target on the bus", REQUIRED, ALWAYS),
    ATTR("unit", drive.unit, u32, "unit of the target", REQUIRED, ALWAYS));
#undef SELF

#define SELF struct hostdev
PART(vendor, "vendor", "Who made it.", ATTR("id", vendor, hex4, "number", REQUIRED, RANGE(0, 0xffff)));
PART(product, "product", "What it is.", ATTR("id", product, hex4, "number", REQUIRED, RANGE(0, 0xffff)));
PART(adapter, "adapter", "The host's adapter.",
    ATTR("name", adapter, string, "such as scsi_host0", REQUIRED));
PART(source, "source", "Which one it is.",
    ATTR("startupPolicy", startup_policy, startup_policy, "what happens if it is missing",
         IF(type, HOSTDEV_USB)),
    ATTR("guestReset", guest_reset, guest_reset, "may the guest reset it?", IF(type, HOSTDEV_USB)),
    INLINE(vendor, IF(type, HOSTDEV_USB)),
    INLINE(product, IF(type, HOSTDEV_USB)),
    INLINE(adapter, IF(type, HOSTDEV_SCSI)),
    CHILD(place, pci_place, IF(type, HOSTDEV_PCI)),
    CHILD(place, usb_place, IF(type, HOSTDEV_USB)),
    CHILD(place, mdev_place, IF(type, HOSTDEV_MDEV)),
    CHILD(place, scsi_place, IF(type, HOSTDEV_SCSI)));
PART(driver, "driver", "What holds it on the host.", ATTR("name", driver, hostdev_driver, "its name"));
PART(rom, "rom", "Its boot code.",
    ATTR("enabled", rom_enabled, yes_no, "is there any?"),
    ATTR("bar", rom_bar, on_off, "does the guest see it?"),
    ATTR("file", rom_file, string, "path of another one"));
BOOT_PART;
ALIAS_PART;

const struct element hostdev_element = ELEMENT_CHECKED("hostdev", "A device of the host.", hostdev_check,
    ATTR("mode", mode, hostdev_mode, "how it is taken", DEFAULT("subsystem")),
    ATTR("type", type, hostdev_type, "kind of device", REQUIRED),
    ATTR("managed", managed, yes_no, "take it from the host's driver at a start", DEFAULT("no")),
    ATTR("sgio", sgio, sgio, "which raw commands", IF(type, HOSTDEV_SCSI)),
    ATTR("rawio", rawio, yes_no, "may the guest send raw commands?", IF(type, HOSTDEV_SCSI)),
    ATTR("model", model, string, "model of the device", IF(type, HOSTDEV_MDEV, HOSTDEV_SCSI_HOST)),
    ATTR("display", display, on_off, "is it a screen?", IF(type, HOSTDEV_MDEV)),
    ATTR("ramfb", ramfb, on_off, "a screen for the firmware", IF(type, HOSTDEV_MDEV)),
    INLINE(driver), INLINE(source, REQUIRED),
    FLAG("readonly", readonly, "The guest cannot write to it.", IF(type, HOSTDEV_SCSI)),
    FLAG("shareable", shareable, "Several guests use it at once.", IF(type, HOSTDEV_SCSI)),
    INLINE(boot), INLINE(alias), INLINE(rom), CHILD(address, address_element));
