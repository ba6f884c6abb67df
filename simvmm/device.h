/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - what -device and device_add make: a part of the tree at the right bus, with the values as
 * given. */
#pragma once
#include "simvmm/vm.h"

struct device {
    const char *id;                     /* NULL if none was given */
    const char *driver;                 /* its type; an alias is resolved */
    struct qom_node *node, *bus;
    const char *drive;                  /* a block node's or drive's name; NULL */
    const char *chardev, *netdev;
    bool tray_open;
    struct latency { uint64_t *bounds; size_t count; } latency[4];     /* see latency.h */
    const char *io_status;              /* "ok" (or NULL), "failed", "nospace": until the machine goes on */
    bool filter_told;                   /* NIC_RX_FILTER_CHANGED was, and nobody has asked since */
};

enum device_flags {
    DEVICE_AT_RUN_TIME = 1,             /* device_add */
    DEVICE_STRICT = 2,                  /* written as JSON: "on" is no boolean */
};

/* `given` is the option's object: driver, id, bus, and properties. */
struct device *device_create(struct vm *vm, const struct json *given, int flags, struct error *err);
struct device *device_find(const struct vm *vm, const char *id_or_path);
void device_remove(struct vm *vm, struct device *device);

/* What QEMU takes as an id, of anything. */
bool device_is_good_id(const char *id);
#define DEVICE_BAD_ID \
    "Parameter 'id' expects an identifier\nIdentifiers consist of letters, digits, '-', '.', '_', " \
    "starting with a letter."
