/* SPDX-License-Identifier: Apache-2.0 */
/* io_limits.h - how fast a guest may use a disk, as its VMM is told. */
#pragma once
#include "conf/disk.h"
#include "loop/fiber.h"
#include "qemu/props.h"

struct domain;
struct domain_def;
struct vmm;

/* The arguments of block_set_io_throttle for a disk that runs: all of <iotune>, none of it if there is none.
 * An empty drive has no limits in QEMU: it gets them with its medium. */
void io_limits_begin(struct props *limits, const struct disk *disk);
WAITS int io_limits_apply(struct vmm *vmm, const struct disk *disk, struct error *err);
/* `wanted` is what runs, but for the limits of that disk, which hold from now on.  Under the domain's job. */
WAITS int domain_set_io_limits(struct domain *dom, struct domain_def *wanted, const struct disk *disk,
                               struct error *err);
