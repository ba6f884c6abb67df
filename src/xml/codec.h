/* SPDX-License-Identifier: Apache-2.0 */
/* codec.h - how one scalar is written in XML.
 *
 * A codec named `u32` comes as `codec_u32` and the member type that it needs as `ctype_u32`, so that a row
 * whose member has another type does not compile.
 */
#pragma once
#include "base/arena.h"
#include "base/buffer.h"
#include "base/uuid.h"
#include "xml/value.h"

struct codec {
    const char *name;
    size_t size;
    /* The text is trimmed for all but strings and enums.  False: not a value of this kind. */
    bool (*parse)(const struct codec *c, struct arena *a, const char *text, void *out);
    void (*format)(const struct codec *c, struct buffer *out, const void *in);
    const char *expected;               /* "a number from 0 to 4294967295"; NULL: the words of `names` */
    const struct enum_names *names;     /* of an enum, for the list of legal words and the nearest one */
    bool verbatim;                      /* not trimmed */
    bool pointer;                       /* the member points to a string in the arena */
    bool (*number)(const void *in, uint64_t *ret_value);        /* for RANGE; false when absent */
};

/* The member type that goes with a codec. */
#define CODEC_TYPE(codec, ctype) typedef ctype ctype_##codec

CODEC_TYPE(string, const char *);
CODEC_TYPE(u32, uint32_t);             /* decimal */
CODEC_TYPE(u64, uint64_t);
CODEC_TYPE(opt_u32, struct opt_u32);
CODEC_TYPE(opt_u64, struct opt_u64);
CODEC_TYPE(opt_i64, struct opt_i64);
CODEC_TYPE(hex1, uint32_t);            /* read as C writes numbers, written 0x%x, 0x%02x, 0x%04x */
CODEC_TYPE(hex2, uint32_t);
CODEC_TYPE(hex4, uint32_t);
CODEC_TYPE(opt_hex1, struct opt_u32);
CODEC_TYPE(hex_u64, uint64_t);
CODEC_TYPE(uuid, struct uuid);
CODEC_TYPE(presence, bool);
CODEC_TYPE(yes_no, enum yes_no);
CODEC_TYPE(on_off, enum on_off);

extern const struct codec codec_string, codec_u32, codec_u64, codec_opt_u32, codec_opt_u64, codec_opt_i64;
extern const struct codec codec_hex1, codec_hex2, codec_hex4, codec_opt_hex1, codec_hex_u64;
extern const struct codec codec_uuid, codec_presence, codec_yes_no, codec_on_off;

bool codec_parse_enum(const struct codec *c, struct arena *a, const char *text, void *out);
void codec_format_enum(const struct codec *c, struct buffer *out, const void *in);
bool codec_parse_string(const struct codec *c, struct arena *a, const char *text, void *out);
bool codec_parse_word(const struct codec *c, struct arena *a, const char *text, void *out);
void codec_format_string(const struct codec *c, struct buffer *out, const void *in);

/* Words that are checked, and kept or handed on as they are: an enum of them would have no reader. */
#define DEFINE_WORDS(type, ...) \
    static const char *const type##_words_[] = { NULL, __VA_ARGS__ }; \
    static const struct enum_names type##_names = { \
        #type, type##_words_, sizeof type##_words_ / sizeof *type##_words_ }
#define WORDS_CODEC(type) \
    { .name = #type, .size = sizeof(const char *), .parse = codec_parse_word, \
      .format = codec_format_string, .names = &type##_names, .verbatim = true, .pointer = true }
#define DEFINE_WORDS_CODEC(type, ...) \
    DEFINE_WORDS(type, __VA_ARGS__); \
    typedef const char *ctype_##type; \
    static const struct codec codec_##type = WORDS_CODEC(type)

#define ENUM_CODEC(type) \
    { .name = #type, .size = sizeof(enum type), .parse = codec_parse_enum, .format = codec_format_enum, \
      .names = &type##_names, .verbatim = true }

/* An enum's words and its codec, for the file that holds the table. */
#define DEFINE_ENUM_CODEC(type, list) \
    DEFINE_ENUM(type, list); \
    BORROW_ENUM_CODEC(type)
/* The codec of an enum whose words another file defines. */
#define BORROW_ENUM_CODEC(type) \
    typedef enum type ctype_##type; \
    static const struct codec codec_##type = ENUM_CODEC(type)
