/* SPDX-License-Identifier: Apache-2.0 */
#include "base/uuid.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct uuid uuid_random(void)
{
    struct uuid u;
    if (getrandom(u.bytes, sizeof u.bytes, 0) != sizeof u.bytes)
        abort();
    u.bytes[6] = (unsigned char) ((u.bytes[6] & 0x0F) | 0x40);
    u.bytes[8] = (unsigned char) ((u.bytes[8] & 0x3F) | 0x80);
    return u;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool uuid_parse(const char *text, struct uuid *ret_uuid)
{
    struct uuid u;
    const char *p = text;
    while (isspace((unsigned char) *p))
        p++;
    for (size_t i = 0; i < sizeof u.bytes; i++) {
        while (*p == '-')
            p++;
        int high = digit(p[0]), low = high < 0 ? -1 : digit(p[1]);
        if (low < 0)
            return false;
        u.bytes[i] = (unsigned char) (high << 4 | low);
        p += 2;
    }
    while (isspace((unsigned char) *p))
        p++;
    if (*p)
        return false;
    *ret_uuid = u;
    return true;
}

void uuid_format(const struct uuid *uuid, char ret_text[UUID_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    char *out = ret_text;
    for (size_t i = 0; i < sizeof uuid->bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *out++ = '-';
        *out++ = digits[uuid->bytes[i] >> 4];
        *out++ = digits[uuid->bytes[i] & 15];
    }
    *out = 0;
}

bool uuid_equal(const struct uuid *a, const struct uuid *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

bool uuid_is_zero(const struct uuid *uuid)
{
    static const struct uuid zero;
    return uuid_equal(uuid, &zero);
}
