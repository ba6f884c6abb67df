/* SPDX-License-Identifier: Apache-2.0 */
/* reconnect.h - a guest that runs, and whose monitor we have to connect to once more: after a restart of
 * ours, or because it was silent for too long, closed, or said what is not QMP.
 *
 * Its VMM is not ended for that: its host may be short of breath, and its guest of more worth than our
 * answer.
 */
#pragma once
#include "qemu/vmm.h"

/* Takes state and ptys from the VMM.  `known` and `reason` are what was known last: a reason that still fits
 * stays. 1: it waits for a `cont` that it was never sent.  -1: no monitor. */
WAITS int vmm_reconnect(struct vmm *vmm, enum domain_state known, int reason, struct error *err);
/* The same for a monitor that is connected already. */
WAITS int vmm_ask_again(struct vmm *vmm, enum domain_state known, int reason, struct error *err);
/* Tries for some seconds to get a monitor that answers; what it reports goes nowhere yet.  NULL: there is
 * none. */
WAITS struct monitor *reconnect_try(const char *socket, const char *subject, struct error *err);
/* In the background, as a job of its own. */
void vmm_read_tree_later(struct vmm *vmm);
