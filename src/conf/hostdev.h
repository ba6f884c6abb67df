/* SPDX-License-Identifier: Apache-2.0 */
/* hostdev.h - <hostdev>: a device of the host that is handed to the guest.
 *
 * Which members of the source mean something depends on the type.
 */
#pragma once
#include "conf/address.h"
#include "conf/disk.h"

#define HOSTDEV_MODES(_) _(HOSTDEV_SUBSYSTEM, "subsystem") _(HOSTDEV_CAPABILITIES, "capabilities")
DECLARE_ENUM(hostdev_mode, HOSTDEV_MODE_ABSENT, HOSTDEV_MODES);

#define HOSTDEV_TYPES(_) \
    _(HOSTDEV_USB, "usb") _(HOSTDEV_PCI, "pci") _(HOSTDEV_SCSI, "scsi") _(HOSTDEV_SCSI_HOST, "scsi_host") \
    _(HOSTDEV_MDEV, "mdev") _(HOSTDEV_STORAGE, "storage") _(HOSTDEV_MISC, "misc") _(HOSTDEV_NET, "net")
DECLARE_ENUM(hostdev_type, HOSTDEV_TYPE_ABSENT, HOSTDEV_TYPES);

#define GUEST_RESETS(_) \
    _(GUEST_RESET_OFF, "off") _(GUEST_RESET_UNINITIALIZED, "uninitialized") _(GUEST_RESET_ON, "on")
DECLARE_ENUM(guest_reset, GUEST_RESET_ABSENT, GUEST_RESETS);

/* Where it is on the host. */
struct host_place {
    struct extras extras;
    struct pci_address pci;                     /* HOSTDEV_PCI */
    struct { uint32_t bus, device; const char *port; } usb;     /* HOSTDEV_USB */
    const char *uuid;                           /* HOSTDEV_MDEV */
    struct drive_address drive;                 /* HOSTDEV_SCSI: on the adapter */
};

struct hostdev {
    struct extras extras;
    enum hostdev_mode mode;
    enum hostdev_type type;
    enum yes_no managed;
    const char *model;                          /* mdev, scsi_host: "vfio-pci" */
    enum on_off display, ramfb;                 /* mdev */
    enum yes_no rawio;
    const char *sgio;

    /* <source> */
    enum guest_reset guest_reset;               /* usb */
    enum startup_policy startup_policy;
    uint32_t vendor, product;                   /* usb; 0: not told apart by them */
    const char *adapter;                        /* scsi: "scsi_host0" */
    struct host_place *place;

    const char *driver;                         /* "vfio" */
    enum on_off rom_bar;
    enum yes_no rom_enabled;
    const char *rom_file;
    bool readonly, shareable;                   /* scsi */
    uint32_t boot_order;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(hostdev_element, struct hostdev);
