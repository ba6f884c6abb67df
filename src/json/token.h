/* SPDX-License-Identifier: Apache-2.0 */
/* token.h - private to json: where a document that comes in pieces stands between two pieces.
 *
 * yajl reads a half token again from its beginning with each piece.  Whoever sends a long string byte by byte
 * could keep us busy with that for ever, so the parser must know that it is in a string, and hold the rest
 * until it is whole.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct token {
    bool in_string, escaped;            /* escaped: a backslash that counts stands before the next byte */
    size_t word;                        /* bytes of the number or word at the end, outside of strings */
};

/* The offset behind the quote that ends the string we are in, or 0 if it is not in these bytes. */
size_t token_string_end(struct token *t, const char *bytes, size_t length);
void token_follow(struct token *t, const char *bytes, size_t length);
