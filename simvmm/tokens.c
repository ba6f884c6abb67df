/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { TOKEN_MAX = 64 << 20 };

enum lexeme {
    START,
    IN_STRING,
    IN_ESCAPE,
    IN_WORD,
    IN_MINUS,
    IN_ZERO,
    IN_DIGITS,
    IN_POINT,
    IN_FRACTION,
    IN_E,
    IN_E_SIGN,
    IN_EXPONENT,
    RECOVERY
};

struct tokens {
    const struct tokens_handler *handler;
    void *arg;
    enum lexeme lexeme;
    char quote;
    struct buffer text;
    unsigned line, column;              /* of the byte at hand */
    unsigned token_line, token_column;
};

struct tokens *tokens_new(const struct tokens_handler *handler, void *arg)
{
    struct tokens *t = NEW(struct tokens);
    t->handler = handler;
    t->arg = arg;
    t->line = 1;
    return t;
}

void tokens_free(struct tokens *t)
{
    if (!t)
        return;
    buffer_done(&t->text);
    free(t);
}

void tokens_position(const struct tokens *t, unsigned *ret_line, unsigned *ret_column)
{
    *ret_line = t->token_line;
    *ret_column = t->token_column;
}

static void end_token(struct tokens *t)
{
    struct token token = { TOKEN_NUMBER, t->text.data[0], t->text.data, t->text.length };
    if (t->lexeme == IN_STRING)
        token.kind = TOKEN_STRING;
    else if (t->lexeme == IN_WORD)
        token.kind = TOKEN_WORD;
    t->lexeme = START;
    t->handler->token(t->arg, &token);
    t->text.length = 0;
}

static void stray(struct tokens *t, char c)
{
    buffer_add_char(&t->text, c);
    owned_memory char *text = buffer_take(&t->text);
    t->lexeme = RECOVERY;
    t->column++;                        /* as QEMU counts: the character is looked at again */
    t->handler->stray(t->arg, text);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void start_token(struct tokens *t, char c)
{
    t->token_line = t->line;
    t->token_column = t->column;
    if (is_space(c))
        return;
    if (c && strchr("{}[]:,", c)) {
        t->handler->token(t->arg, &(struct token) { TOKEN_BRACKET, c, NULL, 0 });
        return;
    }
    t->lexeme = c == '"' || c == '\'' ? IN_STRING : c == '-' ? IN_MINUS : c == '0' ? IN_ZERO :
                c >= '1' && c <= '9' ? IN_DIGITS : c >= 'a' && c <= 'z' ? IN_WORD : START;
    t->quote = c;
    if (t->lexeme == START)
        stray(t, c);
    else
        buffer_add_char(&t->text, c);
}

/* Whether `c` goes on with the token, and as what; START: it ends before c;
 * RECOVERY: c must not stand here. */
static enum lexeme continued(const struct tokens *t, char c)
{
    bool digit = c >= '0' && c <= '9';
    switch (t->lexeme) {
    case IN_ESCAPE:
        return (unsigned char) c < 0x20 ? RECOVERY : IN_STRING;
    case IN_STRING:
        if ((unsigned char) c < 0x20 || (unsigned char) c == 0xC0 || (unsigned char) c == 0xC1 ||
            (unsigned char) c > 0xF4)
            return RECOVERY;
        return c == '\\' ? IN_ESCAPE : IN_STRING;
    case IN_WORD:
        return c >= 'a' && c <= 'z' ? IN_WORD : START;
    case IN_MINUS:
        return c == '0' ? IN_ZERO : digit ? IN_DIGITS : RECOVERY;
    case IN_ZERO:
    case IN_DIGITS:
        if (digit)
            return t->lexeme == IN_ZERO ? RECOVERY : IN_DIGITS;
        return c == '.' ? IN_POINT : c == 'e' || c == 'E' ? IN_E : START;
    case IN_POINT:
        return digit ? IN_FRACTION : RECOVERY;
    case IN_FRACTION:
        return digit ? IN_FRACTION : c == 'e' || c == 'E' ? IN_E : START;
    case IN_E:
        return digit ? IN_EXPONENT : c == '+' || c == '-' ? IN_E_SIGN : RECOVERY;
    case IN_E_SIGN:
        return digit ? IN_EXPONENT : RECOVERY;
    case IN_EXPONENT:
        return digit ? IN_EXPONENT : START;
    default:
        return START;
    }
}

static void feed_char(struct tokens *t, char c)
{
    if (t->lexeme == RECOVERY) {
        unsigned char u = (unsigned char) c;
        if (u >= 0x20 && u < 0xFE && !strchr("{}[]:,", c))
            return;
        t->lexeme = START;
    }
    if (t->lexeme == START) {
        start_token(t, c);
        return;
    }
    if (t->lexeme == IN_STRING && c == t->quote) {
        buffer_add_char(&t->text, c);
        end_token(t);
        return;
    }
    enum lexeme next = continued(t, c);
    if (next == START) {
        end_token(t);
        start_token(t, c);
    } else if (next == RECOVERY) {
        stray(t, c);
    } else {
        t->lexeme = next;
        buffer_add_char(&t->text, c);
        if (t->text.length > TOKEN_MAX) {
            t->text.length = 0;
            t->lexeme = RECOVERY;
            t->handler->too_long(t->arg);
        }
    }
}

/* The bytes of a string that are only themselves. */
static size_t plain_run(const struct tokens *t, const char *bytes, size_t length)
{
    size_t n = 0;
    while (n < length && bytes[n] != t->quote && bytes[n] != '\\' && (unsigned char) bytes[n] >= 0x20 &&
           (unsigned char) bytes[n] < 0x80)
        n++;
    return n;
}

void tokens_feed(struct tokens *t, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        size_t run = t->lexeme == IN_STRING ? plain_run(t, bytes + i, length - i) : 0;
        if (run && t->text.length + run <= TOKEN_MAX) {
            buffer_add(&t->text, bytes + i, run);
            t->column += (unsigned) run;
            i += run - 1;
            continue;
        }
        t->column++;
        feed_char(t, bytes[i]);
        if (bytes[i] == '\n') {
            t->line++;
            t->column = 0;
        }
    }
}

bool tokens_end(struct tokens *t)
{
    switch (t->lexeme) {
    case IN_WORD:
    case IN_ZERO:
    case IN_DIGITS:
    case IN_FRACTION:
    case IN_EXPONENT:
        end_token(t);
        break;
    default:
        break;
    }
    t->token_line = t->line;
    t->token_column = t->column + 1;
    return t->lexeme == START;
}

/* ---- what a token says ---- */

static int hex4(const char *text, unsigned *ret_code)
{
    *ret_code = 0;
    for (int i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char) text[i]))
            return -1;
        *ret_code = *ret_code * 16 +
                    (unsigned) (isdigit((unsigned char) text[i]) ? text[i] - '0' : (text[i] | 32) - 'a' + 10);
    }
    return 0;
}

static void add_code(struct buffer *out, unsigned code)
{
    if (code < 0x80) {
        buffer_add_char(out, (char) code);
    } else if (code < 0x800) {
        buffer_add_char(out, (char) (0xC0 | code >> 6));
        buffer_add_char(out, (char) (0x80 | (code & 0x3F)));
    } else {
        if (code < 0x10000) {
            buffer_add_char(out, (char) (0xE0 | code >> 12));
        } else {
            buffer_add_char(out, (char) (0xF0 | code >> 18));
            buffer_add_char(out, (char) (0x80 | (code >> 12 & 0x3F)));
        }
        buffer_add_char(out, (char) (0x80 | (code >> 6 & 0x3F)));
        buffer_add_char(out, (char) (0x80 | (code & 0x3F)));
    }
}

/* The character after a backslash at *at; NULL, or what is wrong with it. */
static const char *take_escape(const char **at, struct buffer *out, struct buffer *complaint)
{
    static const char letters[] = "\"'\\/bfnrt", meanings[] = "\"'\\/\b\f\n\r\t";
    const char *letter = strchr(letters, **at);
    if (letter && *letter) {
        buffer_add_char(out, meanings[letter - letters]);
        ++*at;
        return NULL;
    }
    unsigned code, second;
    if (**at != 'u')
        return "invalid escape sequence in string";
    const char *digits = *at + 1;
    if (hex4(digits, &code) == 0) {
        *at += 5;
        if (code >= 0xD800 && code < 0xDC00 && (*at)[0] == '\\' && (*at)[1] == 'u' &&
            hex4(*at + 2, &second) == 0 && second >= 0xDC00 && second < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
            *at += 6;
        }
        if (code < 0xD800 || code >= 0xE000) {
            add_code(out, code);
            return NULL;
        }
    }
    buffer_printf(complaint, "\\u%.4s is not a valid Unicode character", digits);
    return buffer_text(complaint);
}

const char *token_string(const struct token *token, struct buffer *out, struct buffer *complaint)
{
    const char *at = token->text + 1, *end = token->text + token->length - 1;
    if (!text_is_utf8(at, (size_t) (end - at)))
        return "invalid UTF-8 sequence in string";
    while (at < end) {
        const char *slash = memchr(at, '\\', (size_t) (end - at));
        buffer_add(out, at, (size_t) ((slash ? slash : end) - at));
        at = slash ? slash + 1 : end;
        const char *wrong = slash ? take_escape(&at, out, complaint) : NULL;
        if (wrong)
            return wrong;
    }
    return NULL;
}
