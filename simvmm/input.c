/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/input.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "simvmm/tokens.h"
#include "simvmm/value.h"

enum { DEPTH_MAX = 1024 };

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
    struct tokens *tokens;
    struct arena *arena;                /* of the value being read */
    VECTOR(struct frame) frames;
    bool skipping;                      /* a wrong token was met; its value is read to its end, and dropped */
    int braces, brackets;               /* open while skipping */
    char *later;                        /* before QEMU 11, what is wrong is only said at the value's end */
};

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
    unsigned line, column;
    tokens_position(in->tokens, &line, &column);
    owned_memory char *text = in->positions ? memory_printf("%u:%u: JSON parse error, %s", line, column, what)
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

/* ---- from tokens ---- */

static const struct json *string_value(struct input *in, const struct token *token)
{
    owned_buffer struct buffer text = { 0 }, room = { 0 };
    const char *wrong = token_string(token, &text, &room);
    if (!wrong)
        return value_bytes(in->arena, buffer_text(&text), text.length);
    complain(in, "%s", wrong);
    return NULL;
}

/* What fits 64 bits stays exact, everything else becomes a double. */
static const struct json *number_value(struct input *in, const struct token *token)
{
    uint64_t u;
    int64_t i;
    if (text_to_u64(token->text, UINT64_MAX, &u))
        return value_digits(in->arena, token->text);
    if (text_to_i64(token->text, &i))
        return value_number(in->arena, i);
    return value_digits(in->arena, arena_printf(in->arena, "%.17g", strtod(token->text, NULL)));
}

static const struct json *word_value(struct input *in, const struct token *token)
{
    if (text_equal(token->text, "true") || text_equal(token->text, "false"))
        return value_bool(in->arena, token->first == 't');
    if (text_equal(token->text, "null"))
        return value_null(in->arena);
    complain(in, "invalid keyword '%s'", token->text);
    return NULL;
}

static void on_token(void *arg, const struct token *token)
{
    struct input *in = arg;
    const struct json *scalar = NULL;
    if (token->kind == TOKEN_BRACKET || in->skipping) {
        take_token(in, token->kind == TOKEN_BRACKET ? token->first : 's', NULL);
        return;
    }
    scalar = token->kind == TOKEN_STRING ? string_value(in, token)
             : token->kind == TOKEN_WORD ? word_value(in, token)
                                         : number_value(in, token);
    if (scalar) {
        take_token(in, 's', scalar);
    } else {                            /* complained about already */
        skip_from_here(in);
        skip_token(in, 's');
    }
}

static void on_stray(void *arg, const char *text)
{
    struct input *in = arg;
    forget(in);
    complain(in, "stray '%s'", text);
}

static void on_too_long(void *arg)
{
    struct input *in = arg;
    forget(in);
    in->handler->complaint(in->arg, "JSON token size limit exceeded");
}

/* ---- life ---- */

struct input *input_new(bool positions, const struct input_handler *handler, void *arg)
{
    static const struct tokens_handler tokens_handler = { on_token, on_stray, on_too_long };
    struct input *in = NEW(struct input);
    in->handler = handler;
    in->arg = arg;
    in->positions = positions;
    in->tokens = tokens_new(&tokens_handler, in);
    in->arena = arena_new();
    return in;
}

void input_free(struct input *in)
{
    if (!in)
        return;
    tokens_free(in->tokens);
    free(in->later);
    vector_done(&in->frames);
    arena_free(in->arena);
    free(in);
}

void input_feed(struct input *in, const char *bytes, size_t length)
{
    tokens_feed(in->tokens, bytes, length);
}

void input_end(struct input *in)
{
    if (tokens_end(in->tokens) && !in->frames.count)
        return;
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
