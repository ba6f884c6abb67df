/* SPDX-License-Identifier: Apache-2.0 */
/* device_report.h - the devices of what runs, each with what was asked for it beside what is in effect.
 *
 * First those of the definition, in its order; then those that only its command line has (given by hand);
 * then those that nobody asked for.
 */
#pragma once
#include "base/vector.h"
#include "qemu/asked.h"
#include "loop/fiber.h"

struct domain;

enum { DEVICES_MAX = 4096, DEVICE_SETTINGS_MAX = 256 };

struct device_setting {
    const char *name;
    const char *asked, *effective; /* JSON text; NULL: nobody asked; it is not known */
    enum agreement agreement;      /* UNCOMPARED if one of them is NULL */
};

struct device_item {
    const char *alias;
    const char *kind;        /* its element: "disk"; "device" if the definition has none */
    const char *description; /* "disk 'vda'" */
    const char *path;        /* in the tree; NULL: it is no object of its own, or is missing */
    const char *type;        /* "virtio-blk-pci"; NULL as well */
    const char *address;     /* "pci.0 06.0"; NULL: it has none */
    const char *backend;     /* "blockdev libvirt-1-format (qcow2, /x.qcow2)"; NULL: none */
    VECTOR(struct device_setting) settings;
};

struct device_report {
    struct arena *arena;
    VECTOR(struct device_item) items;
};

/* All devices without settings, or the one of that alias with them; NULL with an error. */
WAITS struct device_report *domain_devices(struct domain *dom, const char *alias, bool refresh,
                                           struct error *err);
void device_report_free(struct device_report *report);
DEFINE_OWNED(device_report)
