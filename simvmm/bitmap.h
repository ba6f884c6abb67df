/* SPDX-License-Identifier: Apache-2.0 */
/* bitmap.h - dirty bitmaps of nodes: which parts were written since somebody asked.
 *
 * No guest writes here, so a bitmap is empty until others are merged into it or an export's client writes.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "json/json.h"

struct block_node;

struct bitmap {
    char *name;
    uint32_t granularity; /* bytes */
    uint64_t size;        /* bytes of the disk */
    unsigned char *bits;  /* one for each granule */
    bool recording, persistent;
    bool inconsistent; /* the image says that it was not written back */
};

struct bitmap *bitmap_new(const char *name, uint32_t granularity, uint64_t size);
void bitmap_free(struct bitmap *b);
struct bitmap *bitmap_find(const struct block_node *b, const char *name);
void bitmap_mark(struct bitmap *b, uint64_t offset, uint64_t length);
void bitmap_clear(struct bitmap *b);
void bitmap_merge(struct bitmap *to, const struct bitmap *from);
struct bitmap *bitmap_copy(const struct bitmap *b);
void bitmap_resize(struct bitmap *b, uint64_t size); /* what is new is clean */
uint64_t bitmap_count(const struct bitmap *b);       /* dirty bytes */
/* A write to the node: all that record take note. */
void bitmaps_mark(struct block_node *b, uint64_t offset, uint64_t length);
/* From the image when its node is opened, and back into it when that is let go: those that are to last. */
void bitmaps_load(struct block_node *b);
void bitmaps_save(struct block_node *b);
/* The list in query-block and query-named-block-nodes; NULL if there is none. */
const struct json *bitmaps_value(const struct block_node *b, struct arena *a);
