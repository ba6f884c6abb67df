/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/latency.h"

#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/drive.h"
#include "simvmm/value.h"

enum { BOUNDS_MAX = 1024 };

static const struct {
    const char *argument, *member, *word;
} kinds[LATENCY_KINDS] = {
    [LATENCY_READ] = { "boundaries-read", "rd_latency_histogram", "read" },
    [LATENCY_WRITE] = { "boundaries-write", "wr_latency_histogram", "write" },
    [LATENCY_APPEND] = { "boundaries-zap", "zone_append_latency_histogram", "append write" },
    [LATENCY_FLUSH] = { "boundaries-flush", "flush_latency_histogram", "flush" },
};

void latency_add(const struct device *device, struct json *stats, struct arena *a)
{
    for (int kind = 0; kind < LATENCY_KINDS; kind++) {
        const struct latency *l = &device->latency[kind];
        if (!l->count)
            continue;
        struct json *v = value_object(a), *bounds = value_array(a), *bins = value_array(a);
        for (size_t i = 0; i < l->count; i++)
            value_push(a, bounds, value_number(a, (long long) l->bounds[i]));
        for (size_t i = 0; i <= l->count; i++)
            value_push(a, bins, value_number(a, 0));
        value_set(a, v, "boundaries", bounds);
        value_set(a, v, "bins", bins);
        value_set(a, stats, kinds[kind].member, v);
    }
}

/* They rise, and there is at least one. */
static int set_one(struct call *call, struct device *device, int kind, const struct json *given,
                   struct error *err)
{
    struct latency fresh = { .bounds =
                                 arena_alloc(call->vm->arena, (given->length + 1) * sizeof *fresh.bounds) };
    bool good = (given->length > 0 || !vm_is(call->vm, 11)) && given->length <= BOUNDS_MAX;
    for (size_t i = 0; good && i < given->length; i++) {
        good =
            json_to_u64(given->items[i], &fresh.bounds[i]) && fresh.bounds[i] > (i ? fresh.bounds[i - 1] : 0);
        fresh.count = i + 1;
    }
    if (!good)
        return fail(err, ERR_INVALID_ARG, "Device '%s' set %s boundaries fail",
                    json_get_text(call->arguments, "id"), kinds[kind].word);
    device->latency[kind] = fresh;
    return 0;
}

static int set(struct call *call, struct error *err)
{
    const struct json *all = json_get(call->arguments, "boundaries");
    struct device *device = drive_find(call, err);
    bool any = all;
    if (!device)
        return -1;
    for (int kind = 0; kind < LATENCY_KINDS; kind++) {
        const struct json *one = json_get(call->arguments, kinds[kind].argument);
        any |= one != NULL;
        if (kind == LATENCY_APPEND && !vm_is(call->vm, 11))
            continue;
        if ((one || all) && set_one(call, device, kind, one ? one : all, err) < 0)
            return -1;
    }
    for (int kind = 0; kind < LATENCY_KINDS && !any; kind++)
        device->latency[kind].count = 0;
    return 0;
}

static const struct argument arguments[] = {
    { "id", ARG_TEXT, false },
    { "boundaries", ARG_ARRAY, true },
    { "boundaries-read", ARG_ARRAY, true },
    { "boundaries-write", ARG_ARRAY, true },
    { "boundaries-zap", ARG_ARRAY, true },
    { "boundaries-flush", ARG_ARRAY, true },
    { NULL, 0, false },
};
static const struct argument old_arguments[] = {
    { "id", ARG_TEXT, false },
    { "boundaries", ARG_ARRAY, true },
    { "boundaries-read", ARG_ARRAY, true },
    { "boundaries-write", ARG_ARRAY, true },
    { "boundaries-flush", ARG_ARRAY, true },
    { NULL, 0, false },
};

const struct command latency_commands[] = {
    { "block-latency-histogram-set", ONLY_MODERN, set, arguments },
    { "block-latency-histogram-set", ONLY_OLD, set, old_arguments },
    { NULL, ALWAYS, NULL, NULL },
};
