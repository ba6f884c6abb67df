/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "json/json.h"

static void write_everything(struct json_writer *w)
{
    json_open(w, '{');
    json_key(w, "a"), json_open(w, '['), json_close(w, ']');
    json_key(w, "b"), json_u64(w, UINT64_MAX);
    json_key(w, "c"), json_i64(w, INT64_MIN);
    json_key(w, "d"), json_open(w, '['), json_null(w), json_bool(w, true), json_raw(w, "1e400");
    json_close(w, ']');
    json_key(w, "e"), json_open(w, '{'), json_close(w, '}');
    json_close(w, '}');
}

Test(json_writer, commas_come_by_themselves)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out };
    write_everything(&w);
    cr_assert_str_eq(
        buffer_text(&out),
        "{\"a\":[],\"b\":18446744073709551615,\"c\":-9223372036854775808,\"d\":[null,true,1e400],\"e\":{}}");
}

Test(json_writer, spaces_stand_where_qemu_puts_them)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    write_everything(&w);
    cr_assert_str_eq(buffer_text(&out),
                     "{\"a\": [], \"b\": 18446744073709551615, \"c\": -9223372036854775808, "
                     "\"d\": [null, true, 1e400], \"e\": {}}");
}

static void writes(const char *text, size_t length, bool ascii, const char *expected)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .ascii = ascii };
    json_string_bytes(&w, text, length);
    cr_assert_str_eq(buffer_text(&out), expected);
}

Test(json_writer, strings_are_escaped)
{
    static const char control[] = "\0\x01\x1f\"\\\b\f\n\r\t/\x7f";
    writes(control, sizeof control - 1, false, "\"\\u0000\\u0001\\u001F\\\"\\\\\\b\\f\\n\\r\\t/\x7f\"");
    writes(control, sizeof control - 1, true, "\"\\u0000\\u0001\\u001F\\\"\\\\\\b\\f\\n\\r\\t/\\u007F\"");
    static const char wide[] = "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
    writes(wide, sizeof wide - 1, false, "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
    writes(wide, sizeof wide - 1, true, "\"\\u00E9\\u20AC\\uD83D\\uDE00\"");
    writes("", 0, true, "\"\"");
}

Test(json_writer, what_is_not_utf8_becomes_the_replacement_character)
{
    writes("a\xff" "b", 3, true, "\"a\\uFFFDb\"");
    writes("a\xff" "b", 3, false, "\"a\xEF\xBF\xBD" "b\"");
    writes("\xed\xa0\x80", 3, true, "\"\\uFFFD\\uFFFD\\uFFFD\"");
    writes("\xe2\x82", 2, true, "\"\\uFFFD\\uFFFD\"");
    writes("\xc0\x80", 2, true, "\"\\uFFFD\\uFFFD\"");
    writes("\xEF\xBF\xBD", 3, true, "\"\\uFFFD\"");
}

Test(json_writer, a_value_survives_writing_and_reading)
{
    static const char text[] = "{\"a\":[1,-2.50,[],{},\"x\\u0000\\n\",null,true,false,[[[0]]]],"
                               "\"a\":{\"b\":{\"c\":18446744073709551616}}}";
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    const struct json *v = json_parse(text, sizeof text - 1, arena, &err);
    cr_assert_not_null(v, "%s", error_text(&err));
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out };
    json_value(&w, v);
    cr_assert_str_eq(buffer_text(&out), text);
}

Test(json_writer, a_deep_value_takes_no_stack)
{
    enum { DEPTH = 1024 };
    char text[2 * DEPTH];
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out };
    json_value(&w, json_parse(text, sizeof text, arena, &err));
    cr_assert_eq(out.length, sizeof text);
    cr_assert_arr_eq(out.data, text, sizeof text);
}
