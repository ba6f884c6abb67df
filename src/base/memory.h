/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - allocation that cannot fail.
 *
 * Out of memory aborts: guests are processes of their own, survive, and are found again by the next daemon.
 * In return, whatever another party can size is bounded before it is allocated.
 */
#pragma once
#include <stddef.h>

void *memory_new(size_t size);                          /* zeroed; aborts instead of returning NULL */
void *memory_resize(void *old, size_t size);            /* as realloc() */
char *memory_copy_text(const char *text);               /* NULL stays NULL */
char *memory_copy_bytes(const char *text, size_t length);   /* adds a NUL */
char *memory_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define NEW(type) ((type *) memory_new(sizeof(type)))
