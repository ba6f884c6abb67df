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

int on_domain_get_vcpu_pin_info(struct request *request, const remote_domain_get_vcpu_pin_info_args *args,
                                remote_domain_get_vcpu_pin_info_ret *ret, struct error *err)
{
    if (check_flags(args->flags, AFFECT_BOTH, err) < 0 || check_maps(args->ncpumaps, args->maplen, err) < 0)
        return -1;
    const struct domain_def *def = affect_definition(request->dom, args->flags, err);
    if (!def)
        return -1;
    size_t count = def->max_vcpus < (unsigned) args->ncpumaps ? def->max_vcpus : (size_t) args->ncpumaps;
    size_t length = (size_t) args->maplen;
    ret->cpumaps.cpumaps_val = memory_new(count * length + 1);
    ret->cpumaps.cpumaps_len = (unsigned) (count * length);
    for (size_t i = 0; i < count; i++)
        map_of_definition(def, (unsigned char *) ret->cpumaps.cpumaps_val + i * length, length);
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
    map_of_definition(def, (unsigned char *) ret->cpumaps.cpumaps_val, (size_t) args->maplen);
    ret->ret = 1;
    return 0;
}
