/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/input.h"
#include "simvmm/value.h"

/* What came out, one a line: values as QEMU prints them, complaints after "! ". */
static void on_value(void *arg, struct arena *arena, const struct json *value)
{
    value_print(arg, value);
    buffer_add_char(arg, '\n');
    arena_free(arena);
}

static void on_complaint(void *arg, const char *text)
{
    buffer_printf(arg, "! %s\n", text);
}

static const struct input_handler handler = { on_value, on_complaint };

static void reads(bool positions, const char *text, const char *wanted)
{
    owned_buffer struct buffer got = { 0 };
    owned(input) struct input *in = input_new(positions, &handler, &got);
    input_feed(in, text, strlen(text));
    cr_assert_str_eq(buffer_text(&got), wanted, "%s gave:\n%s", text, buffer_text(&got));
}

Test(input, values_need_no_separators_and_may_have_single_quotes)
{
    reads(true, "{'a':1}{\"b\" : [true,null]}\n\t[]", "{\"a\": 1}\n{\"b\": [true, null]}\n[]\n");
}

Test(input, what_comes_byte_by_byte_is_the_same)
{
    static const char text[] = "{\"execute\": \"stop\", \"id\": [1.5, -2, \"\\u00e9\"]} 17 ";
    owned_buffer struct buffer whole = { 0 }, pieces = { 0 };
    owned(input) struct input *a = input_new(true, &handler, &whole), *b = input_new(true, &handler, &pieces);
    input_feed(a, text, strlen(text));
    for (size_t i = 0; text[i]; i++)
        input_feed(b, text + i, 1);
    cr_assert_str_eq(buffer_text(&whole), buffer_text(&pieces));
    cr_assert_str_eq(buffer_text(&whole), "{\"execute\": \"stop\", \"id\": [1.5, -2, \"\\u00E9\"]}\n17\n");
}

Test(input, numbers_of_64_bits_stay_exact_and_others_become_doubles)
{
    reads(
        true, "18446744073709551615 -9223372036854775808 18446744073709551616 1.0 1e3 0.1 -0 ",
        "18446744073709551615\n-9223372036854775808\n1.8446744073709552e+19\n1\n1000\n"
          "0.10000000000000001\n0\n");
}

/* Measured on QEMU 11.1.3. */
Test(input, complaints_name_line_and_column)
{
    reads(true, "{\"execute\":}", "! 1:12: JSON parse error, expecting value\n");
    reads(true, "{\"a\":1 \"b\":2}", "! 1:8: JSON parse error, expected ',' or '}'\n");
    reads(true, "\n[1 2]", "! 2:4: JSON parse error, expected ',' or ']'\n");
    reads(true, "{1:2}", "! 1:2: JSON parse error, expecting key\n");
    reads(true, "{\"a\" 1}", "! 1:6: JSON parse error, expecting ':'\n");
    reads(true, "{\"a\":1,\"a\":2}", "! 1:12: JSON parse error, duplicate key\n");
    reads(true, "{\"a\":nonsense}", "! 1:6: JSON parse error, invalid keyword 'nonsense'\n");
    reads(true, "}", "! 1:1: JSON parse error, expecting value\n");
    reads(true, "\"\\q\"", "! 1:1: JSON parse error, invalid escape sequence in string\n");
    reads(true, "\"\\ud83d\"", "! 1:1: JSON parse error, \\ud83d is not a valid Unicode character\n");
}

Test(input, after_a_wrong_token_the_rest_of_the_value_is_skipped)
{
    reads(true, "{\"a\" \"b\":{\"c\":[1}]} 5 ", "! 1:6: JSON parse error, expecting ':'\n5\n");
    reads(true, "{\"a\" 1} 5 ", "! 1:6: JSON parse error, expecting ':'\n5\n");
}

Test(input, after_a_stray_character_reading_goes_on_at_the_next_structural_one)
{
    reads(true, "{\"x\":@ ignored}",
          "! 1:6: JSON parse error, stray '@'\n! 1:16: JSON parse error, expecting value\n");
    reads(true, "01 {\"a\":2}", "! 1:1: JSON parse error, stray '01'\n{\"a\": 2}\n");
}

/* Measured on QEMU 7.2.22: no positions, and said only when the brackets are balanced. */
Test(input, older_complaints_come_at_the_end_of_the_value)
{
    reads(false, "{\"a\":[1,}", "");
    reads(false, "{\"a\" 1", "");
    reads(false, "{\"a\" 1}", "! JSON parse error, missing : in object pair\n");
    reads(false, "{\"a\":1,}", "! JSON parse error, expecting value\n");
    reads(false, "[1 2]", "! JSON parse error, expected separator in list\n");
}

Test(input, nesting_has_a_limit)
{
    owned_buffer struct buffer text = { 0 };
    for (int i = 0; i < 1025; i++)
        buffer_add_char(&text, '[');
    reads(true, text.data, "! JSON nesting depth limit exceeded\n");
}

Test(input, one_value_of_a_command_line_must_be_whole)
{
    owned(arena) struct arena *a = arena_new();
    error_scope(err);
    cr_assert_null(input_parse("{\"driver\":", true, a, &err));
    cr_assert_str_eq(error_text(&err), "1:11: JSON parse error, premature end of input");
    error_clear(&err);
    cr_assert_null(input_parse("{\"driver\":", false, a, &err));
    cr_assert_str_eq(error_text(&err), "JSON parse error, premature EOI");
    error_clear(&err);
    cr_assert_str_eq(json_get_text(input_parse("{\"driver\":\"x\"}", true, a, &err), "driver"), "x");
}
