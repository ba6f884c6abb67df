/* SPDX-License-Identifier: Apache-2.0 */
/* A yajl handle lives for one document: the callback that completes the outermost value cancels the parse, so
 * we know the byte where it ended, are outside yajl when the value is handed on, and keep nothing from one
 * document to the next.  (yajl's own mode for many values grows its state stack by each of them.) */
#include "json/json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "json/escapes.h"
#include "json/token.h"

enum { WHOLE_DEPTH = 1024, KEPT_KEYS = 64, KEPT_STACK = 4096, WORD_MAX = 4096 };

struct frame {
    enum json_type type;
    size_t start;                       /* of its members on the stack */
    const char *key;                    /* of the member whose value comes next */
};

struct json_parser {
    size_t max_bytes;
    unsigned max_depth;
    void (*on_value)(void *arg, struct arena *arena, const struct json *value, size_t bytes);
    void *arg;
    const struct json_listener *(*choose)(void *arg, const char *name);

    yajl_handle yajl;                   /* NULL between documents */
    struct arena *arena;                /* of the document being read */
    const struct json *value;           /* the document, once complete */
    size_t bytes, blanks;               /* of the document so far, and of white space before it */
    VECTOR(struct frame) frames;
    VECTOR(struct json_member) members; /* of all open frames */
    const char *keys[KEPT_KEYS];        /* the latest ones, so that repeated keys share their text */
    const struct json_listener *listener;       /* of the member that is being read; NULL: it is built */
    unsigned heard_depth;
    struct escapes escapes;
    struct token token;                 /* where yajl stands */
    struct buffer held;                 /* the rest so far of the string that it is in */
    const char *refusal;                /* why a callback cancelled */
    bool after_word;                    /* the last document was a number or a word: a gap must follow */
    bool dead, feeding, freed;
};

static const struct json json_null_value = { .type = JSON_NULL };
static const struct json json_bools[] = { { .type = JSON_BOOL }, { .type = JSON_BOOL, .boolean = true } };
static const struct json json_empty[] = {
    [JSON_STRING] = { .type = JSON_STRING, .text = "" },
    [JSON_ARRAY] = { .type = JSON_ARRAY },
    [JSON_OBJECT] = { .type = JSON_OBJECT },
};
#define DIGIT(text_) { .type = JSON_NUMBER, .length = 1, .text = text_ }
static const struct json json_digits[] = { DIGIT("0"), DIGIT("1"), DIGIT("2"), DIGIT("3"), DIGIT("4"),
                                           DIGIT("5"), DIGIT("6"), DIGIT("7"), DIGIT("8"), DIGIT("9") };

/* --- building --------------------------------------------------------------------------------- */

/* Returns what yajl wants: nonzero to go on, 0 when the document is complete. */
static int add_value(struct json_parser *p, const struct json *value)
{
    if (p->frames.count == 0) {
        p->value = value;
        return 0;
    }
    struct json_member m = { p->frames.items[p->frames.count - 1].key, value };
    vector_push(&p->members, m);
    return 1;
}

static int refuse(struct json_parser *p, const char *why)
{
    p->refusal = why;
    return 0;
}

/* --- hearing ---------------------------------------------------------------------------------- */

static int hear(struct json_parser *p, enum json_event event, const char *text, size_t length)
{
    if (event == JSON_HEARD_OBJECT || event == JSON_HEARD_ARRAY) {
        if (p->frames.count + p->heard_depth >= p->max_depth)
            return refuse(p, "it is nested too deep");
        p->heard_depth++;
    }
    p->listener->hear(p->listener->arg, event, text, length);
    p->heard_depth -= event == JSON_HEARD_END_OBJECT || event == JSON_HEARD_END_ARRAY;
    if (p->heard_depth || event == JSON_HEARD_NAME)
        return 1;
    p->listener = NULL;
    return add_value(p, &json_null_value);
}

/* --- building, if nobody hears ------------------------------------------------------------------ */

/* Text stands right behind its value: one allocation for both. */
static const struct json *new_text(struct json_parser *p, enum json_type type, const char *text,
                                   size_t length)
{
    struct json *v = arena_alloc(p->arena, sizeof *v + length + 1);
    char *copy = (char *) (v + 1);
    memcpy(copy, text, length);
    v->type = type;
    v->length = length;
    v->text = copy;
    return v;
}

static int on_null(void *ctx)
{
    struct json_parser *p = ctx;
    return p->listener ? hear(p, JSON_HEARD_NULL, NULL, 0) : add_value(p, &json_null_value);
}

static int on_bool(void *ctx, int value)
{
    struct json_parser *p = ctx;
    if (p->listener)
        return hear(p, value ? JSON_HEARD_TRUE : JSON_HEARD_FALSE, NULL, 0);
    return add_value(p, &json_bools[value != 0]);
}

static int on_number(void *ctx, const char *text, size_t length)
{
    struct json_parser *p = ctx;
    if (p->listener)
        return hear(p, JSON_HEARD_NUMBER, text, length);
    if (length == 1 && text[0] >= '0' && text[0] <= '9')
        return add_value(p, &json_digits[text[0] - '0']);
    return add_value(p, new_text(p, JSON_NUMBER, text, length));
}

static int on_string(void *ctx, const unsigned char *bytes, size_t length)
{
    struct json_parser *p = ctx;
    const char *text = (const char *) bytes;
    if (!text_is_utf8(text, length))
        return refuse(p, "a string is not UTF-8");
    if (p->listener)
        return hear(p, JSON_HEARD_STRING, text, length);
    if (length == 0)
        return add_value(p, &json_empty[JSON_STRING]);
    return add_value(p, new_text(p, JSON_STRING, text, length));
}

static int check_key(struct json_parser *p, const char *text, size_t length)
{
    if (memchr(text, 0, length))
        return refuse(p, "a member's name holds a NUL");
    return text_is_utf8(text, length) ? 1 : refuse(p, "a member's name is not UTF-8");
}

static int on_key(void *ctx, const unsigned char *bytes, size_t length)
{
    struct json_parser *p = ctx;
    const char *text = (const char *) bytes;
    if (p->listener)
        return check_key(p, text, length) ? hear(p, JSON_HEARD_NAME, text, length) : 0;
    struct frame *frame = &p->frames.items[p->frames.count - 1];
    size_t slot = length ? (length * 31 + bytes[0] * 7 + bytes[length - 1]) % KEPT_KEYS : 0;
    const char *kept = p->keys[slot];
    if (!kept || strncmp(kept, text, length) != 0 || kept[length] || memchr(text, 0, length)) {
        if (!check_key(p, text, length))
            return 0;
        kept = p->keys[slot] = arena_copy_bytes(p->arena, text, length);
    }
    frame->key = kept;
    if (p->choose && p->frames.count == 1)
        p->listener = p->choose(p->arg, kept);
    return 1;
}

static int open_frame(struct json_parser *p, enum json_type type)
{
    if (p->frames.count >= p->max_depth)
        return refuse(p, "it is nested too deep");
    struct frame frame = { .type = type, .start = p->members.count };
    vector_push(&p->frames, frame);
    return 1;
}

static int close_frame(struct json_parser *p)
{
    struct frame frame = p->frames.items[--p->frames.count];
    size_t count = p->members.count - frame.start;
    if (count == 0)
        return add_value(p, &json_empty[frame.type]);
    const struct json_member *from = &p->members.items[frame.start];
    p->members.count = frame.start;

    struct json *v = ARENA_NEW(p->arena, struct json);
    v->type = frame.type;
    v->length = count;
    if (frame.type == JSON_OBJECT) {
        struct json_member *members = arena_alloc(p->arena, count * sizeof *members);
        memcpy(members, from, count * sizeof *members);
        v->members = members;
    } else {
        v->items = arena_alloc(p->arena, count * sizeof *v->items);
        for (size_t i = 0; i < count; i++)
            v->items[i] = from[i].value;
    }
    return add_value(p, v);
}

static int on_open_object(void *ctx)
{
    struct json_parser *p = ctx;
    return p->listener ? hear(p, JSON_HEARD_OBJECT, NULL, 0) : open_frame(p, JSON_OBJECT);
}

static int on_open_array(void *ctx)
{
    struct json_parser *p = ctx;
    return p->listener ? hear(p, JSON_HEARD_ARRAY, NULL, 0) : open_frame(p, JSON_ARRAY);
}

static int on_close_object(void *ctx)
{
    struct json_parser *p = ctx;
    return p->listener ? hear(p, JSON_HEARD_END_OBJECT, NULL, 0) : close_frame(p);
}

static int on_close_array(void *ctx)
{
    struct json_parser *p = ctx;
    return p->listener ? hear(p, JSON_HEARD_END_ARRAY, NULL, 0) : close_frame(p);
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_bool,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_open_object,
    .yajl_map_key = on_key,
    .yajl_end_map = on_close_object,
    .yajl_start_array = on_open_array,
    .yajl_end_array = on_close_array,
};

/* --- documents -------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("+-._", c));
}

static void begin_document(struct json_parser *p)
{
    p->yajl = yajl_alloc(&callbacks, NULL, p);
    if (!p->yajl)
        abort();
    yajl_config(p->yajl, yajl_dont_validate_strings, 1);        /* its check lets overlong forms pass */
    if (!p->arena)
        p->arena = arena_new();
    p->value = NULL;
    p->bytes = 0;
    p->escapes = (struct escapes) { 0 };
    p->token = (struct token) { 0 };
    memset(p->keys, 0, sizeof p->keys);
}

static void end_document(struct json_parser *p)
{
    if (p->yajl)
        yajl_free(p->yajl);
    p->yajl = NULL;
    p->frames.count = p->members.count = 0;
    p->listener = NULL;
    p->heard_depth = 0;
    buffer_done(&p->held);
    p->held = (struct buffer) { 0 };
    if (p->members.capacity > KEPT_STACK)
        vector_done(&p->members);
}

static int die(struct json_parser *p, struct error *err, const char *why, size_t why_length)
{
    p->dead = true;
    return fail(err, ERR_INVALID_ARG, "not acceptable JSON near byte %zu of the value: %.*s", p->bytes,
                (int) why_length, why);
}

static int die_by_size(struct json_parser *p, struct error *err)
{
    p->dead = true;
    return fail(err, ERR_INVALID_ARG, "a JSON value is larger than %zu bytes", p->max_bytes);
}

static int die_by_yajl(struct json_parser *p, struct error *err)
{
    unsigned char *text = yajl_get_error(p->yajl, 0, NULL, 0);
    const char *why = text ? (const char *) text : "it cannot be read";
    die(p, err, why, strcspn(why, "\n"));
    if (text)
        yajl_free_error(p->yajl, text);
    return -1;
}

/* Gives yajl what may still belong to this document; p->value is set if it ends there. */
static int feed_document(struct json_parser *p, const char *bytes, size_t length, size_t *ret_taken,
                         struct error *err)
{
    size_t room = p->max_bytes - p->bytes;
    if (length > room)
        length = room;
    if (length == 0)
        return die_by_size(p, err);
    yajl_status status = yajl_parse(p->yajl, (const unsigned char *) bytes, length);
    size_t taken = status == yajl_status_ok ? length : yajl_get_bytes_consumed(p->yajl);
    p->bytes += taken;
    if (p->refusal)
        return die(p, err, p->refusal, strlen(p->refusal));
    if (status == yajl_status_error)
        return die_by_yajl(p, err);
    if (!escapes_check(&p->escapes, bytes, taken))
        return die(p, err, "half a surrogate pair", strlen("half a surrogate pair"));
    *ret_taken = taken;
    return 0;
}

/* Inside of a string that began in an earlier piece: yajl gets the rest when it is whole. */
static int feed_string(struct json_parser *p, const char *bytes, size_t length, size_t *ret_taken,
                       struct error *err)
{
    size_t end = token_string_end(&p->token, bytes, length);
    *ret_taken = end ? end : length;
    if (*ret_taken > p->max_bytes - p->bytes - p->held.length)
        return die_by_size(p, err);
    buffer_add(&p->held, bytes, *ret_taken);
    if (!end)
        return 0;
    size_t rest_length = p->held.length, taken;
    owned_memory char *rest = buffer_take(&p->held);
    return feed_document(p, rest, rest_length, &taken, err);
}

static int feed_piece(struct json_parser *p, const char *bytes, size_t length, size_t *ret_taken,
                      struct error *err)
{
    if (p->token.in_string)
        return feed_string(p, bytes, length, ret_taken, err);
    if (feed_document(p, bytes, length, ret_taken, err) < 0)
        return -1;
    if (p->value)
        return 0;
    token_follow(&p->token, bytes, *ret_taken);
    return p->token.word > WORD_MAX ? die(p, err, "a number of too many digits", 27) : 0;
}

static size_t skip_blanks(struct json_parser *p, const char *bytes, size_t length)
{
    size_t blanks = 0;
    while (blanks < length && is_blank(bytes[blanks]))
        blanks++;
    p->blanks += blanks;
    if (blanks)
        p->after_word = false;
    return blanks;
}

static void deliver(struct json_parser *p)
{
    size_t bytes = p->bytes + p->blanks;
    p->blanks = p->bytes = 0;
    p->after_word = p->value->type <= JSON_NUMBER;
    struct arena *arena = take(p->arena);
    end_document(p);
    p->on_value(p->arg, arena, p->value, bytes);
}

static int feed(struct json_parser *p, const char *bytes, size_t length, struct error *err)
{
    while (length && !p->freed) {
        if (!p->yajl) {
            size_t blanks = skip_blanks(p, bytes, length);
            bytes += blanks;
            length -= blanks;
            if (length == 0)
                break;
            if (p->after_word && is_word(*bytes))
                return die(p, err, "two values without a gap", strlen("two values without a gap"));
            begin_document(p);
        }
        size_t taken;
        if (feed_piece(p, bytes, length, &taken, err) < 0)
            return -1;
        bytes += taken;
        length -= taken;
        if (p->value)
            deliver(p);
    }
    return 0;
}

/* --- the parser ------------------------------------------------------------------------------- */

struct json_parser *json_parser_new(size_t max_bytes, unsigned max_depth,
                                    void (*on_value)(void *arg, struct arena *arena, const struct json *value,
                                                     size_t bytes),
                                    void *arg)
{
    struct json_parser *p = NEW(struct json_parser);
    p->max_bytes = max_bytes;
    p->max_depth = max_depth;
    p->on_value = on_value;
    p->arg = arg;
    return p;
}

void json_parser_listen(struct json_parser *p,
                        const struct json_listener *(*choose)(void *arg, const char *name))
{
    p->choose = choose;
}

int json_parser_feed(struct json_parser *p, const char *bytes, size_t length, struct error *err)
{
    assert(!p->feeding);
    if (p->dead)
        return fail(err, ERR_INVALID_ARG, "the JSON stream was damaged before");
    p->feeding = true;
    int rc = feed(p, bytes, length, err);
    p->feeding = false;
    if (p->freed)
        json_parser_free(p);
    return rc;
}

bool json_parser_is_idle(const struct json_parser *p)
{
    return !p->yajl;
}

void json_parser_free(struct json_parser *p)
{
    if (!p)
        return;
    if (p->feeding) {
        p->freed = true;
        return;
    }
    end_document(p);
    arena_free(p->arena);
    vector_done(&p->frames);
    vector_done(&p->members);
    free(p);
}

/* Complete: the value.  Else what is missing or too much is told. */
static const struct json *parse_whole(struct json_parser *p, const char *text, size_t length,
                                      struct error *err)
{
    size_t at = skip_blanks(p, text, length), taken = 0;
    if (at == length) {
        fail(err, ERR_INVALID_ARG, "expected JSON, found nothing");
        return NULL;
    }
    begin_document(p);
    if (feed_document(p, text + at, length - at, &taken, err) < 0 ||
        (!p->value && feed_document(p, " ", 1, &(size_t) { 0 }, err) < 0))
        return NULL;
    at += taken;
    if (!p->value)
        fail(err, ERR_INVALID_ARG, "the JSON ends in the middle of a value");
    else if (at + skip_blanks(p, text + at, length - at) < length)
        fail(err, ERR_INVALID_ARG, "something follows the JSON value at byte %zu", at);
    else
        return p->value;
    return NULL;
}

const struct json *json_parse(const char *text, size_t length, struct arena *arena, struct error *err)
{
    owned(json_parser) struct json_parser *p = json_parser_new(length + 1, WHOLE_DEPTH, NULL, NULL);
    p->arena = arena;
    const struct json *value = parse_whole(p, text, length, err);
    p->arena = NULL;
    return value;
}
