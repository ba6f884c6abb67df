/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/bitmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/block.h"
#include "simvmm/qcow2.h"
#include "simvmm/value.h"

static uint64_t granules(const struct bitmap *b)
{
    return (b->size + b->granularity - 1) / b->granularity;
}

static size_t bytes(const struct bitmap *b)
{
    return (b->size / b->granularity + 1) / 8 + 1;
}

struct bitmap *bitmap_new(const char *name, uint32_t granularity, uint64_t size)
{
    struct bitmap *b = NEW(struct bitmap);
    *b = (struct bitmap) {
        .name = memory_copy_text(name), .granularity = granularity, .size = size, .recording = true
    };
    b->bits = memory_new(bytes(b));
    return b;
}

void bitmap_free(struct bitmap *b)
{
    if (!b)
        return;
    free(b->name);
    free(b->bits);
    free(b);
}

struct bitmap *bitmap_find(const struct block_node *b, const char *name)
{
    for (size_t i = 0; i < b->bitmaps.count; i++)
        if (text_equal(b->bitmaps.items[i]->name, name))
            return b->bitmaps.items[i];
    return NULL;
}

void bitmap_mark(struct bitmap *b, uint64_t offset, uint64_t length)
{
    uint64_t end = offset + length < b->size ? offset + length : b->size;
    for (uint64_t at = offset / b->granularity; at * b->granularity < end; at++)
        b->bits[at / 8] |= (unsigned char) (1 << at % 8);
}

void bitmap_clear(struct bitmap *b)
{
    memset(b->bits, 0, bytes(b));
}

static bool is_set(const struct bitmap *b, uint64_t granule)
{
    return b->bits[granule / 8] >> granule % 8 & 1;
}

void bitmap_merge(struct bitmap *to, const struct bitmap *from)
{
    for (uint64_t i = 0; i < granules(from); i++)
        if (is_set(from, i))
            bitmap_mark(to, i * from->granularity, from->granularity);
}

struct bitmap *bitmap_copy(const struct bitmap *b)
{
    struct bitmap *copy = bitmap_new(b->name, b->granularity, b->size);
    memcpy(copy->bits, b->bits, bytes(b));
    copy->recording = b->recording;
    copy->persistent = b->persistent;
    return copy;
}

void bitmap_resize(struct bitmap *b, uint64_t size)
{
    struct bitmap *resized = bitmap_new(b->name, b->granularity, size);
    uint64_t least = granules(b) < granules(resized) ? granules(b) : granules(resized);
    for (uint64_t i = 0; i < least; i++)
        if (is_set(b, i))
            resized->bits[i / 8] |= (unsigned char) (1 << i % 8);
    unsigned char *old = b->bits;
    b->bits = take(resized->bits);
    b->size = size;
    resized->bits = old;
    bitmap_free(resized);
}

uint64_t bitmap_count(const struct bitmap *b)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < granules(b); i++)
        if (is_set(b, i))
            count += i + 1 == granules(b) ? b->size - i * b->granularity : b->granularity;
    return count;
}

void bitmaps_mark(struct block_node *b, uint64_t offset, uint64_t length)
{
    for (size_t i = 0; i < b->bitmaps.count; i++)
        if (b->bitmaps.items[i]->recording)
            bitmap_mark(b->bitmaps.items[i], offset, length);
}

/* ---- in images ---- */

static void take_loaded(void *arg, const struct qcow2_bitmap *loaded)
{
    struct block_node *b = arg;
    struct bitmap *m = bitmap_new(loaded->name, loaded->granularity, b->size);
    memcpy(m->bits, loaded->bits, granules(m) / 8);
    for (uint64_t i = granules(m) / 8 * 8; i < granules(m); i++)
        m->bits[i / 8] |= (unsigned char) (loaded->bits[i / 8] & 1 << i % 8);
    m->recording = loaded->recording && !loaded->inconsistent;
    m->inconsistent = loaded->inconsistent;
    m->persistent = true;
    vector_push(&b->bitmaps, m);
}

/* Bitmaps that cannot be read are as good as none. */
void bitmaps_load(struct block_node *b)
{
    error_scope(err);
    if (b->qcow2)
        (void) qcow2_load_bitmaps(b->qcow2, take_loaded, b, &err);
}

void bitmaps_save(struct block_node *b)
{
    VECTOR(struct qcow2_bitmap) list = { NULL, 0, 0 };
    error_scope(err);
    if (!b->qcow2 || b->read_only || b->file->read_only)
        return;
    for (size_t i = 0; i < b->bitmaps.count; i++) {
        const struct bitmap *m = b->bitmaps.items[i];
        struct qcow2_bitmap saved = { m->name, m->granularity, m->recording, false, m->bits };
        if (m->persistent && !m->inconsistent)
            vector_push(&list, saved);
    }
    (void) qcow2_store_bitmaps(b->qcow2, list.items, list.count, &err);
    vector_done(&list);
}

const struct json *bitmaps_value(const struct block_node *b, struct arena *a)
{
    struct json *list = value_array(a);
    if (!b->bitmaps.count)
        return NULL;
    for (size_t i = b->bitmaps.count; i-- > 0;) {
        const struct bitmap *m = b->bitmaps.items[i];
        struct json *v = value_object(a);
        value_set_text(a, v, "name", m->name);
        value_set_number(a, v, "count", (long long) bitmap_count(m));
        value_set_number(a, v, "granularity", m->granularity);
        value_set_bool(a, v, "recording", m->recording);
        value_set_bool(a, v, "busy", false);
        value_set_bool(a, v, "persistent", m->persistent);
        if (m->inconsistent)
            value_set_bool(a, v, "inconsistent", true);
        value_push(a, list, v);
    }
    return list;
}
