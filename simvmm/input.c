/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/input.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "simvmm/value.h"

enum { DEPTH_MAX = 1024, TOKEN_MAX = 64 << 20 };

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

/* What the parser is waiting for inside an object or an array. */
enum expects { KEY_OR_END, KEY, COLON, VALUE, VALUE_OR_END, COMMA_OR_END };

struct frame {
    struct json *value;
    const char *key;
    enum expects expects;
};

struct input {
    const struct input_handler *handler;
    void *arg;
    bool positions;
    enum lexeme lexeme;
    char quote;
    struct buffer token;
    unsigned line, column, token_line, token_column;
    struct arena *arena;                /* of the value being read */
    VECTOR(struct frame) frames;
    bool skipping;                      /* a wrong token was met; its value is read to its end, and dropped */
    int braces, brackets;               /* open while skipping */
    char *later;                        /* before QEMU 11, what is wrong is only said at the value's end */
};

struct input *input_new(bool positions, const struct input_handler *handler, void *arg)
{
    struct input *in = NEW(struct input);
    in->handler = handler;
    in->arg = arg;
    in->positions = positions;
    in->line = 1;
    in->column = 0;
    in->arena = arena_new();
    return in;
}

void input_free(struct input *in)
{
    if (!in)
        return;
    buffer_done(&in->token);
    free(in->later);
    vector_done(&in->frames);
    arena_free(in->arena);
    free(in);
}

/* ---- parser ---- */

static void forget(struct input *in)
{
    in->frames.count = 0;
    in->skipping = false;
    in->braces = in->brackets = 0;
    free(in->later);
    in->later = NULL;
    arena_free(in->arena);
    in->arena = arena_new();
}

static void complain(struct input *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(struct input *in, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    owned_memory char *what = NULL;
    if (vasprintf(&what, format, arguments) < 0)
        abort();
    va_end(arguments);
    owned_memory char *text =
        in->positions ? memory_printf("%u:%u: JSON parse error, %s", in->token_line, in->token_column, what)
                      : memory_printf("JSON parse error, %s", what);
    if (in->positions || !in->skipping)
        in->handler->complaint(in->arg, text);
    else if (!in->later)
        in->later = memory_copy_text(text);
}

static void skip_token(struct input *in, char first)
{
    in->braces += (first == '{') - (first == '}');
    in->brackets += (first == '[') - (first == ']');
    if ((in->braces > 0 || in->brackets > 0) && in->braces >= 0 && in->brackets >= 0)
        return;
    owned_memory char *later = in->later;
    in->later = NULL;
    forget(in);
    if (later)
        in->handler->complaint(in->arg, later);
}

static void skip_from_here(struct input *in)
{
    for (size_t i = 0; i < in->frames.count; i++)
        *(in->frames.items[i].value->type == JSON_OBJECT ? &in->braces : &in->brackets) += 1;
    in->frames.count = 0;
    in->skipping = true;
}

/* A token that does not fit: brackets are counted on, to find the end of the value it stands in. */
static void refuse(struct input *in, char first, const char *what)
{
    skip_from_here(in);
    complain(in, "%s", what);
    skip_token(in, first);
}

static void finished(struct input *in, const struct json *value)
{
    if (in->frames.count) {
        struct frame *top = &in->frames.items[in->frames.count - 1];
        if (top->value->type == JSON_OBJECT && json_get(top->value, top->key)) {
            refuse(in, 's', "duplicate key");
            return;
        }
        if (top->value->type == JSON_OBJECT)
            value_set(in->arena, top->value, top->key, value);
        else
            value_push(in->arena, top->value, value);
        top->expects = COMMA_OR_END;
        return;
    }
    struct arena *arena = in->arena;
    in->arena = arena_new();
    in->handler->value(in->arg, arena, value);
}

static void open_frame(struct input *in, struct json *value, enum expects expects)
{
    if (in->frames.count >= DEPTH_MAX) {
        skip_from_here(in);
        in->handler->complaint(in->arg, "JSON nesting depth limit exceeded");
        skip_token(in, value->type == JSON_OBJECT ? '{' : '[');
        return;
    }
    vector_push(&in->frames, ((struct frame) { value, NULL, expects }));
}

static void close_frame(struct input *in)
{
    const struct json *value = in->frames.items[--in->frames.count].value;
    finished(in, value);
}

/* Where a value may stand: a bracket opens one, anything else is one. */
static void take_value(struct input *in, char first, const struct json *scalar)
{
    if (first == '{')
        open_frame(in, value_object(in->arena), KEY_OR_END);
    else if (first == '[')
        open_frame(in, value_array(in->arena), VALUE_OR_END);
    else if (scalar)
        finished(in, scalar);
    else
        refuse(in, first, "expecting value");
}

static void take_key(struct input *in, struct frame *top, char first, const struct json *scalar)
{
    if (!scalar || scalar->type != JSON_STRING) {
        refuse(in, first,
               in->positions ? "expecting key"
               : scalar      ? "key is not a string in object"
                             : "expecting value");
        return;
    }
    top->key = scalar->text;
    top->expects = COLON;
}

/* `first` is the token's first character; `scalar` its value if it is a string, a number or a word. */
static void take_token(struct input *in, char first, const struct json *scalar)
{
    if (in->skipping) {
        skip_token(in, first);
        return;
    }
    if (!in->frames.count) {
        take_value(in, first, scalar);
        return;
    }
    struct frame *top = &in->frames.items[in->frames.count - 1];
    char end = top->value->type == JSON_OBJECT ? '}' : ']';
    switch (top->expects) {
    case KEY_OR_END:
    case VALUE_OR_END:
        if (first == end)
            close_frame(in);
        else if (top->expects == VALUE_OR_END)
            take_value(in, first, scalar);
        else
            take_key(in, top, first, scalar);
        break;
    case KEY:
        take_key(in, top, first, scalar);
        break;
    case COLON:
        if (first == ':')
            top->expects = VALUE;
        else
            refuse(in, first, in->positions ? "expecting ':'" : "missing : in object pair");
        break;
    case VALUE:
        take_value(in, first, scalar);
        break;
    case COMMA_OR_END:
        if (first == end)
            close_frame(in);
        else if (first == ',')
            top->expects = end == '}' ? KEY : VALUE;
        else if (in->positions)
            refuse(in, first, end == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
        else
            refuse(in, first, end == '}' ? "expected separator in dict" : "expected separator in list");
        break;
    }
}

/* ---- tokens ---- */

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

/* The character after a backslash at *at; -1 after complaining. */
static int take_escape(struct input *in, const char **at, struct buffer *out)
{
    static const char letters[] = "\"'\\/bfnrt", meanings[] = "\"'\\/\b\f\n\r\t";
    const char *letter = strchr(letters, **at);
    if (letter && *letter) {
        buffer_add_char(out, meanings[letter - letters]);
        ++*at;
        return 0;
    }
    unsigned code, second;
    if (**at != 'u') {
        complain(in, "invalid escape sequence in string");
        return -1;
    }
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
            return 0;
        }
    }
    complain(in, "\\u%.4s is not a valid Unicode character", digits);
    return -1;
}

static const struct json *string_value(struct input *in)
{
    owned_buffer struct buffer text = { 0 };
    const char *at = in->token.data + 1, *end = in->token.data + in->token.length - 1;
    if (!text_is_utf8(at, (size_t) (end - at))) {
        complain(in, "invalid UTF-8 sequence in string");
        return NULL;
    }
    if (!memchr(at, '\\', (size_t) (end - at)))
        return value_bytes(in->arena, at, (size_t) (end - at));
    while (at < end) {
        if (*at != '\\') {
            buffer_add_char(&text, *at++);
            continue;
        }
        at++;
        if (take_escape(in, &at, &text) < 0)
            return NULL;
    }
    return value_bytes(in->arena, buffer_text(&text), text.length);
}

/* What fits 64 bits stays exact, everything else becomes a double. */
static const struct json *number_value(struct input *in)
{
    const char *text = buffer_text(&in->token);
    uint64_t u;
    int64_t i;
    if (text_to_u64(text, UINT64_MAX, &u))
        return value_digits(in->arena, text);
    if (text_to_i64(text, &i))
        return value_number(in->arena, i);
    return value_digits(in->arena, arena_printf(in->arena, "%.17g", strtod(text, NULL)));
}

static const struct json *word_value(struct input *in)
{
    const char *word = buffer_text(&in->token);
    if (text_equal(word, "true") || text_equal(word, "false"))
        return value_bool(in->arena, *word == 't');
    if (text_equal(word, "null"))
        return value_null(in->arena);
    complain(in, "invalid keyword '%s'", word);
    return NULL;
}

static const struct json *token_value(struct input *in)
{
    return in->lexeme == IN_STRING ? string_value(in)
           : in->lexeme == IN_WORD ? word_value(in)
                                   : number_value(in);
}

static void end_token(struct input *in)
{
    bool skipping = in->skipping;
    const struct json *scalar = skipping ? NULL : token_value(in);
    in->lexeme = START;
    in->token.length = 0;
    if (scalar || skipping) {
        take_token(in, 's', scalar);
    } else {                            /* complained about already */
        skip_from_here(in);
        skip_token(in, 's');
    }
}

static void stray(struct input *in, char c)
{
    buffer_add_char(&in->token, c);
    owned_memory char *text = buffer_take(&in->token);
    forget(in);
    complain(in, "stray '%s'", text);
    in->lexeme = RECOVERY;
    in->column++;                       /* as QEMU counts: the character is looked at again */
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void start_token(struct input *in, char c)
{
    in->token_line = in->line;
    in->token_column = in->column;
    if (is_space(c))
        return;
    if (strchr("{}[]:,", c) && c) {
        take_token(in, c, NULL);
        return;
    }
    in->lexeme = c == '"' || c == '\'' ? IN_STRING : c == '-' ? IN_MINUS : c == '0' ? IN_ZERO :
                 c >= '1' && c <= '9' ? IN_DIGITS : c >= 'a' && c <= 'z' ? IN_WORD : START;
    in->quote = c;
    if (in->lexeme == START)
        stray(in, c);
    else
        buffer_add_char(&in->token, c);
}

/* Whether `c` goes on with the token, and as what; START: it ends before c; RECOVERY: c must not stand
 * here. */
static enum lexeme continued(const struct input *in, char c)
{
    bool digit = c >= '0' && c <= '9';
    switch (in->lexeme) {
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
            return in->lexeme == IN_ZERO ? RECOVERY : IN_DIGITS;
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

static void feed_char(struct input *in, char c)
{
    if (in->lexeme == RECOVERY) {
        unsigned char u = (unsigned char) c;
        if (u >= 0x20 && u < 0xFE && !strchr("{}[]:,", c))
            return;
        in->lexeme = START;
    }
    if (in->lexeme == START) {
        start_token(in, c);
        return;
    }
    if (in->lexeme == IN_STRING && c == in->quote) {
        buffer_add_char(&in->token, c);
        end_token(in);
        return;
    }
    enum lexeme next = continued(in, c);
    if (next == START) {
        end_token(in);
        start_token(in, c);
    } else if (next == RECOVERY) {
        stray(in, c);
    } else {
        in->lexeme = next;
        buffer_add_char(&in->token, c);
        if (in->token.length > TOKEN_MAX) {
            in->handler->complaint(in->arg, "JSON token size limit exceeded");
            forget(in);
            in->token.length = 0;
            in->lexeme = RECOVERY;
        }
    }
}

/* The bytes of a string that are only themselves. */
static size_t plain_run(const struct input *in, const char *bytes, size_t length)
{
    size_t n = 0;
    while (n < length && bytes[n] != in->quote && bytes[n] != '\\' && (unsigned char) bytes[n] >= 0x20
           && (unsigned char) bytes[n] < 0x80)
        n++;
    return n;
}

void input_feed(struct input *in, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        size_t run = in->lexeme == IN_STRING ? plain_run(in, bytes + i, length - i) : 0;
        if (run && in->token.length + run <= TOKEN_MAX) {
            buffer_add(&in->token, bytes + i, run);
            in->column += (unsigned) run;
            i += run - 1;
            continue;
        }
        in->column++;
        feed_char(in, bytes[i]);
        if (bytes[i] == '\n') {
            in->line++;
            in->column = 0;
        }
    }
}

void input_end(struct input *in)
{
    if (in->lexeme == IN_WORD || in->lexeme == IN_ZERO || in->lexeme == IN_DIGITS || in->lexeme == IN_FRACTION
        || in->lexeme == IN_EXPONENT)
        end_token(in);
    if (!in->frames.count && in->lexeme == START)
        return;
    in->token_line = in->line;
    in->token_column = in->column + 1;
    complain(in, in->positions ? "premature end of input" : "premature EOI");
    forget(in);
}

/* ---- one value ---- */

struct single { struct arena *arena; const struct json *value; char *complaint; };

static const struct json *copy_value(struct arena *a, const struct json *from)
{
    struct json *to = value_object(a);
    *to = *from;
    to->length = 0;
    to->items = NULL;
    switch (from->type) {
    case JSON_OBJECT:
        for (size_t i = 0; i < from->length; i++)
            value_set(a, to, from->members[i].key, copy_value(a, from->members[i].value));
        return to;
    case JSON_ARRAY:
        for (size_t i = 0; i < from->length; i++)
            value_push(a, to, copy_value(a, from->items[i]));
        return to;
    case JSON_STRING:
        return value_bytes(a, from->text, from->length);
    case JSON_NUMBER:
        return value_digits(a, from->text);
    case JSON_BOOL:
        return value_bool(a, from->boolean);
    default:
        return value_null(a);
    }
}

static void take_single(void *arg, struct arena *arena, const struct json *value)
{
    struct single *s = arg;
    if (!s->value)
        s->value = copy_value(s->arena, value);
    arena_free(arena);
}

static void take_complaint(void *arg, const char *text)
{
    struct single *s = arg;
    if (!s->complaint)
        s->complaint = memory_copy_text(text);
}

const struct json *input_parse(const char *text, bool positions, struct arena *arena, struct error *err)
{
    static const struct input_handler handler = { take_single, take_complaint };
    struct single single = { .arena = arena };
    owned(input) struct input *in = input_new(positions, &handler, &single);
    input_feed(in, text, strlen(text));
    input_end(in);
    owned_memory char *complaint = single.complaint;
    if (complaint)
        return fail(err, ERR_INVALID_ARG, "%s", complaint), NULL;
    return single.value;
}
