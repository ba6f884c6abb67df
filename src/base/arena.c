/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { ARENA_ALIGNMENT = _Alignof(void *), SMALLEST_CHUNK = 512, LARGEST_CHUNK = 64 * 1024 };

/* Objects fill it from the front, texts from the back, where nothing is lost to alignment. */
struct chunk {
    struct chunk *next;
    size_t front, back;                 /* what is between them is free */
    _Alignas(ARENA_ALIGNMENT) char bytes[];
};

struct arena {
    struct chunk *chunks;       /* the first one is being filled */
    size_t total;
};

struct arena *arena_new(void)
{
    struct arena *a = NEW(struct arena);
    a->total = sizeof *a;
    return a;
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    for (struct chunk *c; (c = a->chunks) != NULL; free(c))
        a->chunks = c->next;
    free(a);
}

static size_t common_size(const struct arena *a)
{
    size_t size = a->total / 8 / SMALLEST_CHUNK * SMALLEST_CHUNK;
    return size < SMALLEST_CHUNK ? SMALLEST_CHUNK : size > LARGEST_CHUNK ? LARGEST_CHUNK : size;
}

/* What fills a chunk of its own is put behind the one being filled, which stays in use. */
static struct chunk *add_chunk(struct arena *a, size_t size)
{
    size_t common = common_size(a);
    int alone = size > common || size > LARGEST_CHUNK / 4;
    size_t room = alone ? size : common;
    struct chunk *c = memory_new(sizeof *c + room);
    c->back = room;
    a->total += sizeof *c + room;
    if (alone && a->chunks) {
        c->next = a->chunks->next;
        a->chunks->next = c;
    } else {
        c->next = a->chunks;
        a->chunks = c;
    }
    return c;
}

static struct chunk *chunk_with(struct arena *a, size_t size)
{
    struct chunk *c = a->chunks;
    return c && c->back - c->front >= size ? c : add_chunk(a, size);
}

void *arena_alloc(struct arena *a, size_t size)
{
    size = (size + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
    struct chunk *c = chunk_with(a, size);
    void *p = c->bytes + c->front;
    c->front += size;
    return p;
}

static char *alloc_text(struct arena *a, size_t size)
{
    struct chunk *c = chunk_with(a, size);
    return c->bytes + (c->back -= size);
}

char *arena_copy_bytes(struct arena *a, const char *bytes, size_t length)
{
    char *copy = alloc_text(a, length + 1);
    if (length)
        memcpy(copy, bytes, length);
    return copy;
}

char *arena_copy(struct arena *a, const char *text)
{
    return text ? arena_copy_bytes(a, text, strlen(text)) : NULL;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int length = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (length < 0)
        abort();
    char *text = alloc_text(a, (size_t) length + 1);
    va_start(ap, format);
    vsnprintf(text, (size_t) length + 1, format, ap);
    va_end(ap);
    return text;
}

size_t arena_size(const struct arena *a)
{
    return a->total;
}
