/* SPDX-License-Identifier: Apache-2.0 */
/* Dirty bitmaps are made, cleared, merged and removed, each of it undone if its transaction fails. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/bitmap.h"
#include "simvmm/block.h"
#include "simvmm/command.h"
#include "simvmm/given.h"
#include "simvmm/job.h"
#include "simvmm/qcow2.h"
#include "simvmm/transaction.h"

enum { NAME_MAX_LENGTH = 1023, GRANULES_MAX = 1 << 30 };

/* ---- undoing ---- */

/* What the bitmap was, and its place; put back, or forgotten. */
struct before {
    struct block_node *b;
    char *name;
    struct bitmap *was;
    size_t at;
};

static void forget(void *data)
{
    struct before *before = data;
    bitmap_free(before->was);
    free(before->name);
    free(before);
}

static size_t place_of(const struct block_node *b, const char *name)
{
    size_t at = 0;
    while (at < b->bitmaps.count && !text_equal(b->bitmaps.items[at]->name, name))
        at++;
    return at;
}

static void take_out(struct block_node *b, const char *name)
{
    size_t at = place_of(b, name);
    if (at == b->bitmaps.count)
        return;
    bitmap_free(b->bitmaps.items[at]);
    vector_remove(&b->bitmaps, at);
}

static void put_back(void *data)
{
    struct before *before = data;
    take_out(before->b, before->name);
    if (before->was)
        vector_insert(&before->b->bitmaps, before->at, take(before->was));
    forget(before);
}

static void remember(struct call *call, struct block_node *b, const char *name)
{
    const struct bitmap *now = bitmap_find(b, name);
    struct before *before = NEW(struct before);
    *before = (struct before) { b, memory_copy_text(name), now ? bitmap_copy(now) : NULL, place_of(b, name) };
    transaction_add(call, forget, put_back, before);
}

/* ---- commands ---- */

static struct block_node *find_node(struct call *call, struct error *err)
{
    const char *name = json_get_text(call->arguments, "node");
    return block_get(call->vm, name, name, err);
}

static struct bitmap *find(struct call *call, const char *key, struct block_node **ret_node,
                           struct error *err)
{
    const char *name = json_get_text(call->arguments, key);
    struct block_node *b = find_node(call, err);
    struct bitmap *m = b ? bitmap_find(b, name) : NULL;
    if (b && !m)
        (void) fail(err, ERR_INVALID_ARG, "Dirty bitmap '%s' not found", name);
    *ret_node = b;
    return m;
}

static uint32_t default_granularity(const struct block_node *b)
{
    unsigned size = b->qcow2 ? qcow2_facts(b->qcow2)->cluster_size : 65536;
    return size < 4096 ? 4096 : size > 65536 ? 65536 : size;
}

static int check_new(const struct block_node *b, const char *name, int64_t granularity, bool persistent,
                     struct error *err)
{
    if (!*name)
        return fail(err, ERR_INVALID_ARG, "Bitmap name cannot be empty");
    if (granularity < 512 || (granularity & (granularity - 1)))
        return fail(err, ERR_INVALID_ARG, "Granularity must be power of 2 and at least 512");
    if (granularity > INT32_MAX || b->size / (uint64_t) granularity > GRANULES_MAX)
        return fail(err, ERR_INVALID_ARG, "Granularity does not fit the size of the disk");
    if (persistent && b->read_only && vm_is(b->vm, 11))
        return fail(err, ERR_INVALID_ARG, "Cannot add a persistent bitmap to read-only or inactive node '%s'",
                    b->name);
    if (persistent && !b->qcow2)
        return fail(err, ERR_INVALID_ARG, "Cannot store dirty bitmaps in file '%s'",
                    b->filename ? b->filename : "");
    if (bitmap_find(b, name))
        return fail(err, ERR_INVALID_ARG, "Bitmap already exists: %s", name);
    if (strlen(name) > NAME_MAX_LENGTH)
        return fail(err, ERR_INVALID_ARG, "Bitmap name too long: %s", name);
    return 0;
}

static int add(struct call *call, struct error *err)
{
    const struct json *given = call->arguments;
    const char *name = json_get_text(given, "name");
    struct block_node *b = find_node(call, err);
    if (!b)
        return -1;
    bool persistent = given_bool(given, "persistent", false);
    int64_t granularity = given_number(given, "granularity", default_granularity(b));
    if (check_new(b, name, granularity, persistent, err) < 0)
        return -1;
    jobs_disturb(call->vm, b);
    remember(call, b, name);
    struct bitmap *m = bitmap_new(name, (uint32_t) granularity, b->size);
    m->persistent = persistent;
    m->recording = !given_bool(given, "disabled", false);
    vector_push(&b->bitmaps, m);
    return 0;
}

static int remove_one(struct call *call, struct error *err)
{
    struct block_node *b;
    struct bitmap *m = find(call, "name", &b, err);
    if (!m)
        return -1;
    remember(call, b, m->name);
    take_out(b, json_get_text(call->arguments, "name"));
    return 0;
}

static int clear(struct call *call, struct error *err)
{
    struct block_node *b;
    struct bitmap *m = find(call, "name", &b, err);
    if (!m)
        return -1;
    remember(call, b, m->name);
    bitmap_clear(m);
    return 0;
}

static int record(struct call *call, bool on, struct error *err)
{
    struct block_node *b;
    struct bitmap *m = find(call, "name", &b, err);
    if (!m)
        return -1;
    remember(call, b, m->name);
    m->recording = on;
    return 0;
}

static int enable(struct call *call, struct error *err)
{
    return record(call, true, err);
}

static int disable(struct call *call, struct error *err)
{
    return record(call, false, err);
}

/* A source is a name on the same node, or {"node", "name"}. */
static const struct bitmap *find_source(struct call *call, const struct json *source, struct error *err)
{
    const char *name = json_text(source) ? json_text(source) : json_get_text(source, "name");
    const char *node =
        json_text(source) ? json_get_text(call->arguments, "node") : json_get_text(source, "node");
    struct block_node *b = name && node ? block_get(call->vm, node, node, err) : NULL;
    const struct bitmap *m = b ? bitmap_find(b, name) : NULL;
    if (!m && !err->code)
        (void) fail(err, ERR_INVALID_ARG, "Dirty bitmap '%s' not found", name ? name : "");
    return m;
}

static int merge(struct call *call, struct error *err)
{
    const struct json *sources = json_get(call->arguments, "bitmaps");
    struct block_node *b;
    struct bitmap *target = find(call, "target", &b, err);
    if (!target)
        return -1;
    for (size_t i = 0; i < sources->length; i++) {
        const struct bitmap *m = find_source(call, sources->items[i], err);
        if (!m)
            return -1;
        if (m->size != target->size)
            return fail(err, ERR_INVALID_ARG,
                        "Bitmaps are of different sizes (destination size is %llu and source size is "
                        "%llu) and can't be merged",
                        (unsigned long long) target->size, (unsigned long long) m->size);
    }
    remember(call, b, target->name);
    for (size_t i = 0; i < sources->length; i++)
        bitmap_merge(target, find_source(call, sources->items[i], err));
    return 0;
}

static const struct argument name_args[] = {
    { "node", ARG_TEXT, false },
    { "name", ARG_TEXT, false },
    { NULL, 0, false },
};
static const struct argument add_args[] = {
    { "node", ARG_TEXT, false },      { "name", ARG_TEXT, false },    { "granularity", ARG_NUMBER, true },
    { "persistent", ARG_BOOL, true }, { "disabled", ARG_BOOL, true }, { NULL, 0, false },
};
static const struct argument merge_args[] = {
    { "node", ARG_TEXT, false },
    { "target", ARG_TEXT, false },
    { "bitmaps", ARG_ARRAY, false },
    { NULL, 0, false },
};

const struct command bitmap_commands[] = {
    { "block-dirty-bitmap-add", ALWAYS, add, add_args },
    { "block-dirty-bitmap-remove", ALWAYS, remove_one, name_args },
    { "block-dirty-bitmap-clear", ALWAYS, clear, name_args },
    { "block-dirty-bitmap-enable", ALWAYS, enable, name_args },
    { "block-dirty-bitmap-disable", ALWAYS, disable, name_args },
    { "block-dirty-bitmap-merge", ALWAYS, merge, merge_args },
    { NULL, ALWAYS, NULL, NULL },
};
