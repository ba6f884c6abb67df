/* SPDX-License-Identifier: Apache-2.0 */
/* throttle.h - limits on a device's requests, as block_set_io_throttle sets and query-block shows them.
 *
 * Devices of one group share the limits.
 */
#pragma once
#include "simvmm/vm.h"

/* In the order of QEMU's argument list: bps, bps_rd, bps_wr, iops, iops_rd, iops_wr. */
enum { THROTTLE_KINDS = 6 };

struct throttle {
    char *group;
    unsigned users;
    int64_t average[THROTTLE_KINDS], burst[THROTTLE_KINDS], seconds[THROTTLE_KINDS];
    int64_t request_size;
};

/* Sets the limits of the device's group; all zero: none any more. */
int throttle_set(struct vm *vm, struct throttle **throttle, const char *device, const struct json *given,
                 struct error *err);
void throttle_leave(struct vm *vm, struct throttle *throttle);
void throttle_add(const struct throttle *throttle, struct json *value, struct arena *a);
