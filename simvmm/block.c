/* SPDX-License-Identifier: Apache-2.0 */
/* The graph: who lies on whom, and who uses what. */
#include "simvmm/block.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/bitmap.h"
#include "simvmm/device.h"
#include "simvmm/image_lock.h"
#include "simvmm/job.h"
#include "simvmm/qcow2.h"
#include "simvmm/value.h"

struct block_node *block_find(const struct vm *vm, const char *name)
{
    for (size_t i = 0; i < vm->blocks.count; i++) {
        struct block_node *b = vm->blocks.items[i];
        if (text_equal(b->name, name) || text_equal(b->drive, name))
            return b;
    }
    return NULL;
}

static struct block_node *find_by(const struct vm *vm, const char *drive, const char *node)
{
    for (size_t i = 0; i < vm->blocks.count; i++) {
        struct block_node *b = vm->blocks.items[i];
        if ((drive && text_equal(b->drive, drive)) || (node && text_equal(b->name, node)))
            return b;
    }
    return NULL;
}

struct block_node *block_get(const struct vm *vm, const char *device, const char *node, struct error *err)
{
    struct block_node *b = find_by(vm, device, node);
    if (!b)
        (void) fail(err, ERR_INVALID_ARG, "Cannot find device='%s' nor node-name='%s'", device ? device : "",
                    node ? node : "");
    return b;
}

void block_free(struct block_node *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->bitmaps.count; i++)
        bitmap_free(b->bitmaps.items[i]);
    vector_done(&b->bitmaps);
    qcow2_free(b->qcow2);
    if (b->fd >= 0)
        close(b->fd);
    free(b);
}

void block_ref(struct block_node *b)
{
    b->users++;
}

void block_unref(struct block_node *b)
{
    if (!b || --b->users)
        return;
    struct vm *vm = b->vm;
    struct block_node *file = b->file, *backing = b->backing;
    for (size_t i = 0; i < vm->blocks.count; i++)
        if (vm->blocks.items[i] == b) {
            vector_remove(&vm->blocks, i);
            break;
        }
    bitmaps_save(b);
    if (b->qcow2 && file->fd >= 0)
        image_unlock(file->fd);
    block_free(b);
    block_unref(file);
    block_unref(backing);
}

/* ---- devices ---- */

static void add_owner(struct buffer *out, const struct qom_node *user)
{
    struct qom_node *inner = qom_child(user, "virtio-backend");
    qom_path(inner ? inner : user, out);
}

static bool shares(const struct qom_node *user)
{
    const struct qom_property *p = qom_property_find(user, "share-rw");
    return p && text_equal(p->value, "true");
}

bool block_is_inactive(const struct vm *vm)
{
    return vm->incoming_deferred || vm->incoming_uri || vm->state == RUN_INMIGRATE;
}

static int lock_bottom(const struct block_node *b, const struct qom_node *user, struct error *err)
{
    const struct block_node *bottom = b;
    while (bottom->file)
        bottom = bottom->file;
    if (bottom->fd < 0 || bottom->unlocked || block_is_inactive(b->vm))
        return 0;
    return image_lock(bottom->fd, bottom->filename, !b->read_only, shares(user), err);
}

int block_attach(struct vm *vm, struct block_node *b, struct qom_node *user, struct error *err)
{
    (void) vm;
    if (b->user && b->user != user && !b->read_only && !(shares(b->user) && shares(user))) {
        owned_buffer struct buffer first = { 0 }, second = { 0 };
        add_owner(&first, b->user);
        add_owner(&second, user);
        return fail(
            err, ERR_INVALID_ARG,
            "Permission conflict on node '%s': permissions 'write' are both required by block device '%s'"
            " (uses node '%s' as 'root' child) and unshared by block device '%s' (uses node '%s' as 'root' "
            "child).",
            b->name, buffer_text(&first), b->name, buffer_text(&second), b->name);
    }
    if (lock_bottom(b, user, err) < 0)
        return -1;
    if (!b->user)
        block_ref(b);
    b->user = user;
    return 0;
}

void block_detach(struct vm *vm, const struct qom_node *user)
{
    for (size_t i = vm->blocks.count; i-- > 0;) {
        struct block_node *b = vm->blocks.items[i];
        if (b->user != user)
            continue;
        b->user = NULL;
        block_unref(b);
        i = vm->blocks.count;
    }
}

/* ---- blockdev-del ---- */

static int check_unused(const struct vm *vm, const struct block_node *b, struct error *err)
{
    for (size_t i = 0; i < vm->blocks.count; i++)
        if (vm->blocks.items[i]->backing == b)
            return fail(err, ERR_INVALID_ARG, "Node '%s' is busy: node is used as backing hd of '%s'",
                        b->name, vm->blocks.items[i]->name);
    if (b->job)
        return fail(err, ERR_INVALID_ARG, "Node '%s' is busy: block device is in use by block job: %s",
                    b->name, job_type(b->job));
    if (b->user)
        return fail(err, ERR_INVALID_ARG, "Node %s is in use", b->name);
    if (!b->named)
        return fail(err, ERR_INVALID_ARG, "Node %s is not owned by the monitor", b->name);
    if (b->users > 1)
        return fail(err, ERR_INVALID_ARG, "Block device %s is in use", b->name);
    return 0;
}

int block_delete(struct vm *vm, const char *name, struct error *err)
{
    struct block_node *b = block_find(vm, name);
    if (!b || !text_equal(b->name, name))
        return fail(err, ERR_INVALID_ARG, "Failed to find node with node-name='%s'", name);
    if (check_unused(vm, b, err) < 0)
        return -1;
    b->named = false;
    block_unref(b);
    return 0;
}

/* ---- the graph ---- */

void block_set_backing(struct block_node *b, struct block_node *backing)
{
    struct block_node *old = b->backing;
    if (backing)
        block_ref(backing);
    b->backing = backing;
    block_unref(old);
}

static void move_user(struct vm *vm, struct block_node *from, struct block_node *to)
{
    struct qom_node *user = from->user, *inner = user ? qom_child(user, "virtio-backend") : NULL;
    const char *name = from->drive ? from->drive : to->name;
    if (!user)
        return;
    to->drive = from->drive;
    from->drive = NULL;
    for (size_t i = 0; i < vm->devices.count; i++)
        if (vm->devices.items[i]->node == user)
            vm->devices.items[i]->drive = name;
    qom_set_text(user, "drive", name);
    if (inner)
        qom_set_text(inner, "drive", name);
    to->throttle = from->throttle;
    from->throttle = NULL;
    block_ref(to);
    to->user = user;
    from->user = NULL;
    (void) lock_bottom(to, user, &(struct error) { ERR_NONE, 0, NULL });
    block_unref(from);
}

void block_replace(struct block_node *from, struct block_node *to)
{
    struct vm *vm = from->vm;
    block_ref(from);
    for (size_t i = 0; i < vm->blocks.count; i++)
        if (vm->blocks.items[i]->backing == from && vm->blocks.items[i] != to)
            block_set_backing(vm->blocks.items[i], to);
    for (size_t i = 0; i < vm->blocks.count; i++) {
        struct block_node *b = vm->blocks.items[i];
        if (b->file != from || b == to)
            continue;
        block_ref(to);
        b->file = to;
        block_unref(from);
    }
    move_user(vm, from, to);
    block_unref(from);
}

bool block_is_above(const struct block_node *top, const struct block_node *base)
{
    for (; top; top = top->backing)
        if (top == base)
            return true;
    return false;
}

struct block_node *block_overlay(const struct block_node *active, const struct block_node *b)
{
    for (; active; active = active->backing)
        if (active->backing == b)
            return (struct block_node *) active;
    return NULL;
}

unsigned block_depth(const struct block_node *b)
{
    unsigned depth = 0;
    while ((b = b->backing))
        depth++;
    return depth;
}

bool block_is_active(const struct block_node *b)
{
    for (size_t i = 0; i < b->vm->blocks.count; i++)
        if (b->vm->blocks.items[i]->backing == b)
            return false;
    return true;
}

/* ---- names ---- */

/* What lies below is not what the image itself asks for. */
static bool is_overridden(const struct block_node *b, struct arena *a)
{
    if (!b->qcow2)
        return false;
    const char *asked = b->backing_name;
    if (!b->backing)
        return asked != NULL;
    return !text_equal(asked, block_filename(b->backing, a));
}

static const struct json *options_of(const struct block_node *b, struct arena *a)
{
    struct json *v = value_object(a);
    if (b->backing && is_overridden(b, a))
        value_set(a, v, "backing", options_of(b->backing, a));
    if (!b->backing && is_overridden(b, a))
        value_set(a, v, "backing", value_null(a));
    if (b->file)
        value_set(a, v, "file", options_of(b->file, a));
    if (!b->file && b->filename)
        value_set_text(a, v, "filename", b->filename);
    value_set_text(a, v, "driver", b->driver);
    return v;
}

static bool needs_options(const struct block_node *b, struct arena *a)
{
    for (; b; b = b->file)
        if (is_overridden(b, a))
            return true;
    return false;
}

const char *block_filename(const struct block_node *b, struct arena *a)
{
    if (!needs_options(b, a))
        return b->filename                       ? b->filename
               : text_starts(b->driver, "null-") ? arena_printf(a, "%s://", b->driver)
                                                 : "";
    owned_buffer struct buffer out = { 0 };
    buffer_add_text(&out, "json:");
    value_print(&out, options_of(b, a));
    return arena_copy(a, buffer_text(&out));
}
