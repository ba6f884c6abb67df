/* SPDX-License-Identifier: Apache-2.0 */
/* agent.h - the guest's agent (qemu-ga) on its channel. */
#pragma once
#include "simvmm/vm.h"

struct agent;

struct agent *agent_new(struct vm *vm, struct chardev *chardev);
void agent_free(struct agent *a);
void agent_input(struct agent *a, const char *bytes, size_t length);
