/* SPDX-License-Identifier: Apache-2.0 */
/* io_limits.h - how fast a guest may use a disk, as its VMM is told. */
#pragma once
#include "conf/disk.h"
#include "loop/fiber.h"
#include "qemu/props.h"

struct domain;
struct domain_def;

/* The arguments of block_set_io_throttle for a disk that runs: all of <iotune>, none of it if there is none.
 */
void io_limits_begin(struct props *limits, const struct disk *disk);
/* `wanted` is what runs, but for the limits of that disk, which hold from now on.  Under the domain's job. */
WAITS int domain_set_io_limits(struct domain *dom, struct domain_def *wanted, const struct disk *disk,
                               struct error *err);
