/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes come, go and change: blockdev-add and -del, -reopen, sizes, thresholds, what lies below. */
#include "base/text.h"
#include "simvmm/block_check.h"
#include "simvmm/block_io.h"
#include "simvmm/command.h"
#include "simvmm/device.h"
#include "simvmm/given.h"
#include "simvmm/job.h"
#include "simvmm/keyval.h"

static int blockdev_add(struct call *call, struct error *err)
{
    if (block_check(call->arguments, true, err) < 0)
        return -1;
    if (!json_get(call->arguments, "node-name"))
        return fail(err, ERR_INVALID_ARG, "'node-name' must be specified for the root node");
    struct block_node *b = block_create(call->vm, call->arguments, err);
    if (!b)
        return -1;
    b->named = true;
    return 0;
}

static int blockdev_del(struct call *call, struct error *err)
{
    return block_delete(call->vm, json_get_text(call->arguments, "node-name"), err);
}

/* ---- reopen ---- */

static int check_reopen(struct call *call, const struct json *given, struct error *err)
{
    const char *name = json_get_text(given, "node-name"), *driver = json_get_text(given, "driver");
    if (block_check(given, true, err) < 0)
        return -1;
    if (!name)
        return fail(err, ERR_INVALID_ARG, "node-name not specified");
    const struct block_node *b = block_find(call->vm, name);
    if (!b)
        return fail(err, ERR_INVALID_ARG, "Failed to find node with node-name='%s'", name);
    if (b->qcow2 && !json_get(given, "backing") && (b->backing || b->backing_name))
        return fail(err, ERR_INVALID_ARG, "backing is missing for '%s'", name);
    if (!text_equal(b->driver, driver))
        return fail(err, ERR_INVALID_ARG, "Cannot change the option 'driver'");
    return 0;
}

static int reopen_backing(struct call *call, struct block_node *b, const struct json *backing,
                          struct error *err)
{
    if (!backing || backing->type == JSON_OBJECT)
        return 0;
    struct block_node *below = NULL;
    if (backing->type == JSON_STRING &&
        !(below = block_get(call->vm, json_text(backing), json_text(backing), err)))
        return -1;
    if (below && block_is_above(below, b))
        return fail(err, ERR_INVALID_ARG, "Making '%s' a backing child of '%s' would create a cycle",
                    below->name, b->name);
    block_set_backing(b, below);
    return 0;
}

static int reopen_one(struct call *call, const struct json *given, struct error *err)
{
    struct block_node *b = block_find(call->vm, json_get_text(given, "node-name"));
    const struct json *file = json_get(given, "file");
    if (b->file && file && file->type == JSON_STRING && !text_equal(json_text(file), b->file->name)) {
        struct block_node *below = block_get(call->vm, json_text(file), json_text(file), err);
        if (!below)
            return -1;
        block_ref(below);
        block_unref(b->file);
        b->file = below;
        b->filename = below->filename;
        if (block_refresh(b, err) < 0)
            return -1;
    }
    bool read_only = given_bool(given, "read-only", false);
    if (read_only && b->user && !b->read_only)
        return fail(err, ERR_INVALID_ARG, "Block node is read-only");
    if (read_only != b->read_only && block_set_read_only(b, read_only, err) < 0)
        return -1;
    b->detect_zeroes = arena_copy(call->vm->arena, keyval_text(given, "detect-zeroes"));
    return reopen_backing(call, b, json_get(given, "backing"), err);
}

static int blockdev_reopen(struct call *call, struct error *err)
{
    const struct json *options = json_get(call->arguments, "options");
    for (size_t i = 0; i < options->length; i++)
        if (check_reopen(call, options->items[i], err) < 0)
            return -1;
    for (size_t i = 0; i < options->length; i++)
        if (reopen_one(call, options->items[i], err) < 0)
            return -1;
    return 0;
}

static int change_backing_file(struct call *call, struct error *err)
{
    const char *device = json_get_text(call->arguments, "device"),
               *name = json_get_text(call->arguments, "image-node-name"),
               *file = json_get_text(call->arguments, "backing-file");
    struct block_node *active = block_get(call->vm, device, device, err);
    struct block_node *b = active ? block_get(call->vm, NULL, name, err) : NULL;
    if (!b)
        return -1;
    if (!b->backing)
        return fail(err, ERR_INVALID_ARG,
                    "not allowing backing file change on an image without a backing file");
    if (!block_is_above(active, b))
        return fail(err, ERR_INVALID_ARG, "'%s' and image file are not in the same chain", device);
    if (!b->qcow2)
        return fail(err, ERR_INVALID_ARG, "Could not change backing file to '%s'", file);
    bool was = b->read_only;
    if (block_set_read_only(b, false, err) < 0)
        return -1;
    int result = qcow2_set_backing(b->qcow2, *file ? file : NULL, *file ? b->backing->driver : NULL, err);
    if (was && block_set_read_only(b, true, err) < 0)
        return -1;
    b->backing_name = arena_copy(call->vm->arena, *file ? file : NULL);
    return result;
}

/* ---- size ---- */

static int busy_below(const struct block_node *b, struct error *err)
{
    for (size_t i = 0; i < b->vm->blocks.count && vm_is(b->vm, 11); i++)
        if (b->vm->blocks.items[i]->backing == b)
            return fail(err, ERR_INVALID_ARG, "Node '%s' is busy: node is used as backing hd of '%s'",
                        b->name, b->vm->blocks.items[i]->name);
    return fail(err, ERR_INVALID_ARG, "Device '(null)' is in use");
}

static int block_resize(struct call *call, struct error *err)
{
    const char *device = json_get_text(call->arguments, "device"),
               *node = json_get_text(call->arguments, "node-name");
    int64_t size = given_number(call->arguments, "size", 0);
    struct block_node *b = block_get(call->vm, device, node, err);
    if (!b)
        return -1;
    if (size < 0)
        return fail(err, ERR_INVALID_ARG, "Parameter 'size' expects a >0 size");
    if (!block_is_active(b))
        return busy_below(b, err);
    if (b->job)
        return fail(err, ERR_INVALID_ARG, "Node '%s' is busy: block device is in use by block job: %s",
                    b->name, job_type(b->job));
    if (b->read_only)
        return fail(err, ERR_INVALID_ARG, "Image is read-only");
    if (size % 512 && b->qcow2)
        return fail(err, ERR_INVALID_ARG, "The new size must be a multiple of 512");
    if (block_truncate(b, (uint64_t) size, err) < 0)
        return -1;
    for (struct block_node *n = b->file; n; n = n->file)
        (void) block_refresh(n, err);
    return 0;
}

static int write_threshold(struct call *call, struct error *err)
{
    const char *name = json_get_text(call->arguments, "node-name");
    struct block_node *b = block_find(call->vm, name);
    if (!b)
        return fail(err, ERR_INVALID_ARG, "Device '%s' not found", name);
    b->threshold = (uint64_t) given_number(call->arguments, "write-threshold", 0);
    return 0;
}

static const struct argument anything[] = { { "", ARG_REST, false } };
static const struct argument node_args[] = { { "node-name", ARG_TEXT, false }, { NULL, 0, false } };
static const struct argument reopen_args[] = { { "options", ARG_ARRAY, false }, { NULL, 0, false } };
static const struct argument backing_args[] = {
    { "device", ARG_TEXT, false },
    { "image-node-name", ARG_TEXT, false },
    { "backing-file", ARG_TEXT, false },
    { NULL, 0, false },
};
static const struct argument resize_args[] = {
    { "device", ARG_TEXT, true },
    { "node-name", ARG_TEXT, true },
    { "size", ARG_NUMBER, false },
    { NULL, 0, false },
};
static const struct argument threshold_args[] = {
    { "node-name", ARG_TEXT, false },
    { "write-threshold", ARG_NUMBER, false },
    { NULL, 0, false },
};

const struct command node_commands[] = {
    { "blockdev-add", ALWAYS, blockdev_add, anything },
    { "blockdev-del", ALWAYS, blockdev_del, node_args },
    { "blockdev-reopen", ALWAYS, blockdev_reopen, reopen_args },
    { "change-backing-file", ALWAYS, change_backing_file, backing_args },
    { "block_resize", ALWAYS, block_resize, resize_args },
    { "block-set-write-threshold", ALWAYS, write_threshold, threshold_args },
    { NULL, ALWAYS, NULL, NULL },
};
