/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - what -device and device_add make: a part of the tree at the right bus, with the values as given. */
#pragma once
#include "simvmm/vm.h"

struct device {
    const char *id;                     /* NULL if none was given */
    const char *driver;                 /* its type; an alias is resolved */
    struct qom_node *node, *bus;
    const char *drive;                  /* a block node's or drive's name; NULL */
    const char *chardev, *netdev;
};

/* `given` is the option's object: driver, id, bus, and properties. */
struct device *device_create(struct vm *vm, const struct json *given, bool at_run_time, struct error *err);
struct device *device_find(const struct vm *vm, const char *id_or_path);
void device_remove(struct vm *vm, struct device *device);
