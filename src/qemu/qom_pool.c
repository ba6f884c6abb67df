/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_SLOTS = 256 };

static uint32_t hash(const char *text, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char) text[i]) * 16777619u;
    return h;
}

/* The slot of the text, or the empty one where it belongs. */
static uint32_t *find_slot(const struct qom_pool *pool, const char *text, size_t length)
{
    uint32_t mask = pool->slots_count - 1;
    for (uint32_t at = hash(text, length) & mask; ; at = (at + 1) & mask) {
        uint32_t offset = pool->slots[at];
        const char *there = pool->texts.data + offset;
        if (offset == 0 || (strncmp(there, text, length) == 0 && there[length] == 0))
            return &pool->slots[at];
    }
}

static void grow(struct qom_pool *pool)
{
    struct qom_pool old = *pool;
    pool->slots_count = old.slots_count ? old.slots_count * 2 : FIRST_SLOTS;
    pool->slots = memory_new(pool->slots_count * sizeof *pool->slots);
    for (uint32_t i = 0; i < old.slots_count; i++)
        if (old.slots[i]) {
            const char *text = pool->texts.data + old.slots[i];
            *find_slot(pool, text, strlen(text)) = old.slots[i];
        }
    free(old.slots);
}

uint32_t qom_pool_add(struct qom_pool *pool, const char *text, size_t length)
{
    if (pool->texts.length == 0)
        buffer_add_char(&pool->texts, 0);       /* so that no text has offset 0 */
    assert(pool->slots || pool->used == 0);     /* not sealed */
    if (pool->used >= pool->slots_count / 4 * 3)
        grow(pool);
    uint32_t *slot = find_slot(pool, text, length);
    if (*slot)
        return *slot;
    *slot = (uint32_t) pool->texts.length;
    pool->used++;
    buffer_add(&pool->texts, text, length);
    buffer_add_char(&pool->texts, 0);
    return *slot;
}

void qom_pool_seal(struct qom_pool *pool)
{
    free(pool->slots);
    pool->slots = NULL;
    pool->slots_count = 0;
    if (pool->texts.data) {
        pool->texts.data = memory_resize(pool->texts.data, pool->texts.length + 1);
        pool->texts.capacity = pool->texts.length + 1;
    }
}

void qom_pool_done(struct qom_pool *pool)
{
    free(pool->slots);
    buffer_done(&pool->texts);
    *pool = (struct qom_pool) { 0 };
}

size_t qom_pool_size(const struct qom_pool *pool)
{
    return pool->texts.capacity + pool->slots_count * sizeof *pool->slots;
}
