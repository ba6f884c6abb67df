/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/guest_stats.h"

#include "simvmm/clock.h"
#include "simvmm/device.h"
#include "simvmm/guest.h"
#include "simvmm/value.h"

int guest_stats_check(const struct json *interval, struct error *err)
{
    int64_t seconds;
    if (!json_to_i64(interval, &seconds))
        return fail(err, ERR_INVALID_ARG,
                    "Invalid parameter type for 'guest-stats-polling-interval', expected: integer");
    if (seconds < 0)
        return fail(err, ERR_INVALID_ARG, "timer value must be greater than zero");
    return seconds > UINT32_MAX ? fail(err, ERR_INVALID_ARG, "timer value is too big") : 0;
}

/* A quarter of its memory is used, a quarter caches; what it does not count is -1. */
static void describe(const struct vm *vm, struct buffer *out)
{
    static const char *const unknown[] = { "stat-htlb-pgalloc", "stat-htlb-pgfail" };
    static const char *const idle[] = { "stat-swap-in", "stat-swap-out", "stat-major-faults" };
    static const char *const newer[] = { "stat-alloc-stalls", "stat-async-scans", "stat-direct-scans",
                                         "stat-async-reclaims", "stat-direct-reclaims", "stat-oom-kills" };
    owned(arena) struct arena *a = arena_new();
    struct json *v = value_object(a), *stats = value_object(a);
    long long total = (long long) (vm->balloon - vm->balloon / 16);
    for (size_t i = 0; i < ARRAY_COUNT(unknown); i++)
        value_set(a, stats, unknown[i], value_digits(a, "18446744073709551615"));
    for (size_t i = 0; i < ARRAY_COUNT(idle); i++)
        value_set_number(a, stats, idle[i], 0);
    for (size_t i = 0; i < ARRAY_COUNT(newer) && vm_is(vm, 11); i++)
        value_set_number(a, stats, newer[i], 0);
    value_set_number(a, stats, "stat-minor-faults", (long long) guest_uptime(vm));
    value_set_number(a, stats, "stat-total-memory", total);
    value_set_number(a, stats, "stat-free-memory", total / 2);
    value_set_number(a, stats, "stat-available-memory", total / 4 * 3);
    value_set_number(a, stats, "stat-disk-caches", total / 4);
    value_set(a, v, "stats", stats);
    value_set_number(a, v, "last-update", (long long) (clock_wall(vm->clock) / 1000000));
    value_print(out, v);
}

static void tell(struct vm *vm)
{
    owned_buffer struct buffer text = { 0 };
    if (!vm->stats_interval || !vm->balloon_device)
        return;
    guest_plan(vm, vm->stats_interval * 1000, tell);
    if (!guest_is_up(vm))
        return;
    describe(vm, &text);
    struct qom_node *node = vm->balloon_device->node, *inner = qom_child(node, "virtio-backend");
    qom_set(node, "guest-stats", buffer_text(&text));
    if (inner)
        qom_set(inner, "guest-stats", buffer_text(&text));
}

void guest_stats_poll(struct vm *vm, struct qom_node *node, uint64_t seconds)
{
    bool planned = vm->stats_interval != 0;
    if (!vm->balloon_device || (node != vm->balloon_device->node && node->parent != vm->balloon_device->node))
        return;
    vm->stats_interval = seconds;
    if (seconds && !planned)
        guest_plan(vm, seconds * 1000, tell);
}

void guest_stats_resume(struct vm *vm)
{
    if (vm->stats_interval)
        guest_plan(vm, vm->stats_interval * 1000, tell);
}
