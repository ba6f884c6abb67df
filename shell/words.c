/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/own.h"
#include "base/vector.h"

static bool ends_command(char c)
{
    return c == ';' || c == '\n';
}

static bool ends_word(char c)
{
    return !c || ends_command(c) || c == ' ' || c == '\t' || c == '\r';
}

/* Copies up to the closing quote; `p` stands behind the opening one. */
static const char *add_quoted(struct buffer *word, const char *p, char quote)
{
    for (; *p && *p != quote; p++) {
        if (*p == '\\' && quote == '"' && p[1])
            p++;
        buffer_add_char(word, *p);
    }
    return *p ? p + 1 : NULL;
}

/* One word; NULL if a quote is left open. */
static const char *read_word(struct buffer *word, const char *p)
{
    while (p && !ends_word(*p)) {
        if (*p == '\'' || *p == '"') {
            p = add_quoted(word, p + 1, *p);
            continue;
        }
        if (*p == '\\' && p[1])
            p++;
        buffer_add_char(word, *p++);
    }
    return p;
}

static const char *skip_blanks(const char *p)
{
    p += strspn(p, " \t\r");
    return *p == '#' ? p + strcspn(p, "\n") : p;
}

char **words_next(const char **text, size_t *ret_count, struct error *err)
{
    VECTOR(char *) words = { 0 };
    const char *p = *text;
    while (*(p = skip_blanks(p)) && !(ends_command(*p) && words.count)) {
        if (ends_command(*p)) {                         /* an empty command */
            p++;
            continue;
        }
        struct buffer word = { 0 };
        const char *end = read_word(&word, p);
        vector_push(&words, buffer_take(&word));
        if (!end) {
            fail(err, ERR_INVALID_ARG, "a quote is not closed: %s", p);
            break;
        }
        p = end;
    }
    *text = *p ? p + 1 : p;
    *ret_count = words.count;
    vector_push(&words, NULL);
    if (err->code == ERR_NONE && words.count > 1)
        return words.items;
    words_free(words.items);
    return NULL;
}

void words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}
