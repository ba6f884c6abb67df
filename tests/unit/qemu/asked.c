/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/asked.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"

#define PROPERTY(name, type, value) "{\"name\": \"" name "\", \"type\": \"" type "\", \"value\": " value "}"

/* clang-format off */
static const char properties[] =
    "[" PROPERTY("addr", "str", "50") "," PROPERTY("mac", "str", "\"52:54:00:AB:00:01\"") ","
    PROPERTY("parent_bus", "link<bus>", "\"/machine/i440fx/pci.0\"") "," PROPERTY("share", "bool", "true") ","
    PROPERTY("write-cache", "OnOffAuto", "\"on\"") "," PROPERTY("size", "size", "67108864") ","
    PROPERTY("x_y", "int", "-1") ", {\"name\": \"dead\", \"type\": \"int\"}]";
/* clang-format on */

static struct qom_store *store;

static void setup(void)
{
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    store = qom_store_new();
    const struct json *list = json_parse(properties, strlen(properties), arena, &err);
    cr_assert_eq(qom_store_put(store, QOM_ROOT, list, &err), 0, "%s", error_text(&err));
}

static void teardown(void)
{
    qom_store_free(store);
}

TestSuite(asked, .init = setup, .fini = teardown);

static enum agreement compare(const char *key, const char *json)
{
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    struct qom_property p;
    return asked_compare(store, QOM_ROOT, key, json_parse(json, strlen(json), arena, &err), &p);
}

Test(asked, each_spelling_of_a_value_agrees_with_what_the_tree_says_of_it)
{
    static const struct {
        const char *key, *json;
    } same[] = {
        { "addr", "\"0x6.0x2\"" }, { "addr", "\"6.2\"" },     { "mac", "\"52:54:00:ab:00:01\"" },
        { "bus", "\"pci.0\"" },    { "share", "\"on\"" },     { "share", "true" },
        { "share", "\"yes\"" },    { "write-cache", "true" }, { "write-cache", "\"auto\"" },
        { "size", "67108864" },    { "size", "\"64M\"" },     { "size", "\"0x4000000\"" },
        { "x-y", "-1" },           { "x_y", "4294967295" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(same); i++)
        cr_assert_eq(compare(same[i].key, same[i].json), AGREES, "%s %s", same[i].key, same[i].json);
}

Test(asked, another_value_differs)
{
    static const struct {
        const char *key, *json;
    } other[] = {
        { "addr", "\"0x6\"" },
        { "addr", "\"x\"" },
        { "mac", "\"52:54:00:ab:00:02\"" },
        { "bus", "\"pci.1\"" },
        { "share", "\"off\"" },
        { "share", "false" },
        { "write-cache", "\"off\"" },
        { "size", "\"65M\"" },
        { "size", "\"64X\"" },
        { "x-y", "0" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(other); i++)
        cr_assert_eq(compare(other[i].key, other[i].json), DIFFERS, "%s %s", other[i].key, other[i].json);
}

Test(asked, what_the_tree_does_not_say_is_not_compared)
{
    cr_assert_eq(compare("nothing", "1"), UNCOMPARED);
    cr_assert_eq(compare("dead", "1"), UNCOMPARED);
}

Test(asked, an_option_by_hand_is_read_as_the_emulator_reads_it)
{
    owned(arena) struct arena *arena = arena_new();
    const struct json *o = asked_parse(arena, "virtio-blk-pci,id=a,serial=x,,y,bare,addr=0x5", "driver");
    cr_assert_str_eq(json_get_text(o, "driver"), "virtio-blk-pci");
    cr_assert_str_eq(json_get_text(o, "id"), "a");
    cr_assert_str_eq(json_get_text(o, "serial"), "x,y");
    cr_assert_str_eq(json_get_text(o, "bare"), "on");
    cr_assert_str_eq(json_get_text(asked_parse(arena, "qemu64,-svm,+avx", "model"), "svm"), "off");
    cr_assert_str_eq(json_get_text(asked_parse(arena, "{\"driver\": \"x\"}", "driver"), "driver"), "x");
    cr_assert_eq(asked_parse(arena, "{not json", "driver"), NULL);
    cr_assert_eq(asked_parse(arena, "", "driver")->length, 0);
    cr_assert_str_eq(json_get_text(asked_parse(arena, "driver=x,id=b", "driver"), "driver"), "x");
}
