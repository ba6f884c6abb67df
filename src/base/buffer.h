/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.h - bytes that grow at the end and are consumed at the front.
 *
 * `data` is always NUL-terminated once anything was added, and NULL before.  A zeroed buffer is an empty one.
 *
 *     owned_buffer struct buffer b = { 0 };
 *     buffer_printf(&b, "id=%u", id);
 */
#pragma once
#include <stddef.h>

struct buffer {
    char *data;
    size_t length, capacity;
};

void buffer_add(struct buffer *b, const void *bytes, size_t length);
void buffer_add_text(struct buffer *b, const char *text);
void buffer_add_char(struct buffer *b, char c);
void buffer_printf(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *buffer_room(struct buffer *b, size_t size);       /* at least `size` writable bytes at the end */
void buffer_drop(struct buffer *b, size_t length);      /* forgets bytes at the front */
char *buffer_take(struct buffer *b);                    /* the text, "" if empty; the buffer is empty again */
const char *buffer_text(const struct buffer *b);        /* never NULL */
void buffer_done(struct buffer *b);

#define owned_buffer __attribute__((cleanup(buffer_done)))
