/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_model.h - what -cpu says about a processor object: the model's properties and the features asked for.
 *
 * Models were harvested under TCG, so a feature that TCG cannot do stays off whoever asks for it, as in QEMU.
 */
#pragma once
#include "simvmm/vm.h"

/* Checks the names of all features asked for, against the first processor. */
int cpu_model_check(struct vm *vm, const struct qom_node *cpu, struct error *err);
/* query-cpu-model-expansion: {name, props}, all properties or only those that are the same on any host. */
const struct json *cpu_model_expand(struct vm *vm, const struct json *model, bool only_static,
                                    struct arena *arena, struct error *err);
/* Gives the object its model and features; `together` threads share its package. */
void cpu_model_apply(struct vm *vm, struct qom_node *cpu, unsigned together);
