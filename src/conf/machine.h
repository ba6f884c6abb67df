/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h - what follows from the machine's name.  Private to src/conf. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct domain_def;

enum machine_kind {
    MACHINE_OTHER,              /* kept, without addresses; a start is refused, but for microvm */
    MACHINE_PC,                 /* i440fx */
    MACHINE_Q35,
};

enum machine_kind machine_kind(const struct domain_def *def);
bool machine_is_microvm(const struct domain_def *def);     /* virtio devices on a bus without addresses */
bool machine_is_x86(const struct domain_def *def);
uint32_t machine_max_vcpus(enum machine_kind kind);
