/* SPDX-License-Identifier: Apache-2.0 */
/* guest_stats.h - what the guest tells through its balloon: its memory, every so many seconds. */
#pragma once
#include "simvmm/vm.h"

/* Of guest-stats-polling-interval; -1 with QEMU's refusal. */
int guest_stats_check(const struct json *interval, struct error *err);
/* It was set; 0 ends it. */
void guest_stats_poll(struct vm *vm, struct qom_node *node, uint64_t seconds);
void guest_stats_resume(struct vm *vm);                 /* a reset forgot what was planned */
