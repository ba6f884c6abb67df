/* SPDX-License-Identifier: Apache-2.0 */
/* A domain's processors: how many, how busy, and where on the host they may run. */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/affect.h"
#include "daemon/host_usage.h"
#include "daemon/request.h"
#include "daemon/usage.h"
#include "qemu/figures.h"

/* VIR_DOMAIN_VCPU_*, beside the bits of affect.h. */
enum { VCPU_MAXIMUM = 4, VCPU_GUEST = 8 };
enum { VCPU_STATE_RUNNING = 1 };
enum { REPLY_VCPUS_MAX = 16384, REPLY_MAPS_MAX = 8388608 };

int on_domain_get_vcpus_flags(struct request *request, const remote_domain_get_vcpus_flags_args *args,
                              remote_domain_get_vcpus_flags_ret *ret, struct error *err)
{
    if (check_flags(args->flags, AFFECT_BOTH | VCPU_MAXIMUM | VCPU_GUEST, err) < 0)
        return -1;
    if (args->flags & VCPU_GUEST)
        return domain_check_active(request->dom, err) < 0 ? -1
             : fail(err, ERR_AGENT, "QEMU guest agent is not connected");
    const struct domain_def *def = affect_definition(request->dom, args->flags, err);
    if (!def)
        return -1;
    ret->num = (int) (args->flags & VCPU_MAXIMUM ? def->max_vcpus : def->vcpus);
    return 0;
}

/* --- maps: `length` bytes each, one after the other --- */

static int check_maps(int count, int length, struct error *err)
{
    if (count < 0 || length < 0 || count > REPLY_VCPUS_MAX || (int64_t) count * length > REPLY_MAPS_MAX)
        return fail(err, ERR_INVALID_ARG, "%d processor maps of %d bytes are more than a reply holds", count,
                    length);
    return 0;
}

/* Where the definition lets processors run: everywhere, if it does not say. */
static void map_of_definition(const struct domain_def *def, unsigned char *map, size_t length)
{
    struct host_cpu_map host;
    unsigned count = (unsigned) (length * 8);
    host_cpu_map_read(&host);
    count = count < host.cpus ? count : host.cpus;
    if (def->cpuset) {
        cpu_map_parse(def->cpuset, count, map);
        return;
    }
    for (unsigned cpu = 0; cpu < count; cpu++)
        map[cpu / 8] |= (unsigned char) (1u << cpu % 8);
}

/* Where the kernel lets a thread run. */
static void map_of_thread(int thread, unsigned char *map, size_t length)
{
    cpu_set_t set;
    if (!thread || sched_getaffinity(thread, sizeof set, &set) < 0)
        return;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && cpu / 8 < length; cpu++)
        if (CPU_ISSET(cpu, &set))
            map[cpu / 8] |= (unsigned char) (1u << cpu % 8);
}

int on_domain_get_vcpus(struct request *request, const remote_domain_get_vcpus_args *args,
                        remote_domain_get_vcpus_ret *ret, struct error *err)
{
    struct domain *dom = request->dom;
    if (domain_check_active(dom, err) < 0)
        return fail(err, ERR_OPERATION_INVALID, "cannot retrieve vcpu information on inactive domain");
    if (check_maps(args->maxinfo, args->maplen, err) < 0)
        return -1;
    owned(figures) struct figures *figures = figures_ask(dom, FIGURES_CPUS, err);
    if (!figures || figures_wait(figures, err) < 0)
        return -1;

    size_t count = figures_threads(figures), length = (size_t) args->maplen;
    count = count < (size_t) args->maxinfo ? count : (size_t) args->maxinfo;
    ret->info.info_val = memory_new((count + 1) * sizeof *ret->info.info_val);
    ret->info.info_len = (unsigned) count;
    ret->cpumaps.cpumaps_val = memory_new(count * length + 1);
    ret->cpumaps.cpumaps_len = (unsigned) (count * length);
    for (unsigned i = 0; i < count; i++) {
        struct usage usage = { 0 };
        int thread = figures_thread(figures, i);
        usage_of_thread(dom, thread, &usage);
        ret->info.info_val[i] =
            (remote_vcpu_info) { i, VCPU_STATE_RUNNING, usage.user_ns + usage.system_ns, usage.cpu };
        map_of_thread(thread, (unsigned char *) ret->cpumaps.cpumaps_val + i * length, length);
    }
    return 0;
}

/* --- where they may run --- */

static bool is_about_live(const struct domain *dom, const struct domain_def *def)
{
    return dom->live && def == dom->live;
}

int on_domain_get_vcpu_pin_info(struct request *request, const remote_domain_get_vcpu_pin_info_args *args,
                                remote_domain_get_vcpu_pin_info_ret *ret, struct error *err)
{
    if (check_flags(args->flags, AFFECT_BOTH, err) < 0 || check_maps(args->ncpumaps, args->maplen, err) < 0)
        return -1;
    const struct domain_def *asked = affect_definition(request->dom, args->flags, err);
    if (!asked)
        return -1;
    owned(domain_def) struct domain_def *def = domain_def_ref(asked);
    owned(figures) struct figures *figures = NULL;
    if (is_about_live(request->dom, def) &&
        (!(figures = figures_ask(request->dom, FIGURES_CPUS, err)) || figures_wait(figures, err) < 0))
        return -1;
    size_t count = def->max_vcpus < (unsigned) args->ncpumaps ? def->max_vcpus : (size_t) args->ncpumaps;
    size_t length = (size_t) args->maplen;
    ret->cpumaps.cpumaps_val = memory_new(count * length + 1);
    ret->cpumaps.cpumaps_len = (unsigned) (count * length);
    for (unsigned i = 0; i < count; i++) {
        unsigned char *map = (unsigned char *) ret->cpumaps.cpumaps_val + i * length;
        int thread = figures ? figures_thread(figures, i) : 0;
        if (thread)
            map_of_thread(thread, map, length);
        else
            map_of_definition(def, map, length);
    }
    ret->num = (int) count;
    return 0;
}

int on_domain_get_emulator_pin_info(struct request *request,
                                    const remote_domain_get_emulator_pin_info_args *args,
                                    remote_domain_get_emulator_pin_info_ret *ret, struct error *err)
{
    if (check_flags(args->flags, AFFECT_BOTH, err) < 0 || check_maps(1, args->maplen, err) < 0)
        return -1;
    const struct domain_def *def = affect_definition(request->dom, args->flags, err);
    if (!def)
        return -1;
    ret->cpumaps.cpumaps_len = (unsigned) args->maplen;
    ret->cpumaps.cpumaps_val = memory_new((size_t) args->maplen + 1);
    if (is_about_live(request->dom, def))
        map_of_thread((int) request->dom->process.pid, (unsigned char *) ret->cpumaps.cpumaps_val,
                      (size_t) args->maplen);
    else
        map_of_definition(def, (unsigned char *) ret->cpumaps.cpumaps_val, (size_t) args->maplen);
    ret->ret = 1;
    return 0;
}

/* What is stored cannot say it yet, so this holds until the domain ends. */
static int check_pin(const struct domain *dom, unsigned flags, struct error *err)
{
    unsigned affected = 0;
    if (check_flags(flags, AFFECT_BOTH, err) < 0 || affect_resolve(dom, flags, &affected, err) < 0)
        return -1;
    if (affected & AFFECT_CONFIG)
        return fail(err, ERR_UNSUPPORTED, "processors can be pinned only while the domain runs (--live)");
    return 0;
}

static int pin_thread(int thread, const char *map, unsigned length, struct error *err)
{
    cpu_set_t set;
    unsigned count = 0;
    CPU_ZERO(&set);
    for (unsigned cpu = 0; cpu < length * 8 && cpu < CPU_SETSIZE; cpu++)
        if (cpu_map_has((const unsigned char *) map, cpu)) {
            CPU_SET(cpu, &set);
            count++;
        }
    if (!count)
        return fail(err, ERR_INVALID_ARG, "the list of processors is empty");
    if (sched_setaffinity(thread, sizeof set, &set) < 0)
        return fail_errno(err, errno, "cannot pin thread %d to these processors", thread);
    return 0;
}

static WAITS int pin_vcpu(struct domain *dom, unsigned vcpu, const char *map, unsigned length, unsigned flags,
                          struct error *err)
{
    if (check_pin(dom, flags, err) < 0)
        return -1;
    owned(figures) struct figures *figures = figures_ask(dom, FIGURES_CPUS, err);
    if (!figures || figures_wait(figures, err) < 0)
        return -1;
    int thread = figures_thread(figures, vcpu);
    if (!thread)
        return fail(err, ERR_INVALID_ARG, "vcpu %u is out of range of live cpu count %zu", vcpu,
                    figures_threads(figures));
    return pin_thread(thread, map, length, err);
}

int on_domain_pin_vcpu(struct request *request, const remote_domain_pin_vcpu_args *args, nothing *ret,
                       struct error *err)
{
    return pin_vcpu(request->dom, args->vcpu, args->cpumap.cpumap_val, args->cpumap.cpumap_len, AFFECT_LIVE,
                    err);
}

int on_domain_pin_vcpu_flags(struct request *request, const remote_domain_pin_vcpu_flags_args *args,
                             nothing *ret, struct error *err)
{
    return pin_vcpu(request->dom, args->vcpu, args->cpumap.cpumap_val, args->cpumap.cpumap_len, args->flags,
                    err);
}

int on_domain_pin_emulator(struct request *request, const remote_domain_pin_emulator_args *args, nothing *ret,
                           struct error *err)
{
    return check_pin(request->dom, args->flags, err) < 0
               ? -1
               : pin_thread((int) request->dom->process.pid, args->cpumap.cpumap_val, args->cpumap.cpumap_len,
                            err);
}

/* No domain has any: they cannot be defined yet. */
int on_domain_get_iothread_info(struct request *request, const remote_domain_get_iothread_info_args *args,
                                remote_domain_get_iothread_info_ret *ret, struct error *err)
{
    return check_flags(args->flags, AFFECT_BOTH, err) < 0 ||
                   !affect_definition(request->dom, args->flags, err)
               ? -1
               : 0;
}
