/* SPDX-License-Identifier: Apache-2.0 */
#include "xml/codec.h"

#include <criterion/criterion.h>

/* Reads `text` and expects it to be written as `wanted`; NULL: to be refused. */
static void expect(const struct codec *codec, const char *text, const char *wanted)
{
    owned(arena) struct arena *arena = arena_new();
    union { struct uuid uuid; uint64_t number; struct opt_i64 opt; } value = { .number = 0 };
    owned_buffer struct buffer out = { 0 };
    bool good = codec->parse(codec, arena, text, &value);
    cr_assert_eq(good, wanted != NULL, "'%s' as %s", text, codec->name);
    if (!wanted)
        return;
    codec->format(codec, &out, &value);
    cr_assert_str_eq(buffer_text(&out), wanted, "'%s' as %s", text, codec->name);
}

Test(codec, decimal_numbers_take_digits_and_nothing_else)
{
    expect(&codec_u32, "0", "0");
    expect(&codec_u32, "4294967295", "4294967295");
    expect(&codec_u32, "4294967296", NULL);
    expect(&codec_u32, "-1", NULL);
    expect(&codec_u32, "+1", NULL);
    expect(&codec_u32, "0x10", NULL);
    expect(&codec_u32, "", NULL);
    expect(&codec_u64, "18446744073709551615", "18446744073709551615");
    expect(&codec_u64, "18446744073709551616", NULL);
    expect(&codec_opt_i64, "-9223372036854775808", "-9223372036854775808");
    expect(&codec_opt_i64, "9223372036854775808", NULL);
    expect(&codec_opt_u32, "0", "0");
    expect(&codec_opt_u64, "0", "0");
}

Test(codec, addresses_are_read_as_c_writes_numbers)
{
    expect(&codec_hex1, "0x1F", "0x1f");
    expect(&codec_hex1, "31", "0x1f");
    expect(&codec_hex2, "0x2", "0x02");
    expect(&codec_hex2, "010", "0x08");
    expect(&codec_hex4, "0", "0x0000");
    expect(&codec_opt_hex1, "0x0", "0x0");
    expect(&codec_hex1, "0x", NULL);
    expect(&codec_hex1, "1f", NULL);
    expect(&codec_hex1, "09", NULL);
    expect(&codec_hex1, "0x100000000", NULL);
    expect(&codec_hex_u64, "0xffffffffffffffff", "0xffffffffffffffff");
    expect(&codec_hex_u64, "0x10000000000000000", NULL);
}

Test(codec, a_uuid_is_written_with_hyphens)
{
    expect(&codec_uuid, "C7A5FDBDEDAF9455926AD65C16DB1809", "c7a5fdbd-edaf-9455-926a-d65c16db1809");
    expect(&codec_uuid, "c7a5fdbd", NULL);
}

Test(codec, every_word_of_an_enum_comes_back)
{
    static const struct codec *const codecs[] = { &codec_yes_no, &codec_on_off };
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 1; i < codecs[k]->names->count; i++)
            expect(codecs[k], codecs[k]->names->words[i], codecs[k]->names->words[i]);
    expect(&codec_yes_no, "Yes", NULL);
    expect(&codec_on_off, "", NULL);
}
