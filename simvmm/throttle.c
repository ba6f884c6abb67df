/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/throttle.h"

#include <stdlib.h>

#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/drive.h"
#include "simvmm/given.h"
#include "simvmm/value.h"

static const char *const names[THROTTLE_KINDS] = { "bps", "bps_rd", "bps_wr", "iops", "iops_rd", "iops_wr" };
static const int64_t LIMIT_MAX = 1000000000000000LL;

static void read_limits(struct throttle *t, const struct json *given)
{
    for (unsigned i = 0; i < THROTTLE_KINDS; i++) {
        owned_memory char *burst = memory_printf("%s_max", names[i]);
        owned_memory char *seconds = memory_printf("%s_max_length", names[i]);
        t->average[i] = given_number(given, names[i], 0);
        t->burst[i] = given_number(given, burst, 0);
        t->seconds[i] = given_number(given, seconds, 1);
    }
    t->request_size = given_number(given, "iops_size", 0);
}

static bool both(const int64_t *values, unsigned total)
{
    return values[total] && (values[total + 1] || values[total + 2]);
}

static int check(const struct throttle *t, struct error *err)
{
    if (both(t->average, 0) || both(t->average, 3) || both(t->burst, 0) || both(t->burst, 3))
        return fail(err, ERR_INVALID_ARG,
                    "bps/iops/max total values and read/write values cannot be used at the same time");
    bool iops = t->average[3] || t->average[4] || t->average[5];
    if (t->request_size && !iops)
        return fail(err, ERR_INVALID_ARG, "iops size requires an iops value to be set");
    for (unsigned i = 0; i < THROTTLE_KINDS; i++) {
        if (t->average[i] < 0 || t->burst[i] < 0 || t->average[i] > LIMIT_MAX || t->burst[i] > LIMIT_MAX)
            return fail(err, ERR_INVALID_ARG, "bps/iops/max values must be within [0, %lld]",
                        (long long) LIMIT_MAX);
        if (!t->seconds[i])
            return fail(err, ERR_INVALID_ARG, "the burst length cannot be 0");
        if (t->seconds[i] > 1 && !t->burst[i])
            return fail(err, ERR_INVALID_ARG, "burst length set without burst rate");
        if (t->burst[i] && !t->average[i])
            return fail(err, ERR_INVALID_ARG, "bps_max/iops_max require corresponding bps/iops values");
        if (t->burst[i] && t->burst[i] < t->average[i])
            return fail(err, ERR_INVALID_ARG, "bps_max/iops_max cannot be lower than bps/iops");
    }
    return 0;
}

static bool is_off(const struct throttle *t)
{
    for (unsigned i = 0; i < THROTTLE_KINDS; i++)
        if (t->average[i] || t->burst[i])
            return false;
    return true;
}

static struct throttle *group_get(struct vm *vm, const char *name)
{
    for (size_t i = 0; i < vm->throttles.count; i++)
        if (text_equal(vm->throttles.items[i]->group, name))
            return vm->throttles.items[i];
    struct throttle *t = NEW(struct throttle);
    t->group = memory_copy_text(name);
    vector_push(&vm->throttles, t);
    return t;
}

void throttle_leave(struct vm *vm, struct throttle *t)
{
    if (!t || --t->users)
        return;
    for (size_t i = 0; i < vm->throttles.count; i++)
        if (vm->throttles.items[i] == t) {
            vector_remove(&vm->throttles, i);
            break;
        }
    free(t->group);
    free(t);
}

int throttle_set(struct vm *vm, struct throttle **throttle, const char *device, const struct json *given,
                 struct error *err)
{
    struct throttle wanted = { .group = NULL };
    const char *name = json_get_text(given, "group");
    read_limits(&wanted, given);
    if (check(&wanted, err) < 0)
        return -1;
    struct throttle *old = *throttle;
    *throttle = NULL;
    if (!is_off(&wanted)) {
        struct throttle *t = group_get(vm, name ? name : old ? old->group : device);
        wanted.group = t->group;
        wanted.users = t->users + 1;
        *t = wanted;
        *throttle = t;
    }
    throttle_leave(vm, old);
    return 0;
}

void throttle_add(const struct throttle *t, struct json *v, struct arena *a)
{
    static const struct throttle none;
    const struct throttle *shown = t ? t : &none;
    for (unsigned i = 0; i < THROTTLE_KINDS; i++)
        value_set_number(a, v, names[i], shown->average[i]);
    for (unsigned i = 0; t && i < THROTTLE_KINDS; i++) {
        if (t->burst[i])
            value_set_number(a, v, arena_printf(a, "%s_max", names[i]), t->burst[i]);
        if (t->burst[i])
            value_set_number(a, v, arena_printf(a, "%s_max_length", names[i]), t->seconds[i]);
    }
    if (t && t->request_size)
        value_set_number(a, v, "iops_size", t->request_size);
    if (t)
        value_set_text(a, v, "group", t->group);
}

static int set(struct call *call, struct error *err)
{
    struct device *device = drive_find(call, err);
    struct block_node *b = device ? drive_node(call->vm, device) : NULL;
    if (!device)
        return -1;
    if (!b)
        return fail(err, ERR_INVALID_ARG, "Device has no medium");
    const char *name = b->drive ? b->drive : drive_owner(device, call->arena);
    return throttle_set(call->vm, &b->throttle, name, call->arguments, err);
}

#define RATE(name)                                                                                           \
    {                                                                                                        \
        name, ARG_NUMBER, false                                                                              \
    }
#define MORE(name)                                                                                           \
    {                                                                                                        \
        name, ARG_NUMBER, true                                                                               \
    }

static const struct argument arguments[] = {
    { "device", ARG_TEXT, true },
    { "id", ARG_TEXT, true },
    RATE("bps"),
    RATE("bps_rd"),
    RATE("bps_wr"),
    RATE("iops"),
    RATE("iops_rd"),
    RATE("iops_wr"),
    MORE("bps_max"),
    MORE("bps_rd_max"),
    MORE("bps_wr_max"),
    MORE("iops_max"),
    MORE("iops_rd_max"),
    MORE("iops_wr_max"),
    MORE("bps_max_length"),
    MORE("bps_rd_max_length"),
    MORE("bps_wr_max_length"),
    MORE("iops_max_length"),
    MORE("iops_rd_max_length"),
    MORE("iops_wr_max_length"),
    MORE("iops_size"),
    { "group", ARG_TEXT, true },
    { NULL, 0, false },
};

const struct command throttle_commands[] = {
    { "block_set_io_throttle", ALWAYS, set, arguments },
    { NULL, ALWAYS, NULL, NULL },
};
