/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/tuning.h"

#include "conf/cpuset.h"
#include "conf/domain_def.h"
#include "conf/rows.h"

#define NO_EFFECT "is kept but has no effect: it would need control groups, which domusd does not use"

DEFINE_ENUM_CODEC(scheduler, SCHEDULERS);

/* --- checks --- */

static void check_pins(struct pin *const *pins, size_t count, const char *what, struct xml_context *x)
{
    bool seen[CPUSET_MAX] = { false };
    for (size_t i = 0; i < count; i++) {
        uint32_t thread = pins[i]->thread.value;
        if (thread < CPUSET_MAX && seen[thread])
            xml_refuse(x, &pins[i]->thread, ERR_XML, NULL, "%s %u is pinned twice", what, thread);
        if (thread < CPUSET_MAX)
            seen[thread] = true;
    }
}

static bool is_realtime(enum scheduler scheduler)
{
    return scheduler == SCHEDULER_FIFO || scheduler == SCHEDULER_RR;
}

static void check_schedules(struct schedule *const *schedules, size_t count, const char *what,
                            struct xml_context *x)
{
    bool claimed[CPUSET_MAX] = { false };
    for (size_t i = 0; i < count; i++) {
        const struct schedule *schedule = schedules[i];
        if (schedule->threads && !cpuset_claim(schedule->threads, claimed))
            xml_refuse(x, &schedule->threads, ERR_XML_SYNTAX, NULL, "%s %s are scheduled twice", what,
                       schedule->threads);
        if (is_realtime(schedule->scheduler) && !schedule->priority.set)
            xml_refuse(x, &schedule->scheduler, ERR_XML, "priority='1' to '99'",
                       "scheduler '%s' needs a priority",
                       enum_word(&scheduler_names, schedule->scheduler));
    }
}

/* 0 is as good as nothing. */
static void check_range(const struct opt_u64 *number, const char *what, uint64_t low, uint64_t high,
                        struct xml_context *x)
{
    if (number->value && (number->value < low || number->value > high))
        xml_refuse(x, number, ERR_XML, NULL, "cputune/%s is a number from %llu to %llu", what,
                   (unsigned long long) low, (unsigned long long) high);
}

static void check_numbers(const struct cputune *tune, struct xml_context *x)
{
    enum { PERIOD_LEAST = 1000, PERIOD_MOST = 1000000 };
    check_range(&tune->shares, "shares", 2, 262144, x);
    check_range(&tune->period, "period", PERIOD_LEAST, PERIOD_MOST, x);
    check_range(&tune->global_period, "global_period", PERIOD_LEAST, PERIOD_MOST, x);
    check_range(&tune->emulator_period, "emulator_period", PERIOD_LEAST, PERIOD_MOST, x);
    check_range(&tune->iothread_period, "iothread_period", PERIOD_LEAST, PERIOD_MOST, x);
}

static void warn_of_limits(const struct cputune *tune, struct xml_context *x)
{
    const struct { const struct opt_i64 *value; const char *name; } quotas[] = {
        { &tune->quota, "quota" }, { &tune->global_quota, "global_quota" },
        { &tune->emulator_quota, "emulator_quota" }, { &tune->iothread_quota, "iothread_quota" },
    };
    if (tune->shares.value)
        xml_warn(x, &tune->shares, "cputune/shares " NO_EFFECT);
    for (size_t i = 0; i < ARRAY_COUNT(quotas); i++)
        if (quotas[i].value->value > 0)
            xml_warn(x, quotas[i].value, "cputune/%s " NO_EFFECT, quotas[i].name);
}

static void cputune_check(void *self, struct xml_context *x)
{
    const struct cputune *tune = self;
    check_pins(tune->vcpu_pins.items, tune->vcpu_pins.count, "vcpu", x);
    check_pins(tune->iothread_pins.items, tune->iothread_pins.count, "iothread", x);
    check_schedules(tune->vcpu_schedules.items, tune->vcpu_schedules.count, "vcpus", x);
    check_schedules(tune->iothread_schedules.items, tune->iothread_schedules.count, "iothreads", x);
    if (is_realtime(tune->emulator_scheduler) && !tune->emulator_priority.set)
        xml_refuse(x, &tune->emulator_scheduler, ERR_XML, "priority='1' to '99'",
                   "the emulator's scheduler needs a priority");
    check_numbers(tune, x);
    warn_of_limits(tune, x);
}

static void memtune_check(void *self, struct xml_context *x)
{
    const struct memtune *tune = self;
    const struct { const struct memory_amount *value; const char *name; } limits[] = {
        { &tune->hard_limit, "hard_limit" }, { &tune->soft_limit, "soft_limit" },
        { &tune->min_guarantee, "min_guarantee" }, { &tune->swap_hard_limit, "swap_hard_limit" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(limits); i++)
        if (limits[i].value->kib)
            xml_warn(x, limits[i].value, "memtune/%s " NO_EFFECT, limits[i].name);
}

static void blkiotune_check(void *self, struct xml_context *x)
{
    const struct blkiotune *tune = self;
    if (tune->weight.value)
        xml_warn(x, &tune->weight, "blkiotune/weight " NO_EFFECT);
}

static void blkio_device_check(void *self, struct xml_context *x)
{
    xml_warn(x, self, "blkiotune/device " NO_EFFECT);
}

void tuning_check(const struct domain_def *def, struct xml_context *x)
{
    const struct cputune *tune = def->cputune;
    if (def->partition)
        xml_warn(x, &def->partition, "resource/partition " NO_EFFECT);
    for (size_t i = 0; tune && i < tune->iothread_pins.count; i++)
        if (!iothreads_have(&def->iothreads, tune->iothread_pins.items[i]->thread.value))
            xml_refuse(x, &tune->iothread_pins.items[i]->thread, ERR_CONFIG_UNSUPPORTED, NULL,
                       "there is no iothread %u", tune->iothread_pins.items[i]->thread.value);
    for (size_t i = 0; tune && i < tune->iothread_schedules.count; i++) {
        const char *at = tune->iothread_schedules.items[i]->threads;
        for (unsigned first, last; cpuset_next(&at, &first, &last); )
            for (unsigned id = first; id <= last; id++)
                if (!iothreads_have(&def->iothreads, id)) {
                    xml_refuse(x, &tune->iothread_schedules.items[i]->threads, ERR_CONFIG_UNSUPPORTED, NULL,
                               "there is no iothread %u", id);
                    break;
                }
    }
}

/* --- tables --- */

#define SELF struct pin
PART(vcpu_pin_element, "vcpupin", "The host's processors for a vcpu.",
    ATTR("vcpu", thread, opt_u32, "number of the vcpu", REQUIRED),
    ATTR("cpuset", cpuset, cpuset, "processors of the host", REQUIRED, CODE(ERR_INVALID_ARG)));
PART(iothread_pin_element, "iothreadpin", "The host's processors for an iothread.",
    ATTR("iothread", thread, opt_u32, "number of the iothread", REQUIRED),
    ATTR("cpuset", cpuset, cpuset, "processors of the host", REQUIRED, CODE(ERR_INVALID_ARG)));
#undef SELF

#define SCHEDULE_ROWS \
    ATTR("scheduler", scheduler, scheduler, "which one", REQUIRED), \
    ATTR("priority", priority, opt_u32, "priority", RANGE(1, 99), IF(scheduler, SCHEDULER_FIFO, SCHEDULER_RR))
#define SELF struct schedule
PART(vcpu_schedule_element, "vcpusched", "How vcpus are scheduled.",
    ATTR("vcpus", threads, cpuset, "the vcpus", REQUIRED, CODE(ERR_INVALID_ARG)), SCHEDULE_ROWS);
PART(iothread_schedule_element, "iothreadsched", "How iothreads are scheduled.",
    ATTR("iothreads", threads, cpuset, "the iothreads", REQUIRED, CODE(ERR_INVALID_ARG)), SCHEDULE_ROWS);
#undef SELF

#define PERIOD(word, member) LEAF(word, member, opt_u64, "length of an accounting period in microseconds")
#define QUOTA(word, member) LEAF(word, member, opt_i64, "microseconds in a period; below 0: no limit")
#define SELF struct cputune
PART(emulatorpin, "emulatorpin", "The host's processors for everything else.",
    ATTR("cpuset", emulator_cpuset, cpuset, "processors of the host", REQUIRED, CODE(ERR_INVALID_ARG)));
PART(emulatorsched, "emulatorsched", "How everything else is scheduled.",
    ATTR("scheduler", emulator_scheduler, scheduler, "which one", REQUIRED),
    ATTR("priority", emulator_priority, opt_u32, "priority", RANGE(1, 99),
         IF(emulator_scheduler, SCHEDULER_FIFO, SCHEDULER_RR)));

const struct element cputune_element = ELEMENT_CHECKED("cputune", "Processor time.", cputune_check,
    LEAF("shares", shares, opt_u64, "weight"),
    PERIOD("period", period), QUOTA("quota", quota),
    PERIOD("global_period", global_period), QUOTA("global_quota", global_quota),
    PERIOD("emulator_period", emulator_period), QUOTA("emulator_quota", emulator_quota),
    PERIOD("iothread_period", iothread_period), QUOTA("iothread_quota", iothread_quota),
    LIST(vcpu_pins, vcpu_pin_element), INLINE(emulatorpin), LIST(iothread_pins, iothread_pin_element),
    LIST(vcpu_schedules, vcpu_schedule_element), LIST(iothread_schedules, iothread_schedule_element),
    INLINE(emulatorsched));
#undef SELF

#define SELF struct memory_amount
#define LIMIT(table, word, text) \
    PART_CHECKED(table, word, text, memory_check, \
        ATTR("unit", unit, string, "unit of the amount", DEFAULT("KiB")), TEXT(kib, u64, "amount", REQUIRED))
LIMIT(hard_limit, "hard_limit", "What it may use at most.");
LIMIT(soft_limit, "soft_limit", "What it keeps when memory is short.");
LIMIT(min_guarantee, "min_guarantee", "What it always has.");
LIMIT(swap_hard_limit, "swap_hard_limit", "What it may use with swap.");
#undef SELF

#define SELF struct memtune
const struct element memtune_element = ELEMENT_CHECKED("memtune", "Limits of memory.", memtune_check,
    NESTED(hard_limit, hard_limit), NESTED(soft_limit, soft_limit), NESTED(min_guarantee, min_guarantee),
    NESTED(swap_hard_limit, swap_hard_limit));
#undef SELF

#define SELF struct blkio_device
PART_CHECKED(blkio_device_element, "device", "Limits of one block device.", blkio_device_check,
    LEAF("path", path, string, "the device", REQUIRED),
    LEAF("weight", weight, opt_u32, "share"),
    LEAF("read_iops_sec", read_iops, opt_u64, "reads in a second"),
    LEAF("write_iops_sec", write_iops, opt_u64, "writes in a second"),
    LEAF("read_bytes_sec", read_bytes, opt_u64, "bytes read in a second"),
    LEAF("write_bytes_sec", write_bytes, opt_u64, "bytes written in a second"));
#undef SELF

#define SELF struct blkiotune
const struct element blkiotune_element = ELEMENT_CHECKED("blkiotune", "Shares of disks.", blkiotune_check,
    LEAF("weight", weight, opt_u32, "share", RANGE(10, 1000)),
    LIST(devices, blkio_device_element));
