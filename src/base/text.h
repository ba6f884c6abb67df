/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - numbers, quoting and likeness of words.
 *
 * Number parsers take the whole text, decimal only, with no sign (but for i64), no blanks and no leading "+".
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

bool text_to_u64(const char *text, uint64_t max, uint64_t *ret_value);
bool text_to_i64(const char *text, int64_t *ret_value);
bool text_is_utf8(const char *text, size_t length);

/* False if `text` is NULL. */
bool text_starts(const char *text, const char *prefix);
bool text_ends(const char *text, const char *suffix);
static inline bool text_equal(const char *a, const char *b)
{
    return a == b || (a && b && __builtin_strcmp(a, b) == 0);
}

/* Does the whole text fit?  '*' is any text, '?' any one byte; all else, brackets too, is itself. */
bool text_matches(const char *text, const char *pattern);

/* Control bytes and what is not UTF-8 become \xNN, a backslash stays. */
void text_add_printable(struct buffer *out, const char *text);
bool text_is_printable(const char *text);       /* it would stay as it is */
/* One word for a POSIX shell; plain words stay as they are. */
void text_add_shell_word(struct buffer *out, const char *text);

/* The one of `count` words (NULL entries are skipped) most like `text`, or NULL if none is near. */
const char *text_nearest(const char *text, const char *const *words, size_t count);
