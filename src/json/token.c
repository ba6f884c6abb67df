/* SPDX-License-Identifier: Apache-2.0 */
#include "json/token.h"

#include <string.h>

/* Whether what follows bytes[length] is escaped, given what was before them. */
static bool is_escaped(bool before, const char *bytes, size_t length)
{
    size_t backslashes = 0;
    while (backslashes < length && bytes[length - 1 - backslashes] == '\\')
        backslashes++;
    return (backslashes % 2 == 1) != (backslashes == length && before);
}

size_t token_string_end(struct token *t, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length; ) {
        const char *quote = memchr(bytes + at, '"', length - at);
        size_t run = quote ? (size_t) (quote - bytes) - at : length - at;
        t->escaped = is_escaped(t->escaped, bytes + at, run);
        if (quote && !t->escaped) {
            t->in_string = false;
            return at + run + 1;
        }
        if (quote)
            t->escaped = false;         /* it was the quote that was */
        at += run + 1;
    }
    return 0;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' || c == 'E';
}

static void follow_word(struct token *t, const char *bytes, size_t length)
{
    size_t word = 0;
    while (word < length && is_word(bytes[length - 1 - word]))
        word++;
    t->word = word == length ? t->word + word : word;
}

void token_follow(struct token *t, const char *bytes, size_t length)
{
    while (length > 0) {
        if (t->in_string) {
            size_t end = token_string_end(t, bytes, length);
            if (end == 0)
                return;
            bytes += end;
            length -= end;
            t->word = 0;
            continue;
        }
        const char *quote = memchr(bytes, '"', length);
        if (!quote) {
            follow_word(t, bytes, length);
            return;
        }
        t->in_string = true;
        t->escaped = false;
        length -= (size_t) (quote + 1 - bytes);
        bytes = quote + 1;
    }
}
