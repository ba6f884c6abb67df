/* SPDX-License-Identifier: Apache-2.0 */
/* object.h - what -object and object-add make. */
#pragma once
#include "simvmm/vm.h"

struct qom_node *object_create(struct vm *vm, const struct json *given, struct error *err);
int object_delete(struct vm *vm, const char *id, struct error *err);
/* Whether such objects are made before back ends and the machine (secrets are), or after. */
bool object_is_early(const char *type);
