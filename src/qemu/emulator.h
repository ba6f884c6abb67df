/* SPDX-License-Identifier: Apache-2.0 */
/* emulator.h - which program runs guests here, and as whom: the settings of src/qemu, resolved. */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

#include "qemu/operations.h"

const struct operations_settings *settings_now(void);

/* The simulator's own option, or NULL for any other program. */
const char *emulator_sim_options(const char *emulator);
bool emulator_is_sim(const char *emulator);

/* Who the guests run as. */
struct emulator_owner {
    uid_t user;                         /* (uid_t) -1: as we do */
    gid_t group;
    gid_t *groups;
    size_t groups_count;
};
const struct emulator_owner *emulator_owner(void);

void emulator_settings_done(void);
