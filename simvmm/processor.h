/* SPDX-License-Identifier: Apache-2.0 */
/* processor.h - -smp and -cpu: the topology, and the CPU objects. */
#pragma once
#include "simvmm/vm.h"

int processor_check_topology(struct vm *vm, unsigned most, struct error *err);
int processor_create_all(struct vm *vm, struct error *err);
/* The n-th processor's place in the topology. */
struct processor_place { unsigned socket, die, module, core, thread; };
struct processor_place processor_place(const struct vm *vm, unsigned index);
struct qom_node *processor_node(const struct vm *vm, unsigned index);
