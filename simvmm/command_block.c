/* SPDX-License-Identifier: Apache-2.0 */
/* Queries about disks. */
#include "base/text.h"
#include "simvmm/block_value.h"
#include "simvmm/command.h"
#include "simvmm/drive.h"
#include "simvmm/given.h"
#include "simvmm/latency.h"
#include "simvmm/value.h"

static int named_nodes(struct call *call, struct error *err)
{
    (void) err;
    struct json *list = value_array(call->arena);
    bool flat = given_bool(call->arguments, "flat", false);
    block_measure(call->vm);
    for (size_t i = call->vm->blocks.count; i-- > 0;) {
        value_push(call->arena, list, block_value(call->vm->blocks.items[i], NULL, flat, call->arena));
    }
    call_return(call, list);
    return 0;
}

/* A device that has a disk, or could have one put in. */
static const struct json *drive_value(const struct call *call, const struct device *device, bool flat)
{
    struct arena *a = call->arena;
    const struct block_node *b = device->drive ? block_find(call->vm, device->drive) : NULL;
    struct json *v = value_object(a);
    value_set_text(a, v, "device", b && b->drive ? b->drive : "");
    value_set_text(a, v, "qdev", drive_owner(device, a));
    value_set_text(a, v, "type", "unknown");
    value_set_bool(a, v, "removable", drive_is_removable(device));
    value_set_bool(a, v, "locked", false);
    if (b)
        value_set(a, v, "inserted", block_value(b, b->throttle, flat, call->arena));
    if (drive_has_tray(device))
        value_set_bool(a, v, "tray_open", device->tray_open);
    value_set_text(a, v, "io-status", device->io_status ? device->io_status : "ok");
    return v;
}

static int query_block(struct call *call, struct error *err)
{
    (void) err;
    block_measure(call->vm);
    struct json *list = value_array(call->arena);
    bool flat = given_bool(call->arguments, "flat", false);
    for (size_t i = 0; i < call->vm->devices.count; i++) {
        const struct device *device = call->vm->devices.items[i];
        if (device->drive || drive_is_removable(device))
            value_push(call->arena, list, drive_value(call, device, flat));
    }
    call_return(call, list);
    return 0;
}

/* ---- statistics ---- */

static const struct json *stats_value(const struct call *call, const struct device *device)
{
    static const char *const numbers[] = {
        "rd_bytes",
        "wr_bytes",
        "rd_operations",
        "wr_operations",
        "flush_operations",
        "rd_total_time_ns",
        "wr_total_time_ns",
        "flush_total_time_ns",
        "wr_highest_offset",
        "rd_merged",
        "wr_merged",
        "unmap_bytes",
        "unmap_operations",
        "unmap_merged",
        "unmap_total_time_ns",
        "failed_rd_operations",
        "failed_wr_operations",
        "failed_flush_operations",
        "failed_unmap_operations",
        "invalid_rd_operations",
        "invalid_wr_operations",
        "invalid_flush_operations",
        "invalid_unmap_operations",
    };
    static const char *const newer[] = {
        "zone_append_bytes",         "zone_append_operations",        "zone_append_merged",
        "zone_append_total_time_ns", "failed_zone_append_operations", "invalid_zone_append_operations",
    };
    struct arena *a = call->arena;
    struct json *v = value_object(a);
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        value_set_number(a, v, numbers[i], 0);
    for (size_t i = 0; i < ARRAY_COUNT(newer) && vm_is(call->vm, 11); i++)
        value_set_number(a, v, newer[i], 0);
    value_set(a, v, "timed_stats", value_array(a));
    value_set_bool(a, v, "account_invalid", device != NULL);
    value_set_bool(a, v, "account_failed", device != NULL);
    if (device)
        latency_add(device, v, a);
    return v;
}

static const struct json *node_stats(const struct call *call, const struct block_node *b, bool alone)
{
    struct arena *a = call->arena;
    struct json *v = value_object(a);
    value_set_text(a, v, "node-name", b->name);
    value_set(a, v, "stats", stats_value(call, NULL));
    if (text_equal(b->driver, "file")) {
        struct json *specific = value_object(a);
        value_set_number(a, specific, "discard-nb-ok", 0);
        value_set_number(a, specific, "discard-nb-failed", 0);
        value_set_number(a, specific, "discard-bytes-ok", 0);
        value_set_text(a, specific, "driver", "file");
        value_set(a, v, "driver-specific", specific);
    }
    if (b->file)
        value_set(a, v, "parent", node_stats(call, b->file, alone));
    if (b->backing && !alone)
        value_set(a, v, "backing", node_stats(call, b->backing, false));
    return v;
}

static const struct json *drive_stats(const struct call *call, const struct device *device)
{
    struct arena *a = call->arena;
    const struct block_node *b = device->drive ? block_find(call->vm, device->drive) : NULL;
    struct json *v = value_object(a);
    value_set_text(a, v, "device", b && b->drive ? b->drive : "");
    value_set_text(a, v, "qdev", drive_owner(device, a));
    if (b)
        value_set_text(a, v, "node-name", b->name);
    value_set(a, v, "stats", stats_value(call, device));
    if (b && b->file)
        value_set(a, v, "parent", node_stats(call, b->file, false));
    if (b && b->backing)
        value_set(a, v, "backing", node_stats(call, b->backing, false));
    return v;
}

static int blockstats(struct call *call, struct error *err)
{
    bool nodes = false;
    (void) err;
    json_to_bool(json_get(call->arguments, "query-nodes"), &nodes);
    struct json *list = value_array(call->arena);
    for (size_t i = 0; nodes && i < call->vm->blocks.count; i++)
        value_push(call->arena, list, node_stats(call, call->vm->blocks.items[i], true));
    for (size_t i = 0; !nodes && i < call->vm->devices.count; i++) {
        const struct device *device = call->vm->devices.items[i];
        if (device->drive || drive_is_removable(device))
            value_push(call->arena, list, drive_stats(call, device));
    }
    call_return(call, list);
    return 0;
}

static const struct argument flat_args[] = { { "flat", ARG_BOOL, true }, { NULL, 0, false } };
static const struct argument nodes_args[] = { { "query-nodes", ARG_BOOL, true }, { NULL, 0, false } };

const struct command block_commands[] = {
    { "query-block", ALWAYS, query_block, flat_args },
    { "query-named-block-nodes", ALWAYS, named_nodes, flat_args },
    { "query-blockstats", ALWAYS, blockstats, nodes_args },
    { NULL, ALWAYS, NULL, NULL },
};
