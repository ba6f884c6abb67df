/* SPDX-License-Identifier: Apache-2.0 */
/* tokens.h - bytes into the tokens of JSON, as QEMU's lexer cuts them.
 *
 * Strings may have single quotes.  After a stray character (or an overlong token) nothing is a token up to
 * the next structural or control character.  A position is that of a token's first byte.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/own.h"

enum token_kind { TOKEN_BRACKET, TOKEN_STRING, TOKEN_WORD, TOKEN_NUMBER };       /* brackets: also : and , */

struct token {
    enum token_kind kind;
    char first;                         /* its first character: all that a bracket has */
    const char *text;                   /* NUL-terminated, with quotes and escapes; valid during the call */
    size_t length;
};

struct tokens_handler {
    void (*token)(void *arg, const struct token *token);
    void (*stray)(void *arg, const char *text); /* the token so far and the character that must not follow */
    void (*too_long)(void *arg);
};

struct tokens;

struct tokens *tokens_new(const struct tokens_handler *handler, void *arg);
void tokens_free(struct tokens *t);
DEFINE_OWNED(tokens)
void tokens_feed(struct tokens *t, const char *bytes, size_t length);
/* No more bytes: a number or word is then whole.  False if a string or number is left in the middle. */
bool tokens_end(struct tokens *t);
void tokens_position(const struct tokens *t, unsigned *ret_line, unsigned *ret_column);

/* What a string says, added to `out`.  NULL, or what is wrong with it (`complaint` is room for that). */
const char *token_string(const struct token *token, struct buffer *out, struct buffer *complaint);
