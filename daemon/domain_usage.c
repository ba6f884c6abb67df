/* SPDX-License-Identifier: Apache-2.0 */
/* What one domain uses and does: its guest's memory, its traffic, the job that it is in. */
#include "base/memory.h"
#include "base/text.h"
#include "daemon/host_usage.h"
#include "daemon/params.h"
#include "daemon/request.h"
#include "daemon/usage.h"
#include "loop/loop.h"
#include "qemu/figures.h"
#include "qemu/operations.h"

/* --- a guest's memory
 * ---------------------------------------------------------------------------------------------- */

/* VIR_DOMAIN_MEMORY_STAT_* of what the guest tells, in the order of enum guest_memory_figure, and ours. */
static const int memory_tags[GUEST_FIGURES] = { 0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12 };
enum { TAG_ACTUAL = 6, TAG_RSS = 7 };
enum { MEMORY_STATS_MAX = GUEST_FIGURES + 2 };

int on_domain_memory_stats(struct request *request, const remote_domain_memory_stats_args *args,
                           remote_domain_memory_stats_ret *ret, struct error *err)
{
    struct guest_memory memory = { 0 };
    struct usage usage;
    uint64_t actual;
    unsigned count = 0;
    if (check_flags(args->flags, 0, err) < 0)
        return -1;
    owned(figures) struct figures *figures = figures_ask(request->dom, FIGURES_BALLOON | FIGURES_MEMORY, err);
    if (!figures || figures_wait(figures, err) < 0)
        return -1;
    remote_domain_memory_stat *stats = ret->stats.stats_val = memory_new(MEMORY_STATS_MAX * sizeof *stats);
    if (figures_balloon(figures, &actual))
        stats[count++] = (remote_domain_memory_stat) { TAG_ACTUAL, actual };
    figures_guest_memory(figures, &memory);
    for (unsigned i = 0; i < GUEST_FIGURES; i++)
        if (memory.known >> i & 1)
            stats[count++] = (remote_domain_memory_stat) { memory_tags[i], memory.values[i] };
    if (usage_of(request->dom, &usage))
        stats[count++] = (remote_domain_memory_stat) { TAG_RSS, usage.rss_kib };
    ret->stats.stats_len = count < args->maxStats ? count : args->maxStats;
    return 0;
}

/* --- traffic
 * ------------------------------------------------------------------------------------------------------- */

static const struct interface *find_interface(const struct domain_def *def, const char *name,
                                              struct error *err)
{
    for (size_t i = 0; i < def->interfaces.count; i++) {
        char mac[MAC_TEXT_SIZE];
        mac_format(&def->interfaces.items[i]->mac, mac);
        if (text_equal(def->interfaces.items[i]->target_dev, name) || text_equal(mac, name))
            return def->interfaces.items[i];
    }
    fail(err, ERR_INVALID_ARG, "invalid path, '%s' is not a known interface", name);
    return NULL;
}

int on_domain_interface_stats(struct request *request, const remote_domain_interface_stats_args *args,
                              remote_domain_interface_stats_ret *ret, struct error *err)
{
    struct host_traffic received, sent;
    if (domain_check_active(request->dom, err) < 0 || check_definition(request->dom, err) < 0)
        return -1;
    const struct interface *interface = find_interface(domain_current_def(request->dom), args->device, err);
    if (!interface)
        return -1;
    if (!host_traffic_read(interface->target_dev, &received, &sent))
        return fail(err, ERR_UNSUPPORTED,
                    "interface '%s' is of type '%s', whose traffic no device of this host counts",
                    args->device, enum_word(&interface_type_names, interface->type));
    *ret = (remote_domain_interface_stats_ret) {
        (int64_t) received.bytes, (int64_t) received.packets, (int64_t) received.errors,
        (int64_t) received.drops, (int64_t) sent.bytes,       (int64_t) sent.packets,
        (int64_t) sent.errors,    (int64_t) sent.drops,
    };
    return 0;
}

/* --- what is being done to a domain
 * -------------------------------------------------------------------------------- */

enum { CONTROL_OK, CONTROL_JOB, CONTROL_OCCUPIED, CONTROL_ERROR };
enum { CONTROL_ERROR_MONITOR = 2 };

int on_domain_get_control_info(struct request *request, const remote_domain_get_control_info_args *args,
                               remote_domain_get_control_info_ret *ret, struct error *err)
{
    const struct job *job = &request->dom->job;
    if (check_flags(args->flags, 0, err) < 0 || domain_check_active(request->dom, err) < 0)
        return -1;
    if (domain_monitor_is_lost(request->dom)) {
        ret->state = CONTROL_ERROR;
        ret->details = CONTROL_ERROR_MONITOR;
        return 0;
    }
    ret->state = job->what ? CONTROL_JOB : CONTROL_OK;
    ret->stateTime = job->what ? loop_now() - job->began : 0;
    return 0;
}

/* Jobs in libvirt's sense, with progress, are saves, dumps and migrations: none of them exists here yet. */
int on_domain_get_job_info(struct request *request, const remote_domain_get_job_info_args *args,
                           remote_domain_get_job_info_ret *ret, struct error *err)
{
    return 0;
}

int on_domain_get_job_stats(struct request *request, const remote_domain_get_job_stats_args *args,
                            remote_domain_get_job_stats_ret *ret, struct error *err)
{
    return check_flags(args->flags, 0x3, err);
}

int on_domain_abort_job(struct request *request, const remote_domain_abort_job_args *args, nothing *ret,
                        struct error *err)
{
    return domain_check_active(request->dom, err) < 0 ? -1
         : fail(err, ERR_OPERATION_INVALID, "no job is active on the domain");
}

/* Nothing here taints a domain or notes its faults yet. */
int on_domain_get_messages(struct request *request, const remote_domain_get_messages_args *args,
                           remote_domain_get_messages_ret *ret, struct error *err)
{
    return check_flags(args->flags, 0x7, err);
}

/* --- processor time
 * ------------------------------------------------------------------------------------------------ */

/* Of all processors together; the kernel counts them apart only for groups of processes, which guests are not
 * put in. A client asks first, with no room for an answer, how many figures there are, and how many
 * processors. */
int on_domain_get_cpu_stats(struct request *request, const remote_domain_get_cpu_stats_args *args,
                            remote_domain_get_cpu_stats_ret *ret, struct error *err)
{
    enum { TOTAL = -1, FIGURES = 3 };
    struct usage usage = { 0 };
    if (check_flags(args->flags, TYPED_PARAM_STRING_OKAY, err) < 0 ||
        domain_check_active(request->dom, err) < 0)
        return -1;
    if (args->start_cpu != TOTAL)
        return fail(err, ERR_UNSUPPORTED,
                    "the time of each processor by itself is not known, only the total (--total)");
    if (!usage_of(request->dom, &usage))
        return fail(err, ERR_OPERATION_INVALID, "domain '%s' has ended", request->dom->name);
    if (args->nparams == 0) {
        ret->nparams = FIGURES;
        return 0;
    }
    owned_params struct params params = { 0 };
    params_add_u64(&params, usage.user_ns + usage.system_ns, "cpu_time");
    params_add_u64(&params, usage.user_ns, "user_time");
    params_add_u64(&params, usage.system_ns, "system_time");
    ret->params.params_len =
        params_give_at_most(&params, (int) args->nparams, &ret->params.params_val, &ret->nparams);
    ret->nparams = (int) ret->params.params_len;
    return 0;
}
