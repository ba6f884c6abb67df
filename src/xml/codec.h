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
    /* The text is trimmed for all but strings and enums.  False: not a value of this kind; `out` is then untouched. */
    bool (*parse)(const struct codec *c, struct arena *a, const char *text, void *out);
    void (*format)(const struct codec *c, struct buffer *out, const void *in);
    const char *expected;               /* "a number from 0 to 4294967295"; NULL: the words of `names` */
    const struct enum_names *names;     /* of an enum, for the list of legal words and the nearest one */
    bool verbatim;                      /* not trimmed */
    bool pointer;                       /* the member points to a string in the arena */
    bool (*number)(const void *in, uint64_t *ret_value);        /* for RANGE; false when absent */
};

typedef const char *ctype_string;
typedef uint32_t ctype_u32;             /* decimal */
typedef uint64_t ctype_u64;
typedef struct opt_u32 ctype_opt_u32;
typedef struct opt_u64 ctype_opt_u64;
typedef struct opt_i64 ctype_opt_i64;
typedef uint32_t ctype_hex1;            /* read as C writes numbers, written 0x%x, 0x%02x, 0x%04x */
typedef uint32_t ctype_hex2;
typedef uint32_t ctype_hex4;
typedef struct opt_u32 ctype_opt_hex1;
typedef uint64_t ctype_hex_u64;
typedef struct uuid ctype_uuid;
typedef bool ctype_presence;
typedef enum yes_no ctype_yes_no;
typedef enum on_off ctype_on_off;

extern const struct codec codec_string, codec_u32, codec_u64, codec_opt_u32, codec_opt_u64, codec_opt_i64;
extern const struct codec codec_hex1, codec_hex2, codec_hex4, codec_opt_hex1, codec_hex_u64, codec_uuid, codec_presence;
extern const struct codec codec_yes_no, codec_on_off;

bool codec_parse_enum(const struct codec *c, struct arena *a, const char *text, void *out);
void codec_format_enum(const struct codec *c, struct buffer *out, const void *in);
bool codec_parse_string(const struct codec *c, struct arena *a, const char *text, void *out);
void codec_format_string(const struct codec *c, struct buffer *out, const void *in);

#define ENUM_CODEC(type) \
    { .name = #type, .size = sizeof(enum type), .parse = codec_parse_enum, .format = codec_format_enum, \
      .names = &type##_names, .verbatim = true }

/* An enum's words and its codec, for the file that holds the table. */
#define DEFINE_ENUM_CODEC(type, list) \
    DEFINE_ENUM(type, list); \
    typedef enum type ctype_##type; \
    static const struct codec codec_##type = ENUM_CODEC(type)
