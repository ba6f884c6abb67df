/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"

bool text_to_u64(const char *text, uint64_t max, uint64_t *ret_value)
{
    if (!*text)
        return false;
    uint64_t value = 0;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9')
            return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t) (*p - '0'), &value))
            return false;
    }
    if (value > max)
        return false;
    *ret_value = value;
    return true;
}

bool text_to_i64(const char *text, int64_t *ret_value)
{
    bool negative = *text == '-';
    uint64_t magnitude;
    if (!text_to_u64(text + negative, (uint64_t) INT64_MAX + negative, &magnitude))
        return false;
    *ret_value = negative ? (int64_t) (0 - magnitude) : (int64_t) magnitude;
    return true;
}

/* Length of the valid UTF-8 sequence at p, or 0.  Surrogates and overlong forms are not valid. */
static size_t sequence_length(const unsigned char *p, size_t left)
{
    if (p[0] < 0x80)
        return 1;
    size_t n = p[0] >= 0xC2 && p[0] <= 0xDF ? 2
             : (p[0] & 0xF0) == 0xE0 ? 3
             : p[0] >= 0xF0 && p[0] <= 0xF4 ? 4 : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) ||
        (p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F))
        return 0;
    return n;
}

bool text_is_utf8(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *) text;
    for (size_t n; length; p += n, length -= n)
        if (!(n = sequence_length(p, length)))
            return false;
    return true;
}

/* Only the last '*' is ever gone back to, so it takes no more than the product of both lengths. */
bool text_matches(const char *text, const char *pattern)
{
    const char *star = NULL, *resume = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            resume = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

bool text_starts(const char *text, const char *prefix)
{
    return text && strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_ends(const char *text, const char *suffix)
{
    size_t n = text ? strlen(text) : 0, k = strlen(suffix);
    return text && n >= k && strcmp(text + n - k, suffix) == 0;
}

void text_add_printable(struct buffer *out, const char *text)
{
    const unsigned char *p = (const unsigned char *) text;
    for (size_t left = strlen(text), n; left; p += n, left -= n) {
        n = sequence_length(p, left);
        if (n == 0 || *p < 0x20 || *p == 0x7F || (n == 2 && p[0] == 0xC2 && p[1] < 0xA0)) {
            n = n ? n : 1;
            for (size_t i = 0; i < n; i++)
                buffer_printf(out, "\\x%02x", p[i]);
        } else {
            buffer_add(out, p, n);
        }
    }
}

bool text_is_printable(const char *text)
{
    owned_buffer struct buffer shown = { 0 };
    text_add_printable(&shown, text);
    return text_equal(buffer_text(&shown), text);
}

void text_add_shell_word(struct buffer *out, const char *text)
{
    static const char plain[] = "_-+=,./:@%";
    const char *p = text;
    while (isalnum((unsigned char) *p) || (*p && strchr(plain, *p)))
        p++;
    if (p != text && !*p) {
        buffer_add_text(out, text);
        return;
    }
    buffer_add_char(out, '\'');
    for (p = text; *p; p++)
        if (*p == '\'')
            buffer_add_text(out, "'\\''");
        else
            buffer_add_char(out, *p);
    buffer_add_char(out, '\'');
}

/* Edits that turn a into b, upper and lower case being alike; words of 48 bytes and more are too far away. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n >= 48 || m >= 48)
        return 48;
    size_t row[48];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t above = row[j];
            size_t best = diagonal + (tolower((unsigned char) a[i - 1]) != tolower((unsigned char) b[j - 1]));
            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = above;
            row[j] = best;
        }
    }
    return row[m];
}

const char *text_nearest(const char *text, const char *const *words, size_t count)
{
    const char *nearest = NULL;
    size_t limit = strlen(text) / 3 + 1, best = limit + 1;
    for (size_t i = 0; i < count; i++) {
        size_t d = words[i] && *words[i] ? distance(text, words[i]) : best;
        if (d < best) {
            best = d;
            nearest = words[i];
        }
    }
    return nearest;
}
