/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

char *buffer_room(struct buffer *b, size_t size)
{
    size_t need = b->length + size + 1;
    if (need > b->capacity) {
        size_t capacity = b->capacity ? b->capacity : 64;
        while (capacity < need)
            capacity *= 2;
        b->data = memory_resize(b->data, capacity);
        b->capacity = capacity;
    }
    return b->data + b->length;
}

void buffer_add(struct buffer *b, const void *bytes, size_t length)
{
    char *end = buffer_room(b, length);
    if (length)
        memcpy(end, bytes, length);
    b->length += length;
    b->data[b->length] = 0;
}

void buffer_add_text(struct buffer *b, const char *text)
{
    buffer_add(b, text, strlen(text));
}

void buffer_add_char(struct buffer *b, char c)
{
    buffer_add(b, &c, 1);
}

/* Nearly always there is room enough already. */
void buffer_printf(struct buffer *b, const char *format, ...)
{
    va_list ap;
    char *end = buffer_room(b, 0);
    size_t room = b->capacity - b->length;
    va_start(ap, format);
    int length = vsnprintf(end, room, format, ap);
    va_end(ap);
    if (length < 0)
        abort();
    if ((size_t) length >= room) {
        end = buffer_room(b, (size_t) length);
        va_start(ap, format);
        vsnprintf(end, (size_t) length + 1, format, ap);
        va_end(ap);
    }
    b->length += (size_t) length;
}

void buffer_drop(struct buffer *b, size_t length)
{
    if (length == 0)
        return;
    memmove(b->data, b->data + length, b->length - length + 1);
    b->length -= length;
}

char *buffer_take(struct buffer *b)
{
    char *text = b->data ? b->data : memory_copy_text("");
    *b = (struct buffer) { 0 };
    return text;
}

const char *buffer_text(const struct buffer *b)
{
    return b->data ? b->data : "";
}

void buffer_done(struct buffer *b)
{
    free(b->data);
    *b = (struct buffer) { 0 };
}
