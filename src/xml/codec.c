/* SPDX-License-Identifier: Apache-2.0 */
#include "xml/codec.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

bool codec_parse_string(const struct codec *c, struct arena *a, const char *text, void *out)
{
    *(const char **) out = arena_copy(a, text);
    return true;
}

bool codec_parse_word(const struct codec *c, struct arena *a, const char *text, void *out)
{
    return enum_find(c->names, text) && codec_parse_string(c, a, text, out);
}

void codec_format_string(const struct codec *c, struct buffer *out, const void *in)
{
    buffer_add_text(out, *(const char *const *) in);
}

bool codec_parse_enum(const struct codec *c, struct arena *a, const char *text, void *out)
{
    int value = enum_find(c->names, text);
    if (!value)
        return false;
    *(int *) out = value;
    return true;
}

void codec_format_enum(const struct codec *c, struct buffer *out, const void *in)
{
    buffer_add_text(out, enum_word(c->names, *(const int *) in));
}

static bool parse_u32(const struct codec *c, struct arena *a, const char *text, void *out)
{
    uint64_t value;
    if (!text_to_u64(text, UINT32_MAX, &value))
        return false;
    *(uint32_t *) out = (uint32_t) value;
    return true;
}

static void format_u32(const struct codec *c, struct buffer *out, const void *in)
{
    buffer_printf(out, "%" PRIu32, *(const uint32_t *) in);
}

static bool number_u32(const void *in, uint64_t *ret_value)
{
    *ret_value = *(const uint32_t *) in;
    return true;
}

static bool parse_u64(const struct codec *c, struct arena *a, const char *text, void *out)
{
    return text_to_u64(text, UINT64_MAX, out);
}

static void format_u64(const struct codec *c, struct buffer *out, const void *in)
{
    buffer_printf(out, "%" PRIu64, *(const uint64_t *) in);
}

static bool number_u64(const void *in, uint64_t *ret_value)
{
    *ret_value = *(const uint64_t *) in;
    return true;
}

static bool parse_opt_u32(const struct codec *c, struct arena *a, const char *text, void *out)
{
    struct opt_u32 *number = out;
    return number->set = parse_u32(c, a, text, &number->value);
}

static void format_opt_u32(const struct codec *c, struct buffer *out, const void *in)
{
    format_u32(c, out, &((const struct opt_u32 *) in)->value);
}

static bool number_opt_u32(const void *in, uint64_t *ret_value)
{
    const struct opt_u32 *number = in;
    *ret_value = number->value;
    return number->set;
}

static bool parse_opt_u64(const struct codec *c, struct arena *a, const char *text, void *out)
{
    struct opt_u64 *number = out;
    return number->set = parse_u64(c, a, text, &number->value);
}

static void format_opt_u64(const struct codec *c, struct buffer *out, const void *in)
{
    format_u64(c, out, &((const struct opt_u64 *) in)->value);
}

static bool number_opt_u64(const void *in, uint64_t *ret_value)
{
    const struct opt_u64 *number = in;
    *ret_value = number->value;
    return number->set;
}

static bool parse_opt_i64(const struct codec *c, struct arena *a, const char *text, void *out)
{
    struct opt_i64 *number = out;
    return number->set = text_to_i64(text, &number->value);
}

static void format_opt_i64(const struct codec *c, struct buffer *out, const void *in)
{
    buffer_printf(out, "%" PRIi64, ((const struct opt_i64 *) in)->value);
}

/* 0x1f, 31 or 037, as addresses have always been read. */
static bool parse_hex_u64(const struct codec *c, struct arena *a, const char *text, void *out)
{
    unsigned base = 10;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        base = 16, text += 2;
    else if (text[0] == '0' && text[1])
        base = 8, text += 1;
    if (!*text)
        return false;
    uint64_t value = 0;
    for (; *text; text++) {
        const char *digit = strchr("0123456789abcdef", *text >= 'A' && *text <= 'F' ? *text + 32 : *text);
        unsigned figure = digit ? (unsigned) (digit - "0123456789abcdef") : base;
        if (figure >= base || value > (UINT64_MAX - figure) / base)
            return false;
        value = value * base + figure;
    }
    *(uint64_t *) out = value;
    return true;
}

static bool parse_hex(const struct codec *c, struct arena *a, const char *text, void *out)
{
    uint64_t value;
    if (!parse_hex_u64(c, a, text, &value) || value > UINT32_MAX)
        return false;
    *(uint32_t *) out = (uint32_t) value;
    return true;
}

static void format_hex1(const struct codec *c, struct buffer *out, const void *in)
{
    buffer_printf(out, "0x%" PRIx32, *(const uint32_t *) in);
}

static void format_hex2(const struct codec *c, struct buffer *out, const void *in)
{
    buffer_printf(out, "0x%02" PRIx32, *(const uint32_t *) in);
}

static void format_hex4(const struct codec *c, struct buffer *out, const void *in)
{
    buffer_printf(out, "0x%04" PRIx32, *(const uint32_t *) in);
}

static void format_hex_u64(const struct codec *c, struct buffer *out, const void *in)
{
    buffer_printf(out, "0x%" PRIx64, *(const uint64_t *) in);
}

static bool parse_opt_hex1(const struct codec *c, struct arena *a, const char *text, void *out)
{
    struct opt_u32 *number = out;
    return number->set = parse_hex(c, a, text, &number->value);
}

static void format_opt_hex1(const struct codec *c, struct buffer *out, const void *in)
{
    format_hex1(c, out, &((const struct opt_u32 *) in)->value);
}

static bool parse_uuid(const struct codec *c, struct arena *a, const char *text, void *out)
{
    return uuid_parse(text, out);
}

static void format_uuid(const struct codec *c, struct buffer *out, const void *in)
{
    char text[UUID_TEXT_SIZE];
    uuid_format(in, text);
    buffer_add_text(out, text);
}

#define U32_RANGE "a number from 0 to 4294967295"
#define U64_RANGE "a number from 0 to 18446744073709551615"
#define HEX_RANGE "a number such as 0x1f or 31"

#define SCALAR(type, text, ...) \
    { .name = #type, .size = sizeof(ctype_##type), .parse = parse_##type, .format = format_##type, \
      .expected = text, __VA_ARGS__ }
#define parse_hex1 parse_hex
#define parse_hex2 parse_hex
#define parse_hex4 parse_hex

const struct codec
codec_string = { .name = "text", .size = sizeof(char *), .parse = codec_parse_string,
    .format = codec_format_string,
                 .expected = "text", .verbatim = true, .pointer = true },
codec_u32 = SCALAR(u32, U32_RANGE, .number = number_u32),
codec_u64 = SCALAR(u64, U64_RANGE, .number = number_u64),
codec_opt_u32 = SCALAR(opt_u32, U32_RANGE, .number = number_opt_u32),
codec_opt_u64 = SCALAR(opt_u64, U64_RANGE, .number = number_opt_u64),
codec_opt_i64 = SCALAR(opt_i64, "a whole number"),
codec_hex1 = SCALAR(hex1, HEX_RANGE, .number = number_u32),
codec_hex2 = SCALAR(hex2, HEX_RANGE, .number = number_u32),
codec_hex4 = SCALAR(hex4, HEX_RANGE, .number = number_u32),
codec_opt_hex1 = SCALAR(opt_hex1, HEX_RANGE, .number = number_opt_u32),
codec_hex_u64 = SCALAR(hex_u64, HEX_RANGE, .number = number_u64),
codec_uuid = SCALAR(uuid, "32 hexadecimal digits, with or without hyphens"),
codec_presence = { .name = "presence", .size = sizeof(bool) },
codec_yes_no = ENUM_CODEC(yes_no),
codec_on_off = ENUM_CODEC(on_off);
