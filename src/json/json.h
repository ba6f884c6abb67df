/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - JSON values, a parser for streams of them, and a writer.
 *
 * Values are plain data in an arena and are not changed once made.  Numbers are kept as the text that came,
 * so 2^63 and beyond stay exact.  Strings are UTF-8 and may hold NUL (see length).  Members keep their order;
 * a doubled key is kept, and json_get() finds the last one.
 *
 * What is refused: text that is not UTF-8, halves of surrogate pairs, a NUL in a member's name.  A value
 * takes at most 16 times its bytes on the wire.  Failures carry ERR_INVALID_ARG; who talks to a VMM says
 * ERR_VMM.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_type type;
    size_t length;                      /* of text; count of items or members */
    union {
        bool boolean;
        const char *text;               /* a string, or a number's digits; NUL-terminated */
        const struct json **items;
        const struct json_member *members;
    };
};

struct json_member { const char *key; const struct json *value; };

/* One whole document, at most 1024 deep.  `arena` owns the result. */
const struct json *json_parse(const char *text, size_t length, struct arena *arena, struct error *err);

/* A stream of documents, with or without white space between them.  on_value gets each complete one together
 * with its arena, which the callback now owns, and the number of bytes it took on the wire.  A value larger
 * than `max_bytes` or deeper than `max_depth`, or bytes that are not JSON, fail the feed; the parser is then
 * dead. */
struct json_parser;
struct json_parser *json_parser_new(size_t max_bytes, unsigned max_depth,
                                    void (*on_value)(void *arg, struct arena *arena, const struct json *value,
                                                     size_t bytes),
                                    void *arg);
/* A member of the outermost object may be heard piece by piece as it comes, instead of being built: it is
 * null in the value then.  `choose` gets the parser's `arg` and the member's name, and returns who hears it,
 * or NULL.  Strings, numbers and names come with their text, which no NUL ends.  What was heard may belong to
 * a value that fails later. */
enum json_event {
    JSON_HEARD_NULL, JSON_HEARD_FALSE, JSON_HEARD_TRUE, JSON_HEARD_NUMBER, JSON_HEARD_STRING,
    JSON_HEARD_OBJECT, JSON_HEARD_ARRAY, JSON_HEARD_NAME, JSON_HEARD_END_OBJECT, JSON_HEARD_END_ARRAY,
};
struct json_listener {
    void (*hear)(void *arg, enum json_event event, const char *text, size_t length);
    void *arg;
};
void json_parser_listen(struct json_parser *p,
                        const struct json_listener *(*choose)(void *arg, const char *name));
int json_parser_feed(struct json_parser *p, const char *bytes, size_t length, struct error *err);
bool json_parser_is_idle(const struct json_parser *p);          /* no value is half read */
void json_parser_free(struct json_parser *p);                   /* may be called from on_value */
DEFINE_OWNED(json_parser)

/* Access.  All accept NULL and a value of another type, and then say so. */
const struct json *json_get(const struct json *object, const char *key);        /* NULL if there is none */
const struct json *json_at(const struct json *array, size_t index);
const char *json_text(const struct json *string);                               /* NULL if not a string */
const char *json_get_text(const struct json *object, const char *key);
bool json_to_u64(const struct json *number, uint64_t *ret_value);
bool json_to_i64(const struct json *number, int64_t *ret_value);
bool json_to_bool(const struct json *boolean, bool *ret_value);
/* Objects compare as sets, numbers by value when both fit 64 bits. */
bool json_equal(const struct json *a, const struct json *b);

/* Writing, straight into a buffer.  Commas come by themselves; an object's values are preceded by json_key().
 *
 *     struct json_writer w = { .out = &buffer };
 *     json_open(&w, '{');
 *     json_key(&w, "execute"), json_string(&w, "stop");
 *     json_close(&w, '}');
 */
struct json_writer {
    struct buffer *out;
    bool spaced;                        /* ": " and ", " as QEMU writes; else no white space */
    bool ascii;                         /* \uXXXX for what is not ASCII, as QEMU writes */
    bool comma;                         /* private: something stands before the next item */
};

void json_open(struct json_writer *w, char bracket);            /* '{' or '[' */
void json_close(struct json_writer *w, char bracket);           /* '}' or ']' */
void json_key(struct json_writer *w, const char *key);
void json_string(struct json_writer *w, const char *text);
void json_string_bytes(struct json_writer *w, const char *text, size_t length);
void json_bool(struct json_writer *w, bool value);
void json_u64(struct json_writer *w, uint64_t value);
void json_i64(struct json_writer *w, int64_t value);
void json_null(struct json_writer *w);
void json_raw(struct json_writer *w, const char *text);         /* JSON that is already text */
void json_value(struct json_writer *w, const struct json *value);
void json_heard(struct json_writer *w, enum json_event event, const char *text, size_t length);
