/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "base/text.h"
#include "simvmm/keyval.h"
#include "simvmm/value.h"

static void gives(const char *text, const char *implied, int style, const char *wanted)
{
    owned(arena) struct arena *a = arena_new();
    owned_buffer struct buffer got = { 0 };
    error_scope(err);
    const struct json *object = keyval_parse(a, text, implied, style, true, NULL, &err);
    cr_assert_not_null(object, "%s: %s", text, error_text(&err));
    value_print(&got, object);
    cr_assert_str_eq(buffer_text(&got), wanted, "%s gave %s", text, buffer_text(&got));
}

Test(keyval, the_first_value_may_lack_its_key)
{
    gives("virtio-blk-pci,id=a", "driver", KEYVAL_FLAT, "{\"driver\": \"virtio-blk-pci\", \"id\": \"a\"}");
}

Test(keyval, a_doubled_comma_is_one_of_the_value)
{
    gives("guest=we,,ird,process=p", "guest", KEYVAL_FLAT, "{\"guest\": \"we,ird\", \"process\": \"p\"}");
    gives("path=/a=b,,c", NULL, KEYVAL_FLAT, "{\"path\": \"/a=b,c\"}");
}

Test(keyval, a_key_alone_is_a_switch)
{
    owned(arena) struct arena *a = arena_new();
    const char *alone = NULL;
    error_scope(err);
    gives("server,nowait", NULL, KEYVAL_FLAT, "{\"server\": \"on\", \"wait\": \"off\"}");
    cr_assert_not_null(keyval_parse(a, "x=1,server", NULL, KEYVAL_FLAT, true, &alone, &err));
    cr_assert_str_eq(alone, "server");
}

Test(keyval, dots_make_objects_where_they_nest)
{
    gives("driver=file,cache.direct=on,cache.no-flush=off", "driver", KEYVAL_NESTED,
          "{\"driver\": \"file\", \"cache\": {\"no-flush\": \"off\", \"direct\": \"on\"}}");
    gives("a.b=c", NULL, KEYVAL_FLAT, "{\"a.b\": \"c\"}");
}

Test(keyval, json_is_taken_where_it_may_stand)
{
    gives("{\"driver\": \"x\", \"n\": 5}", "driver", KEYVAL_FLAT | KEYVAL_OR_JSON,
          "{\"n\": 5, \"driver\": \"x\"}");
    gives("{x", "driver", KEYVAL_FLAT, "{\"driver\": \"{x\"}");
}

Test(keyval, the_last_of_a_doubled_key_counts)
{
    gives("id=a,id=b", NULL, KEYVAL_FLAT, "{\"id\": \"b\"}");
}

Test(keyval, a_nested_key_needs_its_value)
{
    owned(arena) struct arena *a = arena_new();
    error_scope(err);
    cr_assert_null(keyval_parse(a, "driver=file,read-only", NULL, KEYVAL_NESTED, true, NULL, &err));
    cr_assert_str_eq(error_text(&err), "Expected '=' after parameter 'read-only'");
}

Test(keyval, sizes_have_suffixes_and_a_unit)
{
    uint64_t size;
    cr_assert(keyval_parse_size("256", 1 << 20, &size) && size == 256ull << 20);
    cr_assert(keyval_parse_size("262144k", 1 << 20, &size) && size == 256ull << 20);
    cr_assert(keyval_parse_size("1.5G", 1, &size) && size == 3ull << 29);
    cr_assert(!keyval_parse_size("-1", 1, &size) && !keyval_parse_size("1x", 1, &size) &&
              !keyval_parse_size("", 1, &size));
    cr_assert(!keyval_parse_size("16E", 1, &size), "2^64 does not fit");
}

Test(keyval, numbers_are_c_numbers)
{
    uint64_t number;
    cr_assert(keyval_parse_number("0x10", &number) && number == 16);
    cr_assert(keyval_parse_number("-1", &number) && (int64_t) number == -1);
    cr_assert(!keyval_parse_number("1a", &number) && !keyval_parse_number("", &number));
}
