/* SPDX-License-Identifier: Apache-2.0 */
/* bus.h - where a device plugs in, and what its place there is called. */
#pragma once
#include "simvmm/vm.h"

/* The named bus, or the first of that kind that has room. */
struct qom_node *bus_find(struct vm *vm, const char *driver, const char *kind, const char *name,
                          struct error *err);
/* Gives the new device its address on the bus (PCI slot, SCSI id, IDE unit, port number ...) and checks
 * the one it was given. Its properties are set, and it is not on the bus yet. */
int bus_place(struct vm *vm, struct qom_node *bus, struct qom_node *node, const struct json *given,
              struct error *err);
void bus_attach(struct vm *vm, struct qom_node *bus, struct qom_node *node);
