/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of many domains at once, in groups that the client chooses. */
#include <string.h>

#include "base/memory.h"
#include "daemon/daemon.h"
#include "daemon/domain_list.h"
#include "daemon/host_usage.h"
#include "daemon/params.h"
#include "daemon/request.h"
#include "daemon/usage.h"
#include "loop/loop.h"
#include "qemu/figures.h"

enum { SILENCE_MS = 2000 };             /* one guest that hangs must not keep back all figures */

/* VIR_DOMAIN_STATS_*. */
enum { STATS_STATE = 0x1, STATS_CPU = 0x2, STATS_BALLOON = 0x4, STATS_VCPU = 0x8, STATS_INTERFACE = 0x10,
       STATS_BLOCK = 0x20, STATS_IOTHREAD = 0x80 };
/* Beside the filters of lists. */
#define STATS_NOWAIT 0x20000000u
#define STATS_BACKING 0x40000000u
#define STATS_ENFORCE 0x80000000u

/* One domain's record while it is made.  Everybody is asked first, and then waited for. */
struct record {
    struct domain *dom;                 /* counted */
    struct domain_def *def;             /* counted; NULL: not known */
    struct figures *figures;            /* NULL: it does not run, or does not answer */
    bool active;
    bool is_used;                       /* `usage` is known */
    struct usage usage;
    struct params params;
};

static void add_state(struct record *r)
{
    params_add_int(&r->params, (int) r->dom->state, "state.state");
    params_add_int(&r->params, r->dom->reason, "state.reason");
}

static void add_cpu(struct record *r)
{
    if (!r->is_used)
        return;
    params_add_u64(&r->params, r->usage.user_ns + r->usage.system_ns, "cpu.time");
    params_add_u64(&r->params, r->usage.user_ns, "cpu.user");
    params_add_u64(&r->params, r->usage.system_ns, "cpu.system");
}

static void add_balloon(struct record *r)
{
    static const char *const names[GUEST_FIGURES] = {
        "swap_in", "swap_out", "major_fault", "minor_fault", "unused", "available", "usable", "last-update",
        "disk_caches", "hugetlb_pgalloc", "hugetlb_pgfail",
    };
    struct guest_memory memory = { 0 };
    uint64_t actual;
    if (r->figures && figures_balloon(r->figures, &actual))
        params_add_u64(&r->params, actual, "balloon.current");
    else if (r->def)
        params_add_u64(&r->params, r->def->current_memory.kib, "balloon.current");
    if (r->def)
        params_add_u64(&r->params, r->def->memory.kib, "balloon.maximum");
    if (r->figures)
        figures_guest_memory(r->figures, &memory);
    for (unsigned i = 0; i < GUEST_FIGURES; i++)
        if (memory.known >> i & 1)
            params_add_u64(&r->params, memory.values[i], "balloon.%s", names[i]);
    if (r->is_used)
        params_add_u64(&r->params, r->usage.rss_kib, "balloon.rss");
}

static void add_vcpu(struct record *r)
{
    size_t there = r->figures ? figures_threads(r->figures) : 0;
    if (!r->def)
        return;
    params_add_u32(&r->params, r->def->vcpus, "vcpu.current");
    params_add_u32(&r->params, r->def->max_vcpus, "vcpu.maximum");
    for (unsigned i = 0; i < there; i++) {
        struct usage usage;
        uint64_t delay;
        int thread = figures_thread(r->figures, i);
        params_add_int(&r->params, 1, "vcpu.%u.state", i);      /* running */
        if (usage_of_thread(r->dom, thread, &usage))
            params_add_u64(&r->params, usage.user_ns + usage.system_ns, "vcpu.%u.time", i);
        if (usage_delay_ns(r->dom, thread, &delay))
            params_add_u64(&r->params, delay, "vcpu.%u.delay", i);
    }
}

static void add_traffic(struct record *r, size_t i, const char *way, const struct host_traffic *traffic)
{
    params_add_u64(&r->params, traffic->bytes, "net.%zu.%s.bytes", i, way);
    params_add_u64(&r->params, traffic->packets, "net.%zu.%s.pkts", i, way);
    params_add_u64(&r->params, traffic->errors, "net.%zu.%s.errs", i, way);
    params_add_u64(&r->params, traffic->drops, "net.%zu.%s.drop", i, way);
}

static void add_interfaces(struct record *r)
{
    if (!r->active || !r->def)
        return;
    params_add_u32(&r->params, (unsigned) r->def->interfaces.count, "net.count");
    for (size_t i = 0; i < r->def->interfaces.count; i++) {
        const char *device = r->def->interfaces.items[i]->target_dev;
        struct host_traffic received, sent;
        if (!device)
            continue;
        params_add_text(&r->params, device, "net.%zu.name", i);
        if (host_traffic_read(device, &received, &sent)) {
            add_traffic(r, i, "rx", &received);
            add_traffic(r, i, "tx", &sent);
        }
    }
}

static void add_block_figures(struct record *r, size_t i, const char *alias)
{
    struct block_figures block;
    struct image_figures image;
    if (figures_block(r->figures, alias, &block)) {
        params_add_u64(&r->params, block.reads, "block.%zu.rd.reqs", i);
        params_add_u64(&r->params, block.read_bytes, "block.%zu.rd.bytes", i);
        params_add_u64(&r->params, block.read_ns, "block.%zu.rd.times", i);
        params_add_u64(&r->params, block.writes, "block.%zu.wr.reqs", i);
        params_add_u64(&r->params, block.write_bytes, "block.%zu.wr.bytes", i);
        params_add_u64(&r->params, block.write_ns, "block.%zu.wr.times", i);
        params_add_u64(&r->params, block.flushes, "block.%zu.fl.reqs", i);
        params_add_u64(&r->params, block.flush_ns, "block.%zu.fl.times", i);
    }
    if (figures_image(r->figures, alias, &image)) {
        params_add_u64(&r->params, image.allocation, "block.%zu.allocation", i);
        params_add_u64(&r->params, image.capacity, "block.%zu.capacity", i);
    }
}

static void add_blocks(struct record *r)
{
    if (!r->def)
        return;
    params_add_u32(&r->params, (unsigned) r->def->disks.count, "block.count");
    for (size_t i = 0; i < r->def->disks.count; i++) {
        const struct disk *disk = r->def->disks.items[i];
        params_add_text(&r->params, disk->target, "block.%zu.name", i);
        if (disk_path(disk))
            params_add_text(&r->params, disk_path(disk), "block.%zu.path", i);
        if (r->figures)
            add_block_figures(r, i, disk->alias);
    }
}

static void add_iothreads(struct record *r)
{
    uint32_t ids[IOTHREADS_MAX];
    if (r->active && r->def)
        params_add_u32(&r->params, (unsigned) iothreads_ids(&r->def->iothreads, ids), "iothread.count");
}

/* What each group needs to be asked of a VMM. */
static const struct group {
    unsigned bit, about;
    void (*add)(struct record *record);
} groups[] = {
    { STATS_STATE, 0, add_state },
    { STATS_CPU, 0, add_cpu },
    { STATS_BALLOON, FIGURES_BALLOON | FIGURES_MEMORY, add_balloon },
    { STATS_VCPU, FIGURES_CPUS, add_vcpu },
    { STATS_INTERFACE, 0, add_interfaces },
    { STATS_BLOCK, FIGURES_BLOCKS | FIGURES_IMAGES, add_blocks },
    { STATS_IOTHREAD, 0, add_iothreads },
};

struct records { VECTOR(struct record) items; };

static void records_done(struct records *records)
{
    for (size_t i = 0; i < records->items.count; i++) {
        struct record *r = &records->items.items[i];
        figures_free(r->figures);
        params_done(&r->params);
        domain_def_unref(r->def);
        domain_unref(r->dom);
    }
    vector_done(&records->items);
}

/* One that does not answer has a record without what only its VMM knows. */
static void add_record(struct records *records, struct domain *dom, unsigned about)
{
    struct domain_def *def = domain_current_def(dom);
    struct record record = { .dom = domain_ref(dom), .def = def ? domain_def_ref(def) : NULL,
                             .active = domain_is_active(dom) };
    error_scope(silent);
    if (record.active && about)
        record.figures = figures_ask(dom, about, &silent);
    vector_push(&records->items, record);
}

/* Those that the client names, or all; of either, what passes the filters. */
static void collect(struct request *request, const remote_connect_get_all_domain_stats_args *args,
                    unsigned about, struct records *records)
{
    const struct registry *registry = request->daemon->registry;
    unsigned filter = args->flags & LIST_KNOWN;
    for (unsigned i = 0; i < args->doms.doms_len; i++) {
        struct uuid uuid;
        memcpy(uuid.bytes, args->doms.doms_val[i].uuid, sizeof uuid.bytes);
        struct domain *dom = registry_find(registry, &uuid);
        if (dom && domain_list_matches(dom, filter))
            add_record(records, dom, about);
    }
    if (args->doms.doms_len)
        return;
    size_t count;
    owned_memory struct domain **list = domain_list(registry, filter, &count);
    for (size_t i = 0; i < count; i++)
        add_record(records, list[i], about);
}

static int choose_groups(unsigned stats, unsigned flags, unsigned *ret_chosen, unsigned *ret_about,
                         struct error *err)
{
    unsigned known = 0, about = 0;
    for (size_t i = 0; i < ARRAY_COUNT(groups); i++)
        known |= groups[i].bit;
    if (flags & STATS_ENFORCE && stats & ~known)
        return fail(err, ERR_UNSUPPORTED, "Stats types bits 0x%x are not supported by this daemon",
                    stats & ~known);
    unsigned chosen = stats ? stats & known : known;
    for (size_t i = 0; i < ARRAY_COUNT(groups); i++)
        about |= chosen & groups[i].bit ? groups[i].about : 0;
    *ret_chosen = chosen;
    *ret_about = about;
    return 0;
}

static WAITS void fill(struct record *r, unsigned chosen, uint64_t deadline)
{
    error_scope(silent);
    if (r->figures && figures_wait_until(r->figures, deadline, &silent) < 0) {
        figures_free(r->figures);
        r->figures = NULL;
    }
    r->is_used = usage_of(r->dom, &r->usage);
    for (size_t i = 0; i < ARRAY_COUNT(groups); i++)
        if (chosen & groups[i].bit)
            groups[i].add(r);
}

int on_connect_get_all_domain_stats(struct request *request,
                                    const remote_connect_get_all_domain_stats_args *args,
                                    remote_connect_get_all_domain_stats_ret *ret, struct error *err)
{
    unsigned chosen = 0, about = 0;
    __attribute__((cleanup(records_done))) struct records records = { 0 };
    if (check_flags(args->flags, LIST_KNOWN | STATS_NOWAIT | STATS_BACKING | STATS_ENFORCE, err) < 0 ||
        choose_groups(args->stats, args->flags, &chosen, &about, err) < 0)
        return -1;
    uint64_t deadline = loop_now() + SILENCE_MS;
    collect(request, args, about, &records);
    if (domain_list_check_count(records.items.count, err) < 0)
        return -1;
    remote_domain_stats_record *out = memory_new((records.items.count + 1) * sizeof *out);
    ret->retStats.retStats_val = out;
    ret->retStats.retStats_len = (unsigned) records.items.count;
    for (size_t i = 0; i < records.items.count; i++) {
        struct record *r = &records.items.items[i];
        fill(r, chosen, deadline);
        reply_domain(&out[i].dom, r->dom);
        out[i].params.params_len = params_give(&r->params, &out[i].params.params_val);
    }
    return 0;
}
