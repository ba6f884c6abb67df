/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/block_value.h"

#include "base/text.h"
#include "simvmm/bitmap.h"
#include "simvmm/qcow2.h"
#include "simvmm/throttle.h"
#include "simvmm/value.h"

static const struct json *limits_value(const struct block_node *b, struct arena *a)
{
    struct json *v = value_object(a);
    value_set_number(a, v, "request-alignment", b->alignment ? b->alignment : 1);
    if (b->qcow2) {
        value_set_number(a, v, "discard-alignment", qcow2_facts(b->qcow2)->cluster_size);
        value_set_number(a, v, "write-zeroes-alignment", qcow2_facts(b->qcow2)->cluster_size);
    }
    value_set_number(a, v, "min-mem-alignment", b->direct ? 512 : 1);
    value_set_number(a, v, "opt-mem-alignment", 4096);
    value_set_number(a, v, "max-iov", 1024);
    return v;
}

static const struct json *qcow2_value(const struct qcow2_facts *f, struct arena *a)
{
    struct json *data = value_object(a), *v = value_object(a);
    value_set_text(a, data, "compat", f->version == 3 ? "1.1" : "0.10");
    if (f->version == 3) {
        value_set_text(a, data, "data-file", f->data_file);
        value_set_bool(a, data, "extended-l2", f->extended_l2);
        value_set_bool(a, data, "lazy-refcounts", f->lazy_refcounts);
        value_set_bool(a, data, "corrupt", f->corrupt);
    }
    value_set_number(a, data, "refcount-bits", f->refcount_bits);
    value_set_text(a, data, "compression-type", f->zstd ? "zstd" : "zlib");
    value_set_text(a, v, "type", "qcow2");
    value_set(a, v, "data", data);
    return v;
}

static const struct json *specific_value(const struct block_node *b, struct arena *a)
{
    if (b->qcow2)
        return qcow2_value(qcow2_facts(b->qcow2), a);
    if (!vm_is(b->vm, 11) || !text_equal(b->driver, "file"))
        return NULL;
    struct json *v = value_object(a);
    value_set_text(a, v, "type", "file");
    value_set(a, v, "data", value_object(a));
    return v;
}

static const struct json *snapshots_value(const struct qcow2 *q, struct arena *a)
{
    struct json *list = value_array(a);
    for (unsigned i = 0; i < qcow2_snapshot_count(q); i++) {
        const struct qcow2_snapshot *s = qcow2_snapshot_at(q, i);
        struct json *v = value_object(a);
        value_set_text(a, v, "id", s->id);
        value_set_text(a, v, "name", s->name);
        value_set_number(a, v, "vm-state-size", (long long) s->state_size);
        value_set_number(a, v, "date-sec", s->seconds);
        value_set_number(a, v, "date-nsec", s->nanoseconds);
        value_set_number(a, v, "vm-clock-sec", (long long) (s->clock_ns / 1000000000));
        value_set_number(a, v, "vm-clock-nsec", (long long) (s->clock_ns % 1000000000));
        if (s->icount != UINT64_MAX)
            value_set_number(a, v, "icount", (long long) s->icount);
        value_push(a, list, v);
    }
    return list;
}

static const struct json *image_value(const struct block_node *b, bool flat, struct arena *a)
{
    struct json *v = value_object(a);
    const struct qcow2_facts *f = b->qcow2 ? qcow2_facts(b->qcow2) : NULL;
    value_set_text(a, v, "filename", block_filename(b, a));
    value_set_text(a, v, "format", b->driver);
    value_set_bool(a, v, "dirty-flag", f && f->dirty);
    value_set_number(a, v, "actual-size", (long long) b->actual);
    value_set_number(a, v, "virtual-size", (long long) ((b->size + 511) / 512 * 512));
    if (f)
        value_set_number(a, v, "cluster-size", f->cluster_size);
    if (f && f->encrypted)
        value_set_bool(a, v, "encrypted", true);
    if (f && f->backing) {
        owned_memory char *full = block_path_beside(b->filename, f->backing);
        value_set_text(a, v, "backing-filename", arena_copy(a, f->backing));
        value_set_text(a, v, "full-backing-filename", arena_copy(a, full));
        value_set_text(a, v, "backing-filename-format", f->backing_format);
    }
    if (b->qcow2 && qcow2_snapshot_count(b->qcow2))
        value_set(a, v, "snapshots", snapshots_value(b->qcow2, a));
    if (b->backing && !flat)
        value_set(a, v, "backing-image", image_value(b->backing, false, a));
    value_set(a, v, "format-specific", specific_value(b, a));
    if (vm_is(b->vm, 11))
        value_set(a, v, "limits", limits_value(b, a));
    return v;
}

static void add_child(struct json *list, const struct block_node *child, const char *role, struct arena *a)
{
    if (!child)
        return;
    struct json *v = value_object(a);
    value_set_text(a, v, "node-name", child->name);
    value_set_text(a, v, "child", role);
    value_push(a, list, v);
}

/* In the order of QEMU's schema: of names that share a place, the order is seen. */
const struct json *block_value(const struct block_node *b, const struct throttle *throttle, bool flat,
                               struct arena *a)
{
    struct json *v = value_object(a), *cache = value_object(a), *children = value_array(a);
    value_set_text(a, v, "file", block_filename(b, a));
    value_set_text(a, v, "node-name", b->name);
    value_set_bool(a, v, "ro", b->read_only);
    value_set_text(a, v, "drv", b->driver);
    if (b->backing)
        value_set_text(a, v, "backing_file", block_filename(b->backing, a));
    value_set_number(a, v, "backing_file_depth", flat ? 0 : block_depth(b));
    add_child(children, b->backing, "backing", a);
    add_child(children, b->file, "file", a);
    if (vm_is(b->vm, 11)) {
        value_set(a, v, "children", children);
        value_set_bool(a, v, "active", true);
    }
    value_set_bool(a, v, "encrypted", b->qcow2 && qcow2_facts(b->qcow2)->encrypted);
    value_set_text(a, v, "detect_zeroes", b->detect_zeroes ? b->detect_zeroes : "off");
    throttle_add(throttle, v, a);
    value_set(a, v, "image", image_value(b, flat, a));
    value_set_bool(a, cache, "writeback", b->writeback);
    value_set_bool(a, cache, "direct", b->direct);
    value_set_bool(a, cache, "no-flush", b->no_flush);
    value_set(a, v, "cache", cache);
    value_set_number(a, v, "write_threshold", (long long) b->threshold);
    value_set(a, v, "dirty-bitmaps", bitmaps_value(b, a));
    return v;
}
