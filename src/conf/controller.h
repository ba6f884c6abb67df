/* SPDX-License-Identifier: Apache-2.0 */
/* controller.h - <controller>: what other devices are plugged into.
 *
 * Controllers of one type are told apart by index; only the four parts of an ich9 usb controller share one.
 */
#pragma once
#include "conf/address.h"
#include "conf/iothreads.h"
#include "conf/virtio.h"

#define CONTROLLER_TYPES(_) \
    _(CONTROLLER_IDE, "ide") _(CONTROLLER_FDC, "fdc") _(CONTROLLER_SCSI, "scsi") _(CONTROLLER_SATA, "sata") \
    _(CONTROLLER_VIRTIO_SERIAL, "virtio-serial") _(CONTROLLER_CCID, "ccid") _(CONTROLLER_USB, "usb") \
    _(CONTROLLER_PCI, "pci") _(CONTROLLER_XENBUS, "xenbus") _(CONTROLLER_ISA, "isa") \
    _(CONTROLLER_NVME, "nvme")
DECLARE_ENUM(controller_type, CONTROLLER_TYPE_ABSENT, CONTROLLER_TYPES);

/* Of all types in one list; controller_check() knows which goes with which. */
#define CONTROLLER_MODELS(_) \
    _(CONTROLLER_PCI_ROOT, "pci-root") _(CONTROLLER_PCIE_ROOT, "pcie-root") \
    _(CONTROLLER_PCI_BRIDGE, "pci-bridge") _(CONTROLLER_DMI_BRIDGE, "dmi-to-pci-bridge") \
    _(CONTROLLER_ROOT_PORT, "pcie-root-port") _(CONTROLLER_UPSTREAM_PORT, "pcie-switch-upstream-port") \
    _(CONTROLLER_DOWNSTREAM_PORT, "pcie-switch-downstream-port") \
    _(CONTROLLER_PCI_EXPANDER, "pci-expander-bus") _(CONTROLLER_PCIE_EXPANDER, "pcie-expander-bus") \
    _(CONTROLLER_PCIE_TO_PCI, "pcie-to-pci-bridge") _(CONTROLLER_PIIX3_UHCI, "piix3-uhci") \
    _(CONTROLLER_PIIX4_UHCI, "piix4-uhci") _(CONTROLLER_EHCI, "ehci") _(CONTROLLER_ICH9_EHCI1, "ich9-ehci1") \
    _(CONTROLLER_ICH9_UHCI1, "ich9-uhci1") _(CONTROLLER_ICH9_UHCI2, "ich9-uhci2") \
    _(CONTROLLER_ICH9_UHCI3, "ich9-uhci3") _(CONTROLLER_VT82C686B_UHCI, "vt82c686b-uhci") \
    _(CONTROLLER_PCI_OHCI, "pci-ohci") _(CONTROLLER_NEC_XHCI, "nec-xhci") _(CONTROLLER_QUSB1, "qusb1") \
    _(CONTROLLER_QUSB2, "qusb2") _(CONTROLLER_QEMU_XHCI, "qemu-xhci") _(CONTROLLER_USB_NONE, "none") \
    _(CONTROLLER_AUTO, "auto") _(CONTROLLER_BUSLOGIC, "buslogic") _(CONTROLLER_LSILOGIC, "lsilogic") \
    _(CONTROLLER_LSISAS1068, "lsisas1068") _(CONTROLLER_VMPVSCSI, "vmpvscsi") \
    _(CONTROLLER_IBMVSCSI, "ibmvscsi") _(CONTROLLER_VIRTIO_SCSI, "virtio-scsi") \
    _(CONTROLLER_LSISAS1078, "lsisas1078") _(CONTROLLER_VIRTIO, "virtio") \
    _(CONTROLLER_TRANSITIONAL, "virtio-transitional") \
    _(CONTROLLER_NON_TRANSITIONAL, "virtio-non-transitional") _(CONTROLLER_NCR53C90, "ncr53c90") \
    _(CONTROLLER_DC390, "dc390") _(CONTROLLER_AM53C974, "am53c974") _(CONTROLLER_PIIX3, "piix3") \
    _(CONTROLLER_PIIX4, "piix4") _(CONTROLLER_ICH6, "ich6")
DECLARE_ENUM(controller_model, CONTROLLER_MODEL_ABSENT, CONTROLLER_MODELS);

struct controller {
    struct extras extras;
    enum controller_type type;
    struct opt_u32 index;
    enum controller_model model;
    struct opt_u32 ports, vectors;              /* usb, virtio-serial */
    struct opt_u32 master_startport;            /* <master>: an ich9 companion */

    /* pci: <model name>, <target> */
    const char *pci_model;                      /* "pcie-root-port", "ioh3420"; the QEMU device */
    struct opt_u32 chassis_nr, chassis, port, bus_nr, target_index;
    enum on_off hotplug;

    /* <driver> */
    uint32_t queues, cmd_per_lun, max_sectors, iothread;
    LIST_OF(struct queue_thread) queue_threads;
    enum on_off ioeventfd;
    struct virtio_options virtio;

    const char *serial;                         /* nvme */
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(controller_element, struct controller);

/* The word QEMU's own command line uses for the index: a controller's index is always set after defaults. */
static inline uint32_t controller_index(const struct controller *controller)
{
    return controller->index.value;
}
