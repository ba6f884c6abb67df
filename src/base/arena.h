/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h - memory that is released all at once.
 *
 * Definitions and JSON values are parsed into an arena and never freed piecemeal.  A chunk has an eighth of
 * what is there already, between 512 bytes and 64 KiB, so little is left unused in a small document, of which
 * there are thousands, and a large one takes few calls; a larger request gets a chunk of its own.
 */
#pragma once
#include <stddef.h>

#include "base/own.h"

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a);
DEFINE_OWNED(arena)

void *arena_alloc(struct arena *a, size_t size);        /* zeroed, aligned for pointers and numbers */
char *arena_copy(struct arena *a, const char *text);    /* NULL stays NULL */
char *arena_copy_bytes(struct arena *a, const char *bytes, size_t length);     /* adds a NUL */
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
size_t arena_size(const struct arena *a);               /* bytes taken from the system */

#define ARENA_NEW(a, type) ((type *) arena_alloc(a, sizeof(type)))
