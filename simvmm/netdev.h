/* SPDX-License-Identifier: Apache-2.0 */
/* netdev.h - network back ends: they exist by name, and carry nothing. */
#pragma once
#include "simvmm/vm.h"

int netdev_create(struct vm *vm, const struct json *given, struct error *err);
int netdev_delete(struct vm *vm, const char *id, struct error *err);
struct netdev *netdev_find(const struct vm *vm, const char *id);
