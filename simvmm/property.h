/* SPDX-License-Identifier: Apache-2.0 */
/* property.h - setting an object's property from the command line or QMP, by its type. */
#pragma once
#include "simvmm/vm.h"

/* The value may be text ("on", "0x10", "64M") or JSON of the right type.  A property that a part of the object (a
 * virtio device behind its PCI function) has under the same name and type is the same property. */
int property_set(struct vm *vm, struct qom_node *node, const char *name, const struct json *value, struct error *err);
