/* SPDX-License-Identifier: Apache-2.0 */
/* property.h - setting an object's property from the command line or QMP, by its type. */
#pragma once
#include "simvmm/vm.h"

/* The value may be text ("on", "0x10", "64M") or, where `strict`, only JSON of the right type. A property
 * that a part of the object (the virtio device behind a PCI function) has under the same name and type is
 * the same property. */
int property_set(struct vm *vm, struct qom_node *node, const char *name, const struct json *value,
                 bool strict, struct error *err);
/* Whose property it is, for messages: the part's type, if the object has it from one. */
const char *property_owner(const struct qom_node *node, const char *name);
