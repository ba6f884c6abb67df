/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a guest may use a disk: now, and after the next start. */
#include <string.h>

#include "base/text.h"
#include "daemon/affect.h"
#include "daemon/disk_names.h"
#include "daemon/edit.h"
#include "daemon/knobs.h"
#include "daemon/request.h"
#include "qemu/io_limits.h"

#define SELF struct iotune
#define KNOBS_OF(suffix, part) \
    KNOB("total_bytes_sec" suffix, U64, bytes.part), KNOB("read_bytes_sec" suffix, U64, read_bytes.part), \
    KNOB("write_bytes_sec" suffix, U64, write_bytes.part), \
    KNOB("total_iops_sec" suffix, U64, requests.part), \
    KNOB("read_iops_sec" suffix, U64, read_requests.part), \
    KNOB("write_iops_sec" suffix, U64, write_requests.part)
static const struct knob knobs[] = {
    KNOBS_OF("", rate), KNOBS_OF("_max", burst), KNOB("size_iops_sec", U64, request_size),
    KNOB("group_name", TEXT, group), KNOBS_OF("_max_length", burst_seconds),
};
#undef SELF

int on_domain_get_block_io_tune(struct request *request, const remote_domain_get_block_io_tune_args *args,
                                remote_domain_get_block_io_tune_ret *ret, struct error *err)
{
    owned_params struct params params = { 0 };
    if (check_flags(args->flags, AFFECT_BOTH | TYPED_PARAM_STRING_OKAY, err) < 0)
        return -1;
    const struct domain_def *def = affect_definition(request->dom, args->flags, err);
    const struct disk *disk = def && args->disk ? disk_by_name(def, *args->disk, err) : NULL;
    if (!def || (args->disk && !disk))
        return -1;
    knobs_read(knobs, ARRAY_COUNT(knobs), disk ? disk->iotune : NULL, &params);
    ret->params.params_len =
        params_give_at_most(&params, args->nparams, &ret->params.params_val, &ret->nparams);
    return 0;
}

static bool is_named(const remote_domain_set_block_io_tune_args *args, const char *prefix, const char *what)
{
    for (unsigned i = 0; i < args->params.params_len; i++) {
        const remote_typed_param *param = &args->params.params_val[i];
        if (text_starts(param->field, prefix) && text_starts(param->field + strlen(prefix), what) &&
            param->value.type == PARAM_ULLONG && param->value.remote_typed_param_value_u.ul)
            return true;
    }
    return false;
}

/* A limit for all and limits for reads or writes exclude each other: new ones take the old ones' place. */
static void make_room(const remote_domain_set_block_io_tune_args *args, const char *what,
                      struct io_limit *all, struct io_limit *reads, struct io_limit *writes)
{
    if (is_named(args, "total_", what))
        *reads = *writes = (struct io_limit) { 0 };
    else if (is_named(args, "read_", what) || is_named(args, "write_", what))
        *all = (struct io_limit) { 0 };
}

/* A copy of `def` with the new limits, or NULL. */
static WAITS struct domain_def *with_limits(struct request *request, const struct domain_def *def,
                                            enum edit_which which,
                                            const remote_domain_set_block_io_tune_args *args,
                                            struct error *err)
{
    static const struct iotune none;
    owned(domain_def) struct domain_def *copy = domain_def_copy(def);
    struct disk *disk = (struct disk *) disk_by_name(copy, args->disk, err);
    if (!disk)
        return NULL;
    if (!disk->iotune)
        disk->iotune = ARENA_NEW(copy->arena, struct iotune);
    struct iotune *tune = disk->iotune;
    make_room(args, "bytes_", &tune->bytes, &tune->read_bytes, &tune->write_bytes);
    make_room(args, "iops_", &tune->requests, &tune->read_requests, &tune->write_requests);
    if (knobs_write(knobs, ARRAY_COUNT(knobs), tune, copy->arena, args->params.params_val,
                    args->params.params_len, err) < 0)
        return NULL;
    struct iotune limits = *tune;
    limits.group = NULL;                /* which means nothing by itself */
    if (memcmp(&limits, &none, sizeof none) == 0)
        disk->iotune = NULL;
    return edit_check(request, copy, which, NULL, err);
}

int on_domain_set_block_io_tune(struct request *request, const remote_domain_set_block_io_tune_args *args,
                                nothing *ret, struct error *err)
{
    struct domain *dom = request->dom;
    unsigned affected = 0;
    owned(domain_def) struct domain_def *live = NULL, *config = NULL;
    if (check_flags(args->flags, AFFECT_BOTH, err) < 0 ||
        affect_resolve(dom, args->flags, &affected, err) < 0)
        return -1;
    if (affected & AFFECT_CONFIG && !(config = with_limits(request, dom->def, EDIT_CONFIG, args, err)))
        return -1;
    if (affected & AFFECT_LIVE && !(live = with_limits(request, dom->live, EDIT_LIVE, args, err)))
        return -1;
    if (live && domain_set_io_limits(dom, live, disk_by_name(live, args->disk, err), err) < 0)
        return -1;
    return config ? edit_keep(request, config, err) : 0;
}
