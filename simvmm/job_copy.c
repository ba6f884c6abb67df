/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/job_copy.h"

#include <stdlib.h>

#include "base/text.h"
#include "simvmm/block_io.h"

enum { PIECE = 1 << 20 }; /* bytes moved by one step */

/* ---- which parts are copied ---- */

struct piece {
    uint64_t offset, length;
    bool wanted;
};

static int look(const struct copy *c, struct block_node *from, const struct block_node *base,
                struct piece *part, struct error *err)
{
    enum extent kind;
    uint64_t size = c->source->size;
    if (block_extent(from, base, part->offset, size - part->offset, &kind, &part->length, err) < 0)
        return -1;
    part->wanted = kind != EXTENT_ABSENT;
    return 0;
}

static void look_bitmap(const struct copy *c, struct piece *part)
{
    const struct bitmap *b = c->bitmap;
    uint64_t first = part->offset / b->granularity, at = first, size = c->source->size;
    part->wanted = b->bits[first / 8] >> first % 8 & 1;
    while (at * b->granularity < size && (b->bits[at / 8] >> at % 8 & 1) == part->wanted)
        at++;
    uint64_t end = at * b->granularity < size ? at * b->granularity : size;
    part->length = end - part->offset;
}

/* What stands at part->offset, and for how long alike. */
static int look_for_copy(const struct copy *c, struct piece *part, struct error *err)
{
    if (c->bitmap) {
        look_bitmap(c, part);
        return 0;
    }
    switch (c->sync) {
    case SYNC_TOP:
        return look(c, c->source, c->source->backing, part, err);
    case SYNC_NONE:
        part->length = c->source->size - part->offset;
        part->wanted = false;
        return 0;
    default:
        return look(c, c->source, c->base, part, err);
    }
}

/* A mirror takes all of the disk unless it knows that its target is empty. */
static int look_for_mirror(const struct copy *c, struct piece *part, struct error *err)
{
    if (c->sync != SYNC_FULL || !c->all)
        return look_for_copy(c, part, err);
    part->length = c->source->size - part->offset;
    part->wanted = true;
    return 0;
}

static int look_for_backup(const struct copy *c, struct piece *part, struct error *err)
{
    if (c->sync != SYNC_FULL)
        return look_for_copy(c, part, err);
    part->length = c->source->size - part->offset;
    part->wanted = true;
    return 0;
}

static int look_for_commit(const struct copy *c, struct piece *part, struct error *err)
{
    return look(c, c->top, c->base, part, err);
}

/* What the top has already stays; what lies between it and the base is put into it. */
static int look_for_stream(const struct copy *c, struct piece *part, struct error *err)
{
    if (look(c, c->top, c->top->backing, part, err) < 0)
        return -1;
    if (part->wanted) {
        part->wanted = false;
        return 0;
    }
    uint64_t within = part->length;
    if (!c->top->backing || c->top->backing == c->base)
        return 0;
    if (look(c, c->top->backing, c->base, part, err) < 0)
        return -1;
    part->length = part->length < within ? part->length : within;
    return 0;
}

typedef int look_fn(const struct copy *c, struct piece *part, struct error *err);

/* The sum of all wanted parts, in whole granules. */
static int measure(const struct copy *c, look_fn *find, uint64_t *ret_total, struct error *err)
{
    struct piece part = { 0, 0, false };
    uint64_t total = 0, done = 0, size = c->source->size, g = c->granularity;
    for (; part.offset < size; part.offset += part.length) {
        if (find(c, &part, err) < 0)
            return -1;
        if (!part.wanted || !part.length)
            continue;
        uint64_t from = part.offset / g * g, to = (part.offset + part.length + g - 1) / g * g;
        from = from < done ? done : from;
        to = to < size ? to : size;
        total += to > from ? to - from : 0;
        done = to > done ? to : done;
    }
    *ret_total = total;
    return 0;
}

/* ---- steps ---- */

static uint64_t next_piece(const struct job *job, const struct piece *part)
{
    bool cheap = !part->wanted && !job->speed;
    return !cheap && part->length > PIECE ? PIECE : part->length;
}

/* Moves the job by one part; `all`: its length is the disk's, and what need not be copied counts as well. */
static enum job_step copy_step(struct job *job, look_fn *find, bool all, struct error *err)
{
    struct copy *c = job->data;
    struct piece part = { c->at, 0, false };
    if (c->at >= c->source->size)
        return JOB_STEP_DONE;
    bool writing = false;
    if (find(c, &part, err) < 0)
        return job_fault(job, false, c->on_source, err);
    uint64_t piece = next_piece(job, &part);
    if (part.wanted && block_copy(c->source, c->target, c->at, piece, &writing, err) < 0)
        return job_fault(job, writing && c->target != c->source, writing ? c->on_target : c->on_source, err);
    c->at += piece;
    if (all || part.wanted)
        job->offset = job->offset + piece < job->length ? job->offset + piece : job->length;
    return c->at >= c->source->size ? JOB_STEP_DONE : JOB_STEP_MORE;
}

static enum job_step backup_step(struct job *job, struct error *err)
{
    struct copy *c = job->data;
    if (c->sync == SYNC_NONE) /* it would only keep what the guest overwrites */
        return JOB_STEP_IDLE;
    enum job_step step = copy_step(job, look_for_backup, c->sync == SYNC_FULL && !c->bitmap, err);
    if (step == JOB_STEP_DONE)
        job->offset = job->length;
    return step;
}

static enum job_step mirror_step(struct job *job, struct error *err)
{
    enum job_step step = copy_step(job, look_for_mirror, false, err);
    if (step != JOB_STEP_DONE)
        return step;
    job->offset = job->length;
    return JOB_STEP_READY;
}

static enum job_step commit_active_step(struct job *job, struct error *err)
{
    enum job_step step = copy_step(job, look_for_commit, false, err);
    if (step != JOB_STEP_DONE)
        return step;
    job->offset = job->length;
    return JOB_STEP_READY;
}

static enum job_step commit_step(struct job *job, struct error *err)
{
    return copy_step(job, look_for_commit, true, err);
}

static enum job_step stream_step(struct job *job, struct error *err)
{
    return copy_step(job, look_for_stream, true, err);
}

/* ---- ends ---- */

/* What the overlay's header says lies below from now on. */
static int rewrite_header(struct block_node *overlay, struct block_node *base, const struct copy *c,
                          struct error *err)
{
    struct arena *a = overlay->vm->arena;
    const char *name = !base ? NULL : c->backing_name ? c->backing_name : block_filename(base, a);
    const char *format = !base ? NULL : c->mask_protocol && !base->file ? "raw" : base->driver;
    if (!overlay->qcow2)
        return 0;
    bool was = overlay->read_only;
    if (block_set_read_only(overlay, false, err) < 0)
        return -1;
    int result = qcow2_set_backing(overlay->qcow2, name, format, err);
    if (was && block_set_read_only(overlay, true, err) < 0)
        return -1;
    overlay->backing_name = arena_copy(a, name);
    return result;
}

static int mirror_commit(struct job *job, struct error *err)
{
    struct copy *c = job->data;
    (void) err;
    if (!job->completing)
        return 0;
    if (c->adopt_backing && c->sync != SYNC_FULL)
        block_set_backing(c->target, c->sync == SYNC_TOP ? c->source->backing : c->source);
    block_replace(c->replaced ? c->replaced : c->source, c->target);
    return 0;
}

static int backup_commit(struct job *job, struct error *err)
{
    struct copy *c = job->data;
    (void) err;
    for (size_t i = 0; c->clears && i < c->source->bitmaps.count; i++) {
        struct bitmap *b = c->source->bitmaps.items[i];
        if (!text_equal(b->name, c->clears))
            continue;
        bitmap_clear(b); /* QEMU has put a new one in its place */
        vector_remove(&c->source->bitmaps, i);
        vector_push(&c->source->bitmaps, b);
        break;
    }
    return 0;
}

static int commit_active_commit(struct job *job, struct error *err)
{
    struct copy *c = job->data;
    (void) err;
    if (job->completing)
        block_replace(c->source, c->base);
    return 0;
}

/* All that lay on the top lies on the base from now on. */
static int commit_commit(struct job *job, struct error *err)
{
    struct copy *c = job->data;
    struct vm *vm = job->vm;
    for (size_t i = 0; i < vm->blocks.count; i++) {
        struct block_node *b = vm->blocks.items[i];
        if (b->backing != c->top)
            continue;
        if (rewrite_header(b, c->base, c, err) < 0)
            return -1;
        block_set_backing(b, c->base);
    }
    return 0;
}

static int stream_commit(struct job *job, struct error *err)
{
    struct copy *c = job->data;
    if (rewrite_header(c->top, c->base, c, err) < 0)
        return -1;
    block_set_backing(c->top, c->base);
    return 0;
}

static void copy_done(struct job *job)
{
    struct copy *c = job->data;
    if (c->base_was_read_only && !(job->completing && job->kind == &job_commit_active))
        (void) block_set_read_only(c->base, true, &(struct error) { ERR_NONE, 0, NULL });
    bitmap_free(c->bitmap);
    free(c->backing_name);
    free(c);
}

const struct job_kind job_backup = { .type = "backup",
                                     .block = true,
                                     .restless = true,
                                     .step = backup_step,
                                     .commit = backup_commit,
                                     .done = copy_done };
const struct job_kind job_mirror = { .type = "mirror",
                                     .block = true,
                                     .lasts = true,
                                     .step = mirror_step,
                                     .commit = mirror_commit,
                                     .done = copy_done };
const struct job_kind job_commit = {
    .type = "commit", .block = true, .step = commit_step, .commit = commit_commit, .done = copy_done
};
const struct job_kind job_commit_active = { .type = "commit",
                                            .block = true,
                                            .lasts = true,
                                            .step = commit_active_step,
                                            .commit = commit_active_commit,
                                            .done = copy_done };
const struct job_kind job_stream = {
    .type = "stream", .block = true, .step = stream_step, .commit = stream_commit, .done = copy_done
};

static int find_length(const struct job_kind *kind, const struct copy *c, uint64_t *ret_length,
                       struct error *err)
{
    *ret_length = c->source->size;
    if (kind == &job_mirror)
        return measure(c, look_for_mirror, ret_length, err);
    if (kind == &job_commit_active)
        return measure(c, look_for_commit, ret_length, err);
    if (kind == &job_backup && c->sync != SYNC_NONE)
        return measure(c, look_for_backup, ret_length, err);
    return 0;
}

struct job *copy_new(struct vm *vm, const struct job_kind *kind, const struct job_options *options,
                     struct copy *copy, struct error *err)
{
    uint64_t length;
    if (!copy->granularity)
        copy->granularity = 65536;
    if (find_length(kind, copy, &length, err) < 0) {
        kind->done(&(struct job) { .kind = kind, .data = copy });
        return NULL;
    }
    struct block_node *source = copy->source, *target = copy->target, *top = copy->top, *base = copy->base;
    struct job *job = job_new(vm, kind, options, copy, err);
    if (!job)
        return NULL;
    job->length = length;
    job_take_node(job, source);
    if (target != source)
        job_take_node(job, target);
    for (struct block_node *b = top; b && b != base; b = b->backing)
        if (b != source && b != target)
            job_take_node(job, b);
    return job;
}
