/* SPDX-License-Identifier: Apache-2.0 */
/* address.h - <address>: where a device is plugged in.
 *
 * Only the group named by `type` means something.  A pci address of 0000:00:00.0 stands for "any place";
 * after defaults were filled in there are none of these left on machines whose addresses we assign.
 */
#pragma once
#include "xml/value.h"

#define ADDRESS_TYPES(_) \
    _(ADDRESS_PCI, "pci") _(ADDRESS_DRIVE, "drive") _(ADDRESS_VIRTIO_SERIAL, "virtio-serial") \
    _(ADDRESS_CCID, "ccid") _(ADDRESS_USB, "usb") _(ADDRESS_SPAPR_VIO, "spapr-vio") \
    _(ADDRESS_VIRTIO_S390, "virtio-s390") _(ADDRESS_CCW, "ccw") _(ADDRESS_VIRTIO_MMIO, "virtio-mmio") \
    _(ADDRESS_ISA, "isa") _(ADDRESS_DIMM, "dimm") _(ADDRESS_UNASSIGNED, "unassigned")
DECLARE_ENUM(address_type, ADDRESS_NONE, ADDRESS_TYPES);

struct pci_address {
    uint32_t domain, bus, slot, function;       /* bus: the index of the pci controller */
    enum on_off multifunction;
};

struct drive_address { uint32_t controller, bus, target, unit; };

struct address {
    struct extras extras;
    enum address_type type;
    struct pci_address pci;
    struct drive_address drive;
    struct { uint32_t controller, bus, port; } serial;          /* virtio-serial */
    struct { uint32_t controller, slot; } ccid;
    struct { uint32_t bus; const char *port; } usb;             /* port: "1" or "1.2.3" behind hubs */
    struct { uint32_t iobase, irq; } isa;
    struct { uint32_t cssid, ssid, devno; } ccw;
    struct { uint64_t base; struct opt_u32 slot; } dimm;
    uint64_t spapr_reg;
};

static inline bool pci_address_is_empty(const struct pci_address *pci)
{
    return !pci->domain && !pci->bus && !pci->slot && !pci->function;
}

DECLARE_ELEMENT(address_element, struct address);
