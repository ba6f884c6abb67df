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

TestSuite(json_value, .init = setup, .fini = teardown);

static const struct json *parse(const char *text)
{
    error_scope(err);
    const struct json *value = json_parse(text, strlen(text), arena, &err);
    cr_assert_not_null(value, "%s: %s", text, error_text(&err));
    return value;
}

Test(json_value, access_accepts_what_is_not_there)
{
    uint64_t u = 7;
    int64_t i = 7;
    bool b = true;
    const struct json *text = parse("\"12\"");
    cr_assert_null(json_get(NULL, "a"));
    cr_assert_null(json_get(text, "a"));
    cr_assert_null(json_at(text, 0));
    cr_assert_null(json_at(parse("[1]"), 1));
    cr_assert_null(json_text(parse("12")));
    cr_assert_null(json_get_text(parse("{\"a\":1}"), "a"));
    cr_assert_not(json_to_u64(text, &u) || json_to_i64(text, &i) || json_to_bool(text, &b) ||
                  json_to_u64(NULL, &u));
    cr_assert(u == 7 && i == 7 && b, "nothing was written");
}

Test(json_value, numbers_convert_when_they_are_whole_and_fit)
{
    uint64_t u;
    int64_t i;
    cr_assert(json_to_u64(parse("18446744073709551615"), &u) && u == UINT64_MAX);
    cr_assert(json_to_u64(parse("9223372036854775808"), &u) && u == 1ull << 63);
    cr_assert(json_to_i64(parse("-9223372036854775808"), &i) && i == INT64_MIN);
    cr_assert_not(json_to_u64(parse("18446744073709551616"), &u));
    cr_assert_not(json_to_i64(parse("9223372036854775808"), &i));
    cr_assert_not(json_to_u64(parse("-1"), &u));
    cr_assert_not(json_to_u64(parse("1.0"), &u));
    cr_assert_not(json_to_i64(parse("1e2"), &i));
}

Test(json_value, equality_is_by_meaning)
{
    static const struct { const char *a, *b; bool same; } rows[] = {
        { "{\"a\":1,\"b\":[2,{}]}", "{\"b\":[2,{}],\"a\":1}", true },
        { "{\"a\":1,\"a\":2}", "{\"a\":2}", true },
        { "{\"a\":1,\"a\":2}", "{\"a\":1}", false },
        { "{\"a\":1}", "{\"a\":1,\"b\":1}", false },
        { "{\"a\":1}", "{\"b\":1}", false },
        { "[1,2]", "[2,1]", false },
        { "[1]", "[1,1]", false },
        { "-0", "0", true },
        { "1.0", "1", false },
        { "1e400", "1e400", true },
        { "18446744073709551615", "18446744073709551615", true },
        { "18446744073709551616", "18446744073709551617", false },
        { "-1", "18446744073709551615", false },
        { "\"a\\u0000b\"", "\"a\\u0000c\"", false },
        { "\"\"", "null", false },
        { "null", "null", true },
        { "true", "false", false },
        { "\"1\"", "1", false },
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        cr_assert_eq(json_equal(parse(rows[i].a), parse(rows[i].b)), rows[i].same, "%s %s", rows[i].a,
                     rows[i].b);
        cr_assert_eq(json_equal(parse(rows[i].b), parse(rows[i].a)), rows[i].same, "%s %s", rows[i].b,
                     rows[i].a);
    }
    cr_assert(json_equal(NULL, NULL));
    cr_assert_not(json_equal(NULL, parse("null")));
}

Test(json_value, equality_takes_no_stack_for_depth_and_no_square_for_width)
{
    owned_buffer struct buffer deep = { 0 }, wide = { 0 };
    for (int i = 0; i < 1000; i++)
        buffer_add_text(&deep, "{\"a\":");
    buffer_add_text(&deep, "1");
    for (int i = 0; i < 1000; i++)
        buffer_add_char(&deep, '}');
    cr_assert(json_equal(parse(deep.data), parse(deep.data)));
    buffer_add_char(&wide, '{');
    for (int i = 0; i < 100000; i++)
        buffer_printf(&wide, "\"k%d\":%d,", i, i);
    buffer_add_text(&wide, "\"\":0}");
    cr_assert(json_equal(parse(wide.data), parse(wide.data)));
}
