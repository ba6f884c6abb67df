/* SPDX-License-Identifier: Apache-2.0 */
/* qom_pool.h - private to the store: texts kept once each, named by their offset.
 *
 * Offset 0 is no text.  A zeroed pool is an empty one.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct qom_pool {
    struct buffer texts;
    uint32_t *slots;                    /* a hash table of offsets; gone once the pool is sealed */
    uint32_t slots_count, used;
};

uint32_t qom_pool_add(struct qom_pool *pool, const char *text, size_t length);  /* must hold no NUL */
void qom_pool_seal(struct qom_pool *pool);
void qom_pool_done(struct qom_pool *pool);
size_t qom_pool_size(const struct qom_pool *pool);
static inline const char *qom_pool_text(const struct qom_pool *pool, uint32_t offset)
{
    return offset ? pool->texts.data + offset : NULL;
}
