/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - QEMU's command line: which options there are, what each says, and in which order they take
 * effect.
 *
 * One table; a row is an option, its versions, how its text is written and the function that takes it.
 * Options that need others (a device its bus, a monitor its chardev) are kept and taken stage by stage, as
 * QEMU does.
 */
#pragma once
#include "simvmm/vm.h"

enum stage {
    STAGE_NOW,
    STAGE_EARLY,
    STAGE_BACKEND,
    STAGE_BLOCK,
    STAGE_MACHINE,
    STAGE_LATE,
    STAGE_MONITOR,
    STAGE_DEVICE,
    STAGE_DISPLAY,
    STAGES
};

/* Reads argv; what stands under STAGE_NOW takes effect at once. 1: it was -version, -help or the like, and
 * is done. */
int options_read(struct vm *vm, int argc, char **argv, struct error *err);
int options_apply(struct vm *vm, enum stage stage, struct error *err);
