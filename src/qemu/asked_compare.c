/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a value on the command line and one in the tree are the same: QEMU takes many spellings, and says
 * each in one of its own. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "qemu/asked.h"

/* --- the property that an option's key becomes --- */

/* What is called otherwise in the tree. */
static const struct {
    const char *key, *property;
} renamed[] = {
    { "bus", "parent_bus" },
};

static bool find_property(const struct qom_store *store, uint32_t object, const char *key,
                          struct qom_property *ret_property)
{
    for (size_t i = 0; i < ARRAY_COUNT(renamed); i++)
        if (text_equal(key, renamed[i].key))
            key = renamed[i].property;
    if (qom_store_find_property(store, object, key, ret_property))
        return true;
    owned_memory char *other = memory_copy_text(key);
    for (char *c = other; *c; c++)
        *c = *c == '-' ? '_' : *c == '_' ? '-' : *c;
    return qom_store_find_property(store, object, other, ret_property);
}

/* --- values: each as text, and as whatever else it may mean --- */

static char *plain_text(const struct json *value)
{
    struct buffer out = { 0 };
    struct json_writer w = { .out = &out };
    switch (value->type) {
    case JSON_STRING:
    case JSON_NUMBER:
        return memory_copy_text(value->text);
    case JSON_BOOL:
        return memory_copy_text(value->boolean ? "on" : "off");
    default:
        json_value(&w, value);
        return buffer_take(&out);
    }
}

/* 1, 0, or -1: it is no truth. */
static int truth_of(const char *text)
{
    static const char *const words[] = { "off", "on", "no", "yes", "false", "true" };
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if (text_equal(text, words[i]))
            return (int) (i % 2);
    return -1;
}

/* 0x10, 16, 64M, 1.5G is none of ours. */
static bool number_of(const char *text, int64_t *ret_number)
{
    static const char units[] = "kmgt";
    char *end;
    if (!*text)
        return false;
    long long number = strtoll(text, &end, 0);
    const char *unit = *end ? strchr(units, *end | 0x20) : NULL;
    if (end == text || (*end && (!unit || end[1])))
        return false;
    *ret_number = unit ? number << (10 * (unit - units + 1)) : number;
    return true;
}

/* "6.2" or "0x6.0x2", slot and function, is 50. */
static bool same_pci_address(const char *asked, const char *there)
{
    char *end;
    unsigned long slot = strtoul(asked, &end, 16), function = 0;
    int64_t number;
    if (end == asked)
        return false;
    if (*end == '.')
        function = strtoul(end + 1, &end, 16);
    return !*end && number_of(there, &number) && (int64_t) (slot * 8 + function) == number;
}

/* "pci.0" is the bus at /machine/i440fx/pci.0. */
static bool same_link(const char *asked, const char *there)
{
    const char *name = strrchr(there, '/');
    return text_equal(asked, there) || (name && text_equal(asked, name + 1));
}

static bool same_text(const char *asked, const char *there)
{
    int64_t a, b;
    if (strcasecmp(asked, there) == 0) /* a MAC address may be in capitals */
        return true;
    if (truth_of(asked) >= 0 && truth_of(asked) == truth_of(there))
        return true;
    return number_of(asked, &a) && number_of(there, &b) && (a == b || (uint32_t) a == (uint32_t) b);
}

/* What an emulator makes of a value that leaves the choice to it. */
static bool leaves_choice(const char *key, const char *asked)
{
    static const struct {
        const char *key, *asked;
    } rows[] = {
        { "*", "auto" },
        { "*", "default" },
        { "rombar", "*" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (text_matches(key, rows[i].key) && text_matches(asked, rows[i].asked))
            return true;
    return false;
}

enum agreement asked_compare(const struct qom_store *store, uint32_t object, const char *key,
                             const struct json *value, struct qom_property *ret_property)
{
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    struct qom_property p;
    if (!find_property(store, object, key, &p))
        return UNCOMPARED;
    *ret_property = p;
    const struct json *there = p.value ? json_parse(p.value, strlen(p.value), arena, &err) : NULL;
    if (!there)
        return UNCOMPARED;
    owned_memory char *a = plain_text(value), *b = plain_text(there);
    if (leaves_choice(key, a) || json_equal(value, there) || same_text(a, b))
        return AGREES;
    if (text_equal(key, "addr") && same_pci_address(a, b))
        return AGREES;
    return text_starts(p.type, "link<") && same_link(a, b) ? AGREES : DIFFERS;
}
