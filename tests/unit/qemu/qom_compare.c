/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_compare.h"

#include <criterion/criterion.h>
#include <string.h>

static struct qom_store *store(const char *root, const char *child)
{
    error_scope(err);
    owned(arena) struct arena *arena = arena_new();
    struct qom_store *s = qom_store_new();
    cr_assert_eq(qom_store_put(s, QOM_ROOT, json_parse(root, strlen(root), arena, &err), &err), 0, "%s",
                 error_text(&err));
    if (child)
        cr_assert_eq(qom_store_put(s, 1, json_parse(child, strlen(child), arena, &err), &err), 0, "%s",
                     error_text(&err));
    qom_store_seal(s);
    return s;
}

static void differ(const char *a, const char *b, const char *expected)
{
    owned(qom_store) struct qom_store *left = store(a, NULL), *right = store(b, NULL);
    owned_buffer struct buffer out = { 0 };
    size_t lines = 0, count = qom_compare(left, right, &out, 100);
    cr_assert_str_eq(buffer_text(&out), expected);
    for (const char *c = expected; *c; c++)
        lines += *c == '\n';
    cr_assert_eq(count, lines);
}

#define P(name, type, value) "{\"name\":\"" name "\",\"type\":\"" type "\",\"value\":" value "}"

Test(qom_compare, order_does_not_count)
{
    differ("[" P("a", "int", "1") "," P("b", "X", "{\"p\":1,\"q\":[2]}") "]",
           "[" P("b", "X", "{\"q\":[2],\"p\":1}") "," P("a", "int", "1") "]", "");
}

Test(qom_compare, each_difference_is_told)
{
    differ("[" P("a", "int", "1") "," P("b", "int", "2") "]", "[" P("a", "int", "1") "]", "- / b int 2\n");
    differ("[" P("a", "int", "1") "]", "[" P("a", "int", "2") "]", "- / a int 1\n+ / a int 2\n");
    differ("[" P("a", "int", "1") "]", "[" P("a", "uint8", "1") "]", "- / a int 1\n+ / a uint8 1\n");
    differ("[{\"name\":\"a\",\"type\":\"int\"}]", "[" P("a", "int", "null") "]",
           "- / a int (unreadable)\n+ / a int null\n");
    differ("[" P("a", "str", "\"\"") "]", "[" P("a", "str", "null") "]", "- / a str \"\"\n+ / a str null\n");
    differ("[" P("m", "child<x>", "\"/m\"") "]", "[]", "- /m x\n");
    differ("[]", "[" P("m", "child<x>", "\"/m\"") "," P("n", "child<y>", "\"/n\"") "]", "+ /n y\n+ /m x\n");
    differ("[" P("m", "child<x>", "\"/m\"") "]", "[" P("m", "child<y>", "\"/m\"") "]", "- /m x\n+ /m y\n");
}

Test(qom_compare, what_changes_by_itself_is_masked)
{
    differ("[" P("rtc-time", "struct tm", "1") "," P("date", "x", "1") "," P("guest-stats", "y", "{}") "]",
           "[" P("rtc-time", "struct tm", "2") "," P("date", "x", "2") ","
           P("guest-stats", "y", "{\"a\":1}") "]", "");
    differ("[" P("date", "x", "1") "]", "[]", "- / date x 1\n");
}

Test(qom_compare, the_limit_bounds_the_text_and_not_the_count)
{
    owned(qom_store) struct qom_store *a = store("[" P("a", "int", "1") "," P("b", "int", "1") "]", NULL);
    owned(qom_store) struct qom_store *b = store("[]", NULL);
    owned_buffer struct buffer out = { 0 };
    cr_assert_eq(qom_compare(a, b, &out, 1), 2);
    cr_assert_str_eq(out.data, "- / a int 1\n");
    cr_assert_eq(qom_compare(a, b, NULL, 0), 2);
}
