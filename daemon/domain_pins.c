/* SPDX-License-Identifier: Apache-2.0 */
/* A domain's processors on the host: how busy they are, and where they may run. */
#include "daemon/pins.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/affect.h"
#include "daemon/edit.h"
#include "daemon/host_usage.h"
#include "daemon/request.h"
#include "daemon/usage.h"
#include "qemu/figures.h"
#include "qemu/iothreads.h"
#include "xml/element.h"

enum { VCPU_STATE_RUNNING = 1 };
enum { REPLY_VCPUS_MAX = 16384, REPLY_MAPS_MAX = 8388608 };
enum { EMULATOR = -1 };                 /* instead of a vcpu's number */

/* --- maps: `length` bytes each, one after the other --- */

static int check_maps(int count, int length, struct error *err)
{
    if (count < 0 || length < 0 || count > REPLY_VCPUS_MAX || (int64_t) count * length > REPLY_MAPS_MAX)
        return fail(err, ERR_INVALID_ARG, "%d processor maps of %d bytes are more than a reply holds", count,
                    length);
    return 0;
}

/* The processors that it names, or NULL. */
static const char *pinned_to(const struct domain_def *def, int vcpu)
{
    const struct cputune *tune = def->cputune;
    for (size_t i = 0; tune && vcpu >= 0 && i < tune->vcpu_pins.count; i++)
        if (tune->vcpu_pins.items[i]->thread.value == (uint32_t) vcpu)
            return tune->vcpu_pins.items[i]->cpuset;
    return tune && vcpu < 0 && tune->emulator_cpuset ? tune->emulator_cpuset : def->cpuset;
}

static const char *pin_of_iothread(const struct domain_def *def, uint32_t id)
{
    const struct cputune *tune = def->cputune;
    for (size_t i = 0; tune && i < tune->iothread_pins.count; i++)
        if (tune->iothread_pins.items[i]->thread.value == id)
            return tune->iothread_pins.items[i]->cpuset;
    return def->cpuset;
}

/* Everywhere, if none is given. */
static void map_of_cpuset(const char *cpuset, unsigned char *map, size_t length)
{
    struct host_cpu_map host;
    unsigned count = (unsigned) (length * 8);
    host_cpu_map_read(&host);
    count = count < host.cpus ? count : host.cpus;
    owned_memory char *all = memory_printf("0-%u", host.cpus - 1);
    cpu_map_parse(cpuset ? cpuset : all, count, map);
}

/* Where the definition lets a vcpu, or the emulator (EMULATOR), run. */
static void map_of_definition(const struct domain_def *def, int vcpu, unsigned char *map, size_t length)
{
    map_of_cpuset(pinned_to(def, vcpu), map, length);
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
            map_of_definition(def, (int) i, map, length);
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
        map_of_definition(def, EMULATOR, (unsigned char *) ret->cpumaps.cpumaps_val, (size_t) args->maplen);
    ret->ret = 1;
    return 0;
}

/* Threads for disks: where the definition lets them run. */
int on_domain_get_iothread_info(struct request *request, const remote_domain_get_iothread_info_args *args,
                                remote_domain_get_iothread_info_ret *ret, struct error *err)
{
    uint32_t ids[IOTHREADS_MAX];
    if (check_flags(args->flags, AFFECT_BOTH, err) < 0)
        return -1;
    const struct domain_def *def = affect_definition(request->dom, args->flags, err);
    if (!def)
        return -1;
    struct host_cpu_map host;
    host_cpu_map_read(&host);
    size_t count = iothreads_ids(&def->iothreads, ids), length = (host.cpus + 7) / 8;
    ret->ret = (unsigned) count;
    ret->info.info_len = (unsigned) count;
    ret->info.info_val = memory_new((count + 1) * sizeof *ret->info.info_val);
    for (size_t i = 0; i < count; i++) {
        remote_domain_iothread_info *info = &ret->info.info_val[i];
        info->iothread_id = ids[i];
        info->cpumap.cpumap_len = (unsigned) length;
        info->cpumap.cpumap_val = memory_new(length);
        map_of_cpuset(pin_of_iothread(def, ids[i]), (unsigned char *) info->cpumap.cpumap_val, length);
    }
    return 0;
}

/* --- changing it --- */

/* A map as clients send it. */
struct map { const unsigned char *bytes; unsigned length; };

static int pin_thread(int thread, const struct map *map, struct error *err)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (unsigned cpu = 0; cpu < map->length * 8 && cpu < CPU_SETSIZE; cpu++)
        if (cpu_map_has(map->bytes, cpu))
            CPU_SET(cpu, &set);
    if (sched_setaffinity(thread, sizeof set, &set) < 0)
        return fail_errno(err, errno, "cannot pin thread %d to these processors", thread);
    return 0;
}

/* What is pinned: the emulator, a vcpu, an iothread. */
enum pinned_kind { PINNED_EMULATOR, PINNED_VCPU, PINNED_IOTHREAD };
struct pinned { enum pinned_kind kind; unsigned number; };

static WAITS int pin_vcpu_thread(struct domain *dom, unsigned vcpu, const struct map *map, struct error *err)
{
    owned(figures) struct figures *figures = figures_ask(dom, FIGURES_CPUS, err);
    if (!figures || figures_wait(figures, err) < 0)
        return -1;
    int thread = figures_thread(figures, vcpu);
    if (!thread)
        return fail(err, ERR_INVALID_ARG, "vcpu %u is out of range of live cpu count %zu", vcpu,
                    figures_threads(figures));
    return pin_thread(thread, map, err);
}

static WAITS int pin_live(struct domain *dom, struct pinned what, const struct map *map, struct error *err)
{
    if (what.kind == PINNED_VCPU)
        return pin_vcpu_thread(dom, what.number, map, err);
    int thread = what.kind == PINNED_EMULATOR ? (int) dom->process.pid
                                              : domain_iothread_id(dom, what.number, err);
    return thread ? pin_thread(thread, map, err) : -1;
}

/* A new thread runs where the emulator may, and so must be told that it may run elsewhere, too. */
int pins_apply_to_new(struct domain *dom, unsigned first, unsigned count, struct error *err)
{
    for (unsigned vcpu = first; vcpu < count && dom->live; vcpu++) {
        unsigned char bytes[CPU_SETSIZE / 8] = { 0 };
        const struct map map = { bytes, sizeof bytes };
        map_of_definition(dom->live, (int) vcpu, bytes, sizeof bytes);
        if (pin_vcpu_thread(dom, vcpu, &map, err) < 0)
            return -1;
    }
    return 0;
}

/* The pin of a vcpu or an iothread; a new one if it has none. */
static struct pin *find_pin(struct cputune *tune, struct pinned what, struct arena *arena)
{
    bool vcpu = what.kind == PINNED_VCPU;
    struct pin **items = vcpu ? tune->vcpu_pins.items : tune->iothread_pins.items;
    size_t count = vcpu ? tune->vcpu_pins.count : tune->iothread_pins.count;
    for (size_t i = 0; i < count; i++)
        if (items[i]->thread.value == what.number)
            return items[i];
    struct pin *pin = ARENA_NEW(arena, struct pin);
    pin->thread = (struct opt_u32) { true, what.number };
    if (vcpu)
        list_add(arena, &tune->vcpu_pins, pin);
    else
        list_add(arena, &tune->iothread_pins, pin);
    return pin;
}

/* The definition with the pin in it, before anybody else sees it. */
static struct domain_def *with_pin(const struct domain_def *def, struct pinned what, const struct map *map)
{
    struct domain_def *copy = domain_def_copy(def);
    owned_buffer struct buffer text = { 0 };
    cpu_map_format(map->bytes, map->length * 8, &text);
    const char *cpuset = arena_copy(copy->arena, buffer_text(&text));
    if (!copy->cputune)
        copy->cputune = ARENA_NEW(copy->arena, struct cputune);
    if (what.kind == PINNED_EMULATOR)
        copy->cputune->emulator_cpuset = cpuset;
    else
        find_pin(copy->cputune, what, copy->arena)->cpuset = cpuset;
    return copy;
}

static int check_stored(const struct domain_def *def, struct pinned what, struct error *err)
{
    if (what.kind == PINNED_VCPU && what.number >= def->max_vcpus)
        return fail(err, ERR_INVALID_ARG, "vcpu %u is out of range of persistent cpu count %u", what.number,
                    def->max_vcpus);
    if (what.kind == PINNED_IOTHREAD && !iothreads_have(&def->iothreads, what.number))
        return fail(err, ERR_INVALID_ARG, "iothreadid %u not found", what.number);
    return 0;
}

static WAITS int pin(struct request *request, struct pinned what, const struct map *map, unsigned flags,
                     struct error *err)
{
    struct domain *dom = request->dom;
    unsigned affected = 0;
    owned_buffer struct buffer text = { 0 };
    if (check_flags(flags, AFFECT_BOTH, err) < 0 || affect_resolve(dom, flags, &affected, err) < 0)
        return -1;
    cpu_map_format(map->bytes, map->length * 8, &text);
    if (!text.length)
        return fail(err, ERR_INVALID_ARG, "the list of processors is empty");
    if (affected & AFFECT_CONFIG && check_stored(dom->def, what, err) < 0)
        return -1;
    if (affected & AFFECT_LIVE) {
        owned(domain_def) struct domain_def *copy = with_pin(dom->live, what, map);
        if (pin_live(dom, what, map, err) < 0 || edit_live(request, copy, err) < 0)
            return -1;
    }
    if (!(affected & AFFECT_CONFIG))
        return 0;
    owned(domain_def) struct domain_def *copy = with_pin(dom->def, what, map);
    return edit_config(request, copy, err);
}

#define MAP_OF(args) { (const unsigned char *) (args)->cpumap.cpumap_val, (args)->cpumap.cpumap_len }

int on_domain_pin_vcpu(struct request *request, const remote_domain_pin_vcpu_args *args, nothing *ret,
                       struct error *err)
{
    const struct map map = MAP_OF(args);
    return pin(request, (struct pinned) { PINNED_VCPU, args->vcpu }, &map, AFFECT_LIVE, err);
}

int on_domain_pin_vcpu_flags(struct request *request, const remote_domain_pin_vcpu_flags_args *args,
                             nothing *ret, struct error *err)
{
    const struct map map = MAP_OF(args);
    return pin(request, (struct pinned) { PINNED_VCPU, args->vcpu }, &map, args->flags, err);
}

int on_domain_pin_emulator(struct request *request, const remote_domain_pin_emulator_args *args, nothing *ret,
                           struct error *err)
{
    const struct map map = MAP_OF(args);
    return pin(request, (struct pinned) { PINNED_EMULATOR, 0 }, &map, args->flags, err);
}

int on_domain_pin_iothread(struct request *request, const remote_domain_pin_iothread_args *args, nothing *ret,
                           struct error *err)
{
    const struct map map = MAP_OF(args);
    return pin(request, (struct pinned) { PINNED_IOTHREAD, args->iothreads_id }, &map, args->flags, err);
}
