/* SPDX-License-Identifier: Apache-2.0 */
/* tuning.h - <cputune>, <memtune>, <blkiotune>: a guest's share of the host.
 *
 * Pins and schedulers are threads' own and hold.  Shares, quotas and limits would need control groups, which
 * we do not have: they are kept, and a warning says that they have no effect.
 */
#pragma once
#include "conf/memory.h"
#include "xml/value.h"

#define SCHEDULERS(_) \
    _(SCHEDULER_BATCH, "batch") _(SCHEDULER_IDLE, "idle") _(SCHEDULER_FIFO, "fifo") _(SCHEDULER_RR, "rr")
DECLARE_ENUM(scheduler, SCHEDULER_ABSENT, SCHEDULERS);

/* <vcpupin>, <iothreadpin>: the host's processors for one thread. */
struct pin {
    struct extras extras;
    struct opt_u32 thread;
    const char *cpuset;
};

/* <vcpusched>, <iothreadsched>: how some threads are scheduled. */
struct schedule {
    struct extras extras;
    const char *threads;                        /* as a cpuset */
    enum scheduler scheduler;
    struct opt_u32 priority;                    /* of fifo and rr, 1 to 99 */
};

struct cputune {
    struct extras extras;
    struct opt_u64 shares, period, global_period, emulator_period, iothread_period;
    struct opt_i64 quota, global_quota, emulator_quota, iothread_quota;     /* microseconds; < 0: no limit */
    LIST_OF(struct pin) vcpu_pins, iothread_pins;
    const char *emulator_cpuset;
    LIST_OF(struct schedule) vcpu_schedules, iothread_schedules;
    enum scheduler emulator_scheduler;
    struct opt_u32 emulator_priority;
};

struct memtune {
    struct extras extras;
    struct memory_amount hard_limit, soft_limit, min_guarantee, swap_hard_limit;
};

struct blkio_device {
    struct extras extras;
    const char *path;
    struct opt_u32 weight;
    struct opt_u64 read_bytes, write_bytes, read_iops, write_iops;             /* in a second */
};

struct blkiotune {
    struct extras extras;
    struct opt_u32 weight;
    LIST_OF(struct blkio_device) devices;
};

DECLARE_ELEMENT(cputune_element, struct cputune);
DECLARE_ELEMENT(memtune_element, struct memtune);
DECLARE_ELEMENT(blkiotune_element, struct blkiotune);

struct domain_def;
struct xml_context;
void tuning_check(const struct domain_def *def, struct xml_context *x);    /* pins against what there is */
