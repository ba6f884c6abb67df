/* SPDX-License-Identifier: Apache-2.0 */
/* What a start asks of the host beside a process: its environment, the processors of its threads. */
#include "qemu/launch.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "conf/cpuset.h"
#include "conf/passthrough.h"
#include "json/json.h"

/* --- what the host does not offer --- */

int launch_check_host(const struct domain_def *def, struct error *err)
{
    const struct numatune *numa = def->numatune;
    bool automatic = def->vcpu_placement == VCPU_AUTO && !def->cpuset;
    if (automatic || (numa && numa->placement == NUMA_PLACEMENT_AUTO && !numa->nodeset))
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "%s: placement 'auto' needs numad, which domusd does not ask; say 'static'",
                    automatic ? "<vcpu>" : "<numatune>");
    for (size_t i = 0; i < def->seclabels.count; i++)
        if (def->seclabels.items[i]->type == SECLABEL_STATIC)
            return fail(err, ERR_CONFIG_UNSUPPORTED,
                        "<seclabel>: static labels of '%s' are not supported; a guest runs as emulator_user",
                        def->seclabels.items[i]->model);
    return 0;
}

/* Kept, and said at define; here once more for who reads the log of a guest that takes too much. */
static void warn_of_limits(const struct domain *dom, const struct domain_def *def)
{
    const struct cputune *cpu = def->cputune;
    bool limited = cpu && (cpu->shares.set || cpu->quota.value > 0 || cpu->global_quota.value > 0 ||
                           cpu->emulator_quota.value > 0 || cpu->iothread_quota.value > 0);
    if (limited || def->memtune || def->blkiotune)
        log_warning("domain '%s': its %s are not enforced: they would need control groups", dom->name,
                    limited ? "shares and quotas of processors"
                            : def->memtune ? "memory limits" : "disk shares");
}

/* --- environment --- */

static void add_variable(void *arg, const char *name, const char *value)
{
    struct argv *environment = arg;
    owned_memory char *text = memory_printf("%s=%s", name, value);
    argv_add(environment, text);
}

void launch_environment(const struct domain_def *def, struct argv *ret_environment)
{
    argv_add(ret_environment, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    argv_add(ret_environment, "LC_ALL=C");
    if (def->clock.offset == CLOCK_TIMEZONE)
        add_variable(ret_environment, "TZ", def->clock.timezone);
    passthrough_each_variable(def, add_variable, ret_environment);
}

/* --- processors --- */

static int pin(pid_t thread, const char *cpuset, const char *what, struct error *err)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    const char *at = cpuset;
    for (unsigned first, last; cpuset_next(&at, &first, &last); )
        for (unsigned cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
            CPU_SET(cpu, &set);
    if (!cpuset && sched_getaffinity(0, sizeof set, &set) < 0)
        return fail_errno(err, errno, "cannot ask where we may run");
    if (sched_setaffinity(thread, sizeof set, &set) == 0)
        return 0;
    if (errno == EINVAL)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "%s cannot be pinned to '%s': this host has none of these processors", what, cpuset);
    return fail_errno(err, errno, "%s cannot be pinned to '%s'", what, cpuset);
}

static int schedule(pid_t thread, enum scheduler scheduler, struct opt_u32 priority, const char *what,
                    struct error *err)
{
    static const int policies[] = {
        [SCHEDULER_BATCH] = SCHED_BATCH, [SCHEDULER_IDLE] = SCHED_IDLE, [SCHEDULER_FIFO] = SCHED_FIFO,
        [SCHEDULER_RR] = SCHED_RR,
    };
    const struct sched_param param = { .sched_priority = (int) priority.value };
    if (scheduler && sched_setscheduler(thread, policies[scheduler], &param) < 0)
        return fail_errno(err, errno, "%s cannot be scheduled as '%s'", what,
                          enum_word(&scheduler_names, scheduler));
    return 0;
}

/* While it waits at its gate: all its threads will begin so. */
int launch_pin_process(const struct launch *launch, struct error *err)
{
    const struct domain_def *def = launch->vmm->def;
    const struct cputune *tune = def->cputune;
    pid_t pid = process_identity(launch->vmm->process)->pid;
    const char *cpuset = tune && tune->emulator_cpuset ? tune->emulator_cpuset : def->cpuset;
    warn_of_limits(launch->domain, def);
    if (cpuset && pin(pid, cpuset, "the emulator", err) < 0)
        return -1;
    return tune ? schedule(pid, tune->emulator_scheduler, tune->emulator_priority, "the emulator", err) : 0;
}

bool launch_pins_threads(const struct domain_def *def)
{
    const struct cputune *tune = def->cputune;
    return tune && (tune->vcpu_pins.count || tune->iothread_pins.count || tune->vcpu_schedules.count ||
                    tune->iothread_schedules.count || tune->emulator_cpuset || tune->emulator_scheduler);
}

/* What the table says of one thread. */
struct wish { const char *cpuset; enum scheduler scheduler; struct opt_u32 priority; };

static const char *find_pin(struct pin *const *pins, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (pins[i]->thread.value == number)
            return pins[i]->cpuset;
    return NULL;
}

static void find_schedule(struct schedule *const *schedules, size_t count, uint32_t number, struct wish *wish)
{
    for (size_t i = 0; i < count; i++) {
        const char *at = schedules[i]->threads;
        for (unsigned first, last; cpuset_next(&at, &first, &last); )
            if (number >= first && number <= last) {
                wish->scheduler = schedules[i]->scheduler;
                wish->priority = schedules[i]->priority;
            }
    }
}

/* The number is the VMM's word: it must be a thread of that process. */
static int check_thread(const struct launch *launch, int64_t thread, struct error *err)
{
    pid_t pid = process_identity(launch->vmm->process)->pid;
    owned_memory char *path = memory_printf("/proc/%d/task/%lld", (int) pid, (long long) thread);
    if (thread <= 0 || access(path, F_OK) < 0)
        return fail(err, ERR_VMM, "the emulator names thread %lld, which is none of its own",
                    (long long) thread);
    return 0;
}

static int apply(const struct launch *launch, const struct json *item, const struct wish *wish,
                 const char *what, struct error *err)
{
    const struct cputune *tune = launch->vmm->def->cputune;
    const char *cpuset = wish->cpuset ? wish->cpuset : launch->vmm->def->cpuset;
    int64_t thread = 0;
    if (!json_to_i64(json_get(item, "thread-id"), &thread) || check_thread(launch, thread, err) < 0)
        return -1;
    if ((cpuset || tune->emulator_cpuset) && pin((pid_t) thread, cpuset, what, err) < 0)
        return -1;
    enum scheduler scheduler = wish->scheduler;
    if (scheduler)
        return schedule((pid_t) thread, scheduler, wish->priority, what, err);
    if (!tune->emulator_scheduler)
        return 0;
    const struct sched_param none = { 0 };
    return sched_setscheduler((pid_t) thread, SCHED_OTHER, &none) == 0 ? 0
        : fail_errno(err, errno, "%s cannot be scheduled as others are", what);
}

static int apply_to_vcpus(const struct launch *launch, const struct json *vcpus, struct error *err)
{
    const struct cputune *tune = launch->vmm->def->cputune;
    const struct json *item;
    for (size_t i = 0; (item = json_at(vcpus, i)) != NULL; i++) {
        uint64_t number;
        if (!json_to_u64(json_get(item, "cpu-index"), &number))
            continue;
        owned_memory char *what = memory_printf("vcpu %u", (unsigned) number);
        struct wish wish = {
            find_pin(tune->vcpu_pins.items, tune->vcpu_pins.count, (uint32_t) number), SCHEDULER_ABSENT, { 0 }
        };
        find_schedule(tune->vcpu_schedules.items, tune->vcpu_schedules.count, (uint32_t) number, &wish);
        if (apply(launch, item, &wish, what, err) < 0)
            return -1;
    }
    return 0;
}

static int apply_to_iothreads(const struct launch *launch, const struct json *threads, struct error *err)
{
    const struct cputune *tune = launch->vmm->def->cputune;
    const struct json *item;
    for (size_t i = 0; (item = json_at(threads, i)) != NULL; i++) {
        const char *id = json_get_text(item, "id");
        uint64_t number;
        if (!id || !text_starts(id, "iothread") || !text_to_u64(id + strlen("iothread"), UINT32_MAX, &number))
            continue;
        struct wish wish = {
            find_pin(tune->iothread_pins.items, tune->iothread_pins.count, (uint32_t) number),
            SCHEDULER_ABSENT, { 0 }
        };
        find_schedule(tune->iothread_schedules.items, tune->iothread_schedules.count, (uint32_t) number,
                      &wish);
        if (apply(launch, item, &wish, id, err) < 0)
            return -1;
    }
    return 0;
}

int launch_pin_threads(const struct launch *launch, struct error *err)
{
    if (!launch->vcpus)
        return 0;
    return apply_to_vcpus(launch, launch->vcpus->reply.value, err) < 0 ? -1
        : apply_to_iothreads(launch, launch->iothreads->reply.value, err);
}
