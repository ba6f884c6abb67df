/* SPDX-License-Identifier: Apache-2.0 */
/* Shares and limits that control groups would hold.  We use none, so there are only those of the next start:
 * they are kept, and a finding says that they have no effect. */
#include "base/memory.h"
#include "daemon/affect.h"
#include "daemon/edit.h"
#include "daemon/knobs.h"
#include "daemon/request.h"

#define SELF struct cputune
static const struct knob scheduler_knobs[] = {
    KNOB("cpu_shares", OPT_U64, shares), KNOB("vcpu_period", OPT_U64, period),
    KNOB("vcpu_quota", OPT_I64, quota), KNOB("emulator_period", OPT_U64, emulator_period),
    KNOB("emulator_quota", OPT_I64, emulator_quota), KNOB("global_period", OPT_U64, global_period),
    KNOB("global_quota", OPT_I64, global_quota), KNOB("iothread_period", OPT_U64, iothread_period),
    KNOB("iothread_quota", OPT_I64, iothread_quota),
};
#undef SELF
#define SELF struct memtune
static const struct knob memory_knobs[] = {
    KNOB("hard_limit", LIMIT, hard_limit), KNOB("soft_limit", LIMIT, soft_limit),
    KNOB("swap_hard_limit", LIMIT, swap_hard_limit),
};
#undef SELF
#define SELF struct blkiotune
static const struct knob blkio_knobs[] = { KNOB("weight", OPT_U32, weight) };
#undef SELF

/* One of the structs above in a definition. */
struct group { const struct knob *knobs; size_t count, place, size; };
#define GROUP(knobs, member, type) \
    { knobs, ARRAY_COUNT(knobs), offsetof(struct domain_def, member), sizeof(type) }
static const struct group scheduler = GROUP(scheduler_knobs, cputune, struct cputune);
static const struct group memory = GROUP(memory_knobs, memtune, struct memtune);
static const struct group blkio = GROUP(blkio_knobs, blkiotune, struct blkiotune);

static int refuse_live(struct error *err)
{
    return fail(err, ERR_NO_SUPPORT, "shares and limits of a running guest would need control groups, which "
                "domusd does not use; --config is about the definition");
}

static int read_group(struct request *request, const struct group *group, unsigned flags,
                      struct params *out, struct error *err)
{
    if (check_flags(flags, AFFECT_BOTH | TYPED_PARAM_STRING_OKAY, err) < 0)
        return -1;
    const struct domain_def *def = affect_definition(request->dom, flags, err);
    if (!def)
        return -1;
    if (def == request->dom->live)
        return refuse_live(err);
    knobs_read(group->knobs, group->count, *(void *const *) ((const char *) def + group->place), out);
    return 0;
}

static WAITS int write_group(struct request *request, const struct group *group,
                             const remote_typed_param *params, unsigned count, unsigned flags,
                             struct error *err)
{
    unsigned affected = 0;
    if (check_flags(flags, AFFECT_BOTH, err) < 0 || affect_resolve(request->dom, flags, &affected, err) < 0)
        return -1;
    if (affected & AFFECT_LIVE)
        return refuse_live(err);
    owned(domain_def) struct domain_def *copy = domain_def_copy(request->dom->def);
    void **place = (void **) ((char *) copy + group->place);
    if (!*place)
        *place = arena_alloc(copy->arena, group->size);
    if (knobs_write(group->knobs, group->count, *place, copy->arena, params, count, err) < 0)
        return -1;
    return edit_config(request, copy, err);
}

/* --- processors --- */

int on_domain_get_scheduler_type(struct request *request, const remote_domain_get_scheduler_type_args *args,
                                 remote_domain_get_scheduler_type_ret *ret, struct error *err)
{
    ret->type = memory_copy_text("posix");
    ret->nparams = ARRAY_COUNT(scheduler_knobs);
    return 0;
}

int on_domain_get_scheduler_parameters(struct request *request,
                                       const remote_domain_get_scheduler_parameters_args *args,
                                       remote_domain_get_scheduler_parameters_ret *ret, struct error *err)
{
    owned_params struct params params = { 0 };
    int total = 0;
    if (read_group(request, &scheduler, 0, &params, err) < 0)
        return -1;
    ret->params.params_len = params_give_at_most(&params, args->nparams, &ret->params.params_val, &total);
    return 0;
}

int on_domain_get_scheduler_parameters_flags(struct request *request,
                                             const remote_domain_get_scheduler_parameters_flags_args *args,
                                             remote_domain_get_scheduler_parameters_flags_ret *ret,
                                             struct error *err)
{
    owned_params struct params params = { 0 };
    int total = 0;
    if (read_group(request, &scheduler, args->flags, &params, err) < 0)
        return -1;
    ret->params.params_len = params_give_at_most(&params, args->nparams, &ret->params.params_val, &total);
    return 0;
}

int on_domain_set_scheduler_parameters(struct request *request,
                                       const remote_domain_set_scheduler_parameters_args *args, nothing *ret,
                                       struct error *err)
{
    return write_group(request, &scheduler, args->params.params_val, args->params.params_len, 0, err);
}

int on_domain_set_scheduler_parameters_flags(struct request *request,
                                             const remote_domain_set_scheduler_parameters_flags_args *args,
                                             nothing *ret, struct error *err)
{
    return write_group(request, &scheduler, args->params.params_val, args->params.params_len, args->flags,
                       err);
}

/* --- memory and disks --- */

int on_domain_get_memory_parameters(struct request *request,
                                    const remote_domain_get_memory_parameters_args *args,
                                    remote_domain_get_memory_parameters_ret *ret, struct error *err)
{
    owned_params struct params params = { 0 };
    if (read_group(request, &memory, args->flags, &params, err) < 0)
        return -1;
    ret->params.params_len =
        params_give_at_most(&params, args->nparams, &ret->params.params_val, &ret->nparams);
    return 0;
}

int on_domain_set_memory_parameters(struct request *request,
                                    const remote_domain_set_memory_parameters_args *args, nothing *ret,
                                    struct error *err)
{
    return write_group(request, &memory, args->params.params_val, args->params.params_len, args->flags, err);
}

int on_domain_get_blkio_parameters(struct request *request,
                                   const remote_domain_get_blkio_parameters_args *args,
                                   remote_domain_get_blkio_parameters_ret *ret, struct error *err)
{
    owned_params struct params params = { 0 };
    if (read_group(request, &blkio, args->flags, &params, err) < 0)
        return -1;
    ret->params.params_len =
        params_give_at_most(&params, args->nparams, &ret->params.params_val, &ret->nparams);
    return 0;
}

int on_domain_set_blkio_parameters(struct request *request,
                                   const remote_domain_set_blkio_parameters_args *args, nothing *ret,
                                   struct error *err)
{
    return write_group(request, &blkio, args->params.params_val, args->params.params_len, args->flags, err);
}
