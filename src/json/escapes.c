/* SPDX-License-Identifier: Apache-2.0 */
#include "json/escapes.h"

#include <string.h>

static unsigned hex_digit(char c)
{
    return c <= '9' ? (unsigned) (c - '0') : ((unsigned) c | 0x20) - 'a' + 10;
}

/* A code is whole: halves must come as high, then low. */
static bool end_code(struct escapes *e)
{
    bool high = e->code >= 0xD800 && e->code <= 0xDBFF, low = e->code >= 0xDC00 && e->code <= 0xDFFF;
    if (low != e->want_low)
        return false;
    e->want_low = high;
    e->state = ESCAPE_NONE;
    return true;
}

static bool step(struct escapes *e, char c)
{
    switch (e->state) {
    case ESCAPE_NONE:
        if (c == '\\')
            e->state = ESCAPE_BACKSLASH;
        return c == '\\' || !e->want_low;
    case ESCAPE_BACKSLASH:
        e->state = c == 'u' ? ESCAPE_DIGITS : ESCAPE_NONE;
        e->digits = e->code = 0;
        return c == 'u' || !e->want_low;
    case ESCAPE_DIGITS:
        e->code = e->code << 4 | (hex_digit(c) & 15);
        return ++e->digits < 4 || end_code(e);
    }
    return true;
}

bool escapes_check(struct escapes *e, const char *bytes, size_t length)
{
    const char *end = bytes + length;
    while (bytes < end) {
        if (e->state == ESCAPE_NONE && !e->want_low) {
            bytes = memchr(bytes, '\\', (size_t) (end - bytes));
            if (!bytes)
                return true;
        }
        if (!step(e, *bytes++))
            return false;
    }
    return true;
}
