/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_reader.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/memory.h"

static struct qom_store *store;
static struct qom_reader reader;

static uint32_t in_order(void *arg, size_t index)
{
    return index < qom_store_count(store) ? (uint32_t) index : QOM_NONE;
}

static uint32_t nothing(void *arg, size_t index)
{
    return QOM_NONE;
}

static void drop_value(void *arg, struct arena *arena, const struct json *value, size_t bytes)
{
    arena_free(arena);
}

static const struct json_listener *listen(void *arg, const char *name)
{
    return &reader.listener;
}

/* Reads the answer as it comes from a VMM, in two pieces. */
static void read_split(const char *answer, size_t first, uint32_t (*choose)(void *, size_t))
{
    error_scope(err);
    qom_store_free(store);
    qom_reader_done(&reader);
    store = qom_store_new();
    reader = (struct qom_reader) { .store = store, .choose = choose,
                                   .listener = { qom_reader_hear, &reader } };
    owned_memory char *text = memory_printf("{\"return\":%s}", answer);
    owned(json_parser) struct json_parser *p = json_parser_new(100000, 64, drop_value, NULL);
    json_parser_listen(p, listen);
    first = first < strlen(text) ? first : strlen(text);
    cr_assert_eq(json_parser_feed(p, text, first, &err), 0, "%s", error_text(&err));
    cr_assert_eq(json_parser_feed(p, text + first, strlen(text) - first, &err), 0, "%s", error_text(&err));
}

static void teardown(void)
{
    qom_store_free(store);
    qom_reader_done(&reader);
}

TestSuite(qom_reader, .fini = teardown);

static const char two[] =
    "[{\"more\":[{\"name\":1}],\"properties\":["
    "{\"name\":\"type\",\"value\":\"container\",\"type\":\"string\"},"
    "{\"type\":\"child<pc>\",\"name\":\"machine\",\"value\":\"/machine\",\"x\":{\"name\":\"y\"}}]},"
    "{\"properties\":["
    "{\"name\":\"list\",\"type\":\"any\",\"value\":[1,{\"a\":[null,\"b\\\"\"]},18446744073709551615]},"
    "{\"name\":\"none\",\"type\":\"int\"},{\"name\":\"null\",\"type\":\"int\",\"value\":null}]}]";

Test(qom_reader, puts_objects_into_the_store_however_the_bytes_are_split)
{
    for (size_t first = 0; first < sizeof two + 11; first++) {
        error_scope(err);
        struct qom_property p;
        read_split(two, first, in_order);
        cr_assert_eq(qom_reader_end(&reader, 2, &err), 0, "%s", error_text(&err));
        cr_assert_str_eq(qom_store_type(store, 1), "pc");
        cr_assert(qom_store_find_property(store, 1, "list", &p));
        cr_assert_str_eq(p.value, "[1,{\"a\":[null,\"b\\\"\"]},18446744073709551615]");
        cr_assert(qom_store_find_property(store, 1, "none", &p));
        cr_assert_null(p.value);
        cr_assert(qom_store_find_property(store, 1, "null", &p));
        cr_assert_str_eq(p.value, "null");
        cr_assert_eq(qom_store_property_count(store, 0), 1);
    }
}

Test(qom_reader, passes_over_what_nobody_chose)
{
    error_scope(err);
    read_split(two, 0, nothing);
    cr_assert_eq(qom_reader_end(&reader, 2, &err), 0);
    cr_assert_eq(qom_store_count(store), 1);
    cr_assert_not(qom_store_is_read(store, QOM_ROOT));
}

Test(qom_reader, says_what_is_wrong_with_an_answer)
{
    static const struct { const char *answer, *because; } rows[] = {
        { "[]", "has not one item for each of 1 paths" },
        { "{}", "is none" },
        { "7", "is none" },
        { "[7]", "is none" },
        { "[{}]", "are no list" },
        { "[{\"properties\":{}}]", "are no list" },
        { "[{\"properties\":null}]", "are no list" },
        { "[{\"properties\":[],\"properties\":[]}]", "twice" },
        { "[{\"properties\":[[]]}]", "is none" },
        { "[{\"properties\":[{}]}]", "no proper name or type" },
        { "[{\"properties\":[{\"name\":\"a\"}]}]", "no proper name or type" },
        { "[{\"properties\":[{\"name\":[\"a\"],\"type\":\"b\"}]}]", "no proper name or type" },
        { "[{\"properties\":[{\"name\":\"a\\u0000\",\"type\":\"b\"}]}]", "no proper name or type" },
        { "[{\"properties\":[{\"name\":\"a\",\"type\":\"b\"},{\"name\":\"a\",\"type\":\"b\"}]}]",
          "two properties 'a'" },
        { "[{\"properties\":[]},{\"properties\":[]}]", "has not one item for each of 1 paths" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        error_scope(err);
        read_split(rows[i].answer, 0, in_order);
        cr_assert_eq(qom_reader_end(&reader, 1, &err), -1, "%s", rows[i].answer);
        cr_assert_eq(err.code, ERR_VMM);
        cr_assert_not_null(strstr(error_text(&err), rows[i].because), "%s: %s", rows[i].answer,
                           error_text(&err));
    }
}
