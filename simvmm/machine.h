/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h - the machine itself: its name, memory, processors, accelerator, and the tree that comes with
 * them. */
#pragma once
#include "simvmm/vm.h"

/* Checks what was asked for together, and makes the machine's tree, as it is before any back end or
 * device. */
int machine_create(struct vm *vm, struct error *err);
/* With the memory back ends there: memory sizes, -machine properties, further processors. */
int machine_finish(struct vm *vm, struct error *err);
