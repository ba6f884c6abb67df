/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "json/json.h"

static struct arena *arena;

static void setup(void)
{
    arena = arena_new();
}

static void teardown(void)
{
    arena_free(arena);
}

TestSuite(json_parse, .init = setup, .fini = teardown);

static const struct json *parse(const char *text)
{
    error_scope(err);
    const struct json *value = json_parse(text, strlen(text), arena, &err);
    cr_assert_not_null(value, "%s: %s", text, error_text(&err));
    return value;
}

static void refuses(const char *text, size_t length, const char *because)
{
    error_scope(err);
    cr_assert_null(json_parse(text, length, arena, &err), "%s", text);
    cr_assert_eq(err.code, ERR_INVALID_ARG);
    cr_assert_not_null(strstr(error_text(&err), because), "%s: %s", text, error_text(&err));
}

Test(json_parse, values_of_every_type_come_in_order)
{
    const struct json *v = parse(" { \"a\" : [ null, true, false, -1.5e3, \"x\" ], \"b\":{}, \"c\":[] } ");
    cr_assert_eq(v->type, JSON_OBJECT);
    cr_assert_eq(v->length, 3);
    cr_assert_str_eq(v->members[0].key, "a");
    const struct json *a = v->members[0].value;
    cr_assert_eq(a->length, 5);
    cr_assert_eq(json_at(a, 0)->type, JSON_NULL);
    cr_assert(json_at(a, 1)->boolean && !json_at(a, 2)->boolean);
    cr_assert_str_eq(json_at(a, 3)->text, "-1.5e3");
    cr_assert_str_eq(json_text(json_at(a, 4)), "x");
    cr_assert_eq(json_get(v, "b")->type, JSON_OBJECT);
    cr_assert_eq(json_get(v, "c")->length, 0);
}

Test(json_parse, numbers_beyond_64_bits_stay_exact)
{
    static const char *const texts[] = { "9223372036854775808", "18446744073709551615",
                                         "18446744073709551616", "-9223372036854775808", "1e400", "0.10",
                                         "-0", "123456789012345678901234567890" };
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        const struct json *v = parse(texts[i]);
        cr_assert_eq(v->type, JSON_NUMBER);
        cr_assert_str_eq(v->text, texts[i]);
        cr_assert_eq(v->length, strlen(texts[i]));
    }
}

Test(json_parse, a_doubled_key_is_kept_and_the_last_is_found)
{
    const struct json *v = parse("{\"k\":1,\"other\":0,\"k\":2}");
    cr_assert_eq(v->length, 3);
    cr_assert_str_eq(json_get(v, "k")->text, "2");
}

Test(json_parse, keys_that_share_a_slot_are_not_mixed_up)
{
    const struct json *v = parse("[{\"axb\":1,\"ayb\":2,\"axb\":3,\"\":4},{\"ayb\":5,\"\":6}]");
    cr_assert_str_eq(json_at(v, 0)->members[0].key, "axb");
    cr_assert_str_eq(json_at(v, 0)->members[1].key, "ayb");
    cr_assert_str_eq(json_get(json_at(v, 0), "")->text, "4");
    cr_assert_str_eq(json_get(json_at(v, 1), "ayb")->text, "5");
}

Test(json_parse, strings_may_hold_nul_and_every_escape)
{
    const struct json *v = parse("\"a\\u0000b\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"");
    static const char expected[] = "a\0b\"\\/\b\f\n\r\t\xC3\xA9\xF0\x9F\x98\x80";
    cr_assert_eq(v->length, sizeof expected - 1);
    cr_assert_arr_eq(v->text, expected, sizeof expected);
}

Test(json_parse, half_a_surrogate_pair_is_refused)
{
    static const char *const texts[] = { "\"\\ud83d\"",    "\"\\ude00\"",        "\"\\ud83dx\"",
                                         "\"\\ud83d\\n\"", "\"\\ud83d\\u0041\"", "\"\\ud83d\\ud83d\\ude00\"",
                                         "{\"\\udc00\":1}" };
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        error_scope(err);
        cr_assert_null(json_parse(texts[i], strlen(texts[i]), arena, &err), "%s", texts[i]);
    }
}

Test(json_parse, text_that_is_not_utf8_is_refused)
{
    static const char *const texts[] = { "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xe2\x82\"",
                                         "\"\xf4\x90\x80\x80\"" };
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
        refuses(texts[i], strlen(texts[i]), "not UTF-8");
    refuses("{\"\xff\":1}", 7, "not UTF-8");
    cr_assert_str_eq(json_text(parse("\"\xe2\x82\xac\"")), "\xe2\x82\xac");
}

Test(json_parse, a_nul_in_a_name_is_refused)
{
    refuses("{\"a\\u0000b\":1}", 14, "NUL");
    refuses("{\"a\":0,\"a\\u0000b\":1}", 20, "NUL");
}

Test(json_parse, garbage_is_refused_with_the_place)
{
    refuses("", 0, "found nothing");
    refuses("  \n", 3, "found nothing");
    refuses("{\"a\":1", 6, "middle of a value");
    refuses("{} x", 4, "something follows the JSON value at byte 2");
    refuses("[1,]", 4, "byte 4");
    refuses("[01]", 4, "near byte");
    refuses("{a:1}", 5, "near byte");
    refuses("nul", 3, "near byte");
    refuses("'x'", 3, "near byte");
    refuses("[1 2]", 5, "near byte");
    refuses("\"\t\"", 3, "near byte");
    refuses("-", 1, "near byte");
    refuses("{\"a\":\"\\u12G4\"}", 14, "near byte");
    refuses("\"a\0b\"", 5, "near byte");
}

Test(json_parse, depth_is_bounded)
{
    enum { DEPTH = 1024 };
    char text[2 * (DEPTH + 1)];
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    error_scope(err);
    cr_assert_not_null(json_parse(text, 2 * DEPTH, arena, &err));
    memset(text, '[', sizeof text);
    refuses(text, sizeof text, "nested too deep");
}
