/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"

void *memory_new(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p)
        abort();
    return p;
}

void *memory_resize(void *old, size_t size)
{
    void *p = realloc(old, size ? size : 1);
    if (!p)
        abort();
    return p;
}

char *memory_copy_text(const char *text)
{
    return text ? memory_copy_bytes(text, strlen(text)) : NULL;
}

char *memory_copy_bytes(const char *text, size_t length)
{
    char *copy = memory_new(length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *memory_printf(const char *format, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, format);
    if (vasprintf(&text, format, ap) < 0)
        abort();
    va_end(ap);
    return text;
}

void own_free_memory(void *pointer_to_pointer)
{
    free(*(void **) pointer_to_pointer);
}

void own_close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}
