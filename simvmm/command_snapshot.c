/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of disks: overlays over them, and internal ones within a qcow2 image. */
#include <stdlib.h>

#include "base/text.h"
#include "simvmm/block_io.h"
#include "simvmm/clock.h"
#include "simvmm/command.h"
#include "simvmm/given.h"
#include "simvmm/job.h"
#include "simvmm/transaction.h"
#include "simvmm/value.h"

/* ---- overlays ---- */

struct overlaid {
    struct block_node *old, *overlay;
    bool created, was_read_only;
};

static void keep_overlay(void *data)
{
    struct overlaid *o = data;
    if (o->created) /* whoever had the old one has it, and it has no name of the client's */
        block_unref(o->overlay);
    free(o);
}

static void remove_overlay(void *data)
{
    struct overlaid *o = data;
    block_ref(o->old);
    block_set_backing(o->overlay, NULL);
    block_replace(o->overlay, o->old);
    (void) block_set_read_only(o->old, o->was_read_only, &(struct error) { ERR_NONE, 0, NULL });
    block_unref(o->old);
    keep_overlay(data);
}

/* The old node's users have the overlay, and it lies on the old node. */
static int append(struct call *call, struct block_node *old, struct block_node *overlay, bool created,
                  struct error *err)
{
    if (old->job)
        return fail(err, ERR_INVALID_ARG, "Node '%s' is busy: block device is in use by block job: %s",
                    old->name, job_type(old->job));
    struct overlaid *o = NEW(struct overlaid);
    *o = (struct overlaid) { old, overlay, created, old->read_only };
    block_replace(old, overlay);
    block_set_backing(overlay, old);
    (void) block_set_read_only(old, true, err);
    error_clear(err);
    transaction_add(call, keep_overlay, remove_overlay, o);
    return 0;
}

static bool is_used(const struct block_node *b)
{
    if (b->user || !block_is_active(b))
        return true;
    for (size_t i = 0; i < b->vm->blocks.count; i++)
        if (b->vm->blocks.items[i]->file == b)
            return true;
    return false;
}

static int snapshot(struct call *call, struct error *err)
{
    const char *node = json_get_text(call->arguments, "node"),
               *name = json_get_text(call->arguments, "overlay");
    struct block_node *old = block_get(call->vm, node, node, err);
    struct block_node *overlay = old ? block_get(call->vm, name, name, err) : NULL;
    if (!overlay)
        return -1;
    if (is_used(overlay))
        return fail(err, ERR_INVALID_ARG, "The overlay is already in use");
    if (overlay->backing)
        return fail(err, ERR_INVALID_ARG, "The overlay already has a backing image");
    if (!overlay->qcow2)
        return fail(err, ERR_INVALID_ARG, "The overlay does not support backing images");
    return append(call, old, overlay, false, err);
}

static int make_overlay(struct call *call, const struct block_node *old, const char *file, const char *format,
                        struct error *err)
{
    struct qcow2_plan plan = qcow2_plan_default;
    plan.size = old->size;
    plan.backing = block_filename(old, call->arena);
    plan.backing_format = old->driver;
    return block_make_file(file, format, &plan, err);
}

static int check_names(struct call *call, const struct block_node *old, struct error *err)
{
    const char *node = json_get_text(call->arguments, "node-name"),
               *name = json_get_text(call->arguments, "snapshot-node-name");
    (void) old;
    if (node && !name)
        return fail(err, ERR_INVALID_ARG, "New overlay node-name missing");
    if (name && block_find(call->vm, name))
        return fail(err, ERR_INVALID_ARG, "New overlay node-name already in use");
    return 0;
}

static int snapshot_sync(struct call *call, struct error *err)
{
    static const char *const modes[] = { "existing", "absolute-paths", NULL };
    const struct json *given = call->arguments;
    const char *file = json_get_text(given, "snapshot-file"), *format = json_get_text(given, "format");
    unsigned mode = 1;
    if (given_word(given, "mode", modes, &mode, err) < 0)
        return -1;
    struct block_node *old =
        block_get(call->vm, json_get_text(given, "device"), json_get_text(given, "node-name"), err);
    format = format ? format : "qcow2";
    if (!old || check_names(call, old, err) < 0)
        return -1;
    if (old->job)
        return fail(err, ERR_INVALID_ARG, "Node '%s' is busy: block device is in use by block job: %s",
                    old->name, job_type(old->job));
    if (mode == 1 && make_overlay(call, old, file, format, err) < 0)
        return -1;
    struct block_node *overlay = block_open_file(
        call->vm, file, format, json_get_text(given, "snapshot-node-name"), old, false, false, err);
    if (!overlay)
        return -1;
    if (append(call, old, overlay, true, err) == 0)
        return 0;
    block_unref(overlay);
    return -1;
}

/* ---- internal ones ---- */

struct internal {
    struct block_node *b;
    char *name;
};

static void keep_internal(void *data)
{
    struct internal *i = data;
    free(i->name);
    free(i);
}

static void remove_internal(void *data)
{
    struct internal *i = data;
    const struct qcow2_snapshot *s = qcow2_snapshot_find(i->b->qcow2, NULL, i->name);
    error_scope(err);
    if (s)
        (void) qcow2_snapshot_remove(i->b->qcow2, s, &err);
    keep_internal(data);
}

static struct block_node *find_qcow2(struct call *call, const char *what, struct error *err)
{
    const char *device = json_get_text(call->arguments, "device");
    struct block_node *b = block_get(call->vm, device, device, err);
    if (b && !b->qcow2)
        return fail(err, ERR_INVALID_ARG,
                    "Block format '%s' used by device '%s' does not support feature '%s'", b->driver, device,
                    what),
               NULL;
    return b;
}

static int internal_sync(struct call *call, struct error *err)
{
    const char *name = json_get_text(call->arguments, "name"),
               *device = json_get_text(call->arguments, "device");
    struct block_node *b = find_qcow2(call, "internal snapshot", err);
    if (!b)
        return -1;
    if (!block_is_active(b))
        return fail(err, ERR_INVALID_ARG, "Need a root block node");
    if (b->read_only)
        return fail(err, ERR_INVALID_ARG, "Device '%s' is read only", device);
    if (!*name)
        return fail(err, ERR_INVALID_ARG, "Name is empty");
    if (qcow2_snapshot_find(b->qcow2, NULL, name))
        return fail(err, ERR_INVALID_ARG, "Snapshot with name '%s' already exists on device '%s'", name,
                    device);
    uint64_t now = clock_wall(call->vm->clock);
    struct qcow2_snapshot about = { .name = (char *) name,
                                    .seconds = (uint32_t) (now / 1000000),
                                    .nanoseconds = (uint32_t) (now % 1000000) * 1000,
                                    .icount = UINT64_MAX };
    if (qcow2_snapshot_add(b->qcow2, &about, err) < 0)
        return -1;
    struct internal *i = NEW(struct internal);
    *i = (struct internal) { b, memory_copy_text(name) };
    transaction_add(call, keep_internal, remove_internal, i);
    return 0;
}

static int delete_internal_sync(struct call *call, struct error *err)
{
    const char *id = json_get_text(call->arguments, "id"), *name = json_get_text(call->arguments, "name"),
               *device = json_get_text(call->arguments, "device");
    struct block_node *b = find_qcow2(call, "internal snapshot deletion", err);
    if (!b)
        return -1;
    if (!id && !name)
        return fail(err, ERR_INVALID_ARG, "Name or id must be provided");
    const struct qcow2_snapshot *s = qcow2_snapshot_find(b->qcow2, id, name);
    if (!s)
        return fail(err, ERR_INVALID_ARG, "Snapshot with id '%s' and name '%s' does not exist on device '%s'",
                    id ? id : "null", name ? name : "null", device);
    struct json *v = value_object(call->arena);
    value_set_text(call->arena, v, "id", arena_copy(call->arena, s->id));
    value_set_text(call->arena, v, "name", arena_copy(call->arena, s->name));
    value_set_number(call->arena, v, "vm-state-size", (long long) s->state_size);
    value_set_number(call->arena, v, "date-sec", s->seconds);
    value_set_number(call->arena, v, "date-nsec", s->nanoseconds);
    value_set_number(call->arena, v, "vm-clock-sec", (long long) (s->clock_ns / 1000000000));
    value_set_number(call->arena, v, "vm-clock-nsec", (long long) (s->clock_ns % 1000000000));
    if (qcow2_snapshot_remove(b->qcow2, s, err) < 0)
        return -1;
    call_return(call, v);
    return 0;
}

static const struct argument snapshot_args[] = {
    { "node", ARG_TEXT, false },
    { "overlay", ARG_TEXT, false },
    { NULL, 0, false },
};
static const struct argument sync_args[] = {
    { "device", ARG_TEXT, true },
    { "node-name", ARG_TEXT, true },
    { "snapshot-file", ARG_TEXT, false },
    { "snapshot-node-name", ARG_TEXT, true },
    { "format", ARG_TEXT, true },
    { "mode", ARG_TEXT, true },
    { NULL, 0, false },
};
static const struct argument internal_args[] = {
    { "device", ARG_TEXT, false },
    { "name", ARG_TEXT, false },
    { NULL, 0, false },
};
static const struct argument delete_args[] = {
    { "device", ARG_TEXT, false },
    { "id", ARG_TEXT, true },
    { "name", ARG_TEXT, true },
    { NULL, 0, false },
};

const struct command snapshot_commands[] = {
    { "blockdev-snapshot", ALWAYS, snapshot, snapshot_args },
    { "blockdev-snapshot-sync", ALWAYS, snapshot_sync, sync_args },
    { "blockdev-snapshot-internal-sync", ALWAYS, internal_sync, internal_args },
    { "blockdev-snapshot-delete-internal-sync", ALWAYS, delete_internal_sync, delete_args },
    { NULL, ALWAYS, NULL, NULL },
};
