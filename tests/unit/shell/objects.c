/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/objects_match.h"

#include <criterion/criterion.h>
#include <string.h>

#define HEADING(count) "{\"export\": \"domus-qom\", \"version\": 1, \"objects\": " #count "}\n"
#define ROOT "{\"path\": \"/\", \"type\": \"container\", \"properties\": []}\n"
#define CARD(path, addr, extra)                                                                              \
    "{\"path\": \"" path "\", \"type\": \"card\", \"properties\": [{\"name\": \"addr\", \"type\": \"int\", " \
    "\"value\": " #addr "}" extra "]}\n"

static struct objects *read_text(const char *text)
{
    error_scope(err);
    struct objects *objects = objects_new("x");
    cr_assert_eq(objects_add_export(objects, text, strlen(text), &err), 0, "%s", error_text(&err));
    return objects;
}

static void compare(const char *a, const char *b, bool all, struct changes *changes)
{
    owned(objects) struct objects *x = read_text(a), *y = read_text(b);
    objects_compare(x, y, all, changes);
    for (size_t i = 0; i < changes->list.count; i++) /* they point into what is gone soon */
        changes->list.items[i].old = changes->list.items[i].new = NULL;
}

static size_t count(const char *a, const char *b, bool all)
{
    struct changes changes;
    compare(a, b, all, &changes);
    size_t n = changes.list.count;
    changes_done(&changes);
    return n;
}

Test(objects, numbered_objects_are_matched_by_what_they_are)
{
    const char *a = HEADING(3) ROOT CARD("/device[0]", 3, "") CARD("/device[1]", 4, "");
    const char *b = HEADING(3) ROOT CARD("/device[0]", 4, "") CARD("/device[1]", 3, "");
    cr_assert_eq(count(a, b, false), 0);
}

Test(objects, a_numbered_object_that_came_is_the_only_difference)
{
    const char *a = HEADING(3) ROOT CARD("/device[0]", 3, "") CARD("/device[1]", 4, "");
    const char *b =
        HEADING(4) ROOT CARD("/device[0]", 7, "") CARD("/device[1]", 3, "") CARD("/device[2]", 4, "");
    struct changes changes;
    compare(a, b, false, &changes);
    cr_assert_eq(changes.list.count, 1);
    cr_assert_eq(changes.list.items[0].kind, OBJECT_ADDED);
    cr_assert_eq(changes.list.items[0].object, 1);
    changes_done(&changes);
}

#define LINK(to) ", {\"name\": \"peer\", \"type\": \"link<card>\", \"value\": \"" to "\"}"

Test(objects, links_are_equal_if_they_lead_to_the_same_object)
{
    const char *a = HEADING(3) ROOT CARD("/device[0]", 3, LINK("/device[1]")) CARD("/device[1]", 4, "");
    const char *same = HEADING(3) ROOT CARD("/device[0]", 4, "") CARD("/device[1]", 3, LINK("/device[0]"));
    const char *other = HEADING(3) ROOT CARD("/device[0]", 4, "") CARD("/device[1]", 3, LINK("/device[1]"));
    cr_assert_eq(count(a, same, false), 0);
    cr_assert_eq(count(a, other, false), 1);
}

#define CLOCK(time) ", {\"name\": \"rtc-time\", \"type\": \"struct tm\", \"value\": " #time "}"

Test(objects, what_changes_by_itself_is_masked_unless_all_is_wanted)
{
    const char *a = HEADING(2) ROOT CARD("/rtc", 1, CLOCK(1)), *b = HEADING(2) ROOT CARD("/rtc", 1, CLOCK(2));
    cr_assert_eq(count(a, b, false), 0);
    cr_assert_eq(count(a, b, true), 1);
}

Test(objects, what_is_below_an_object_that_went_is_counted_and_not_told)
{
    const char *a = HEADING(4) ROOT CARD("/disk", 1, "") CARD("/disk/backend", 1, "") CARD("/disks", 1, "");
    const char *b = HEADING(2) ROOT CARD("/disks", 1, "");
    struct changes changes;
    compare(a, b, false, &changes);
    cr_assert_eq(changes.list.count, 1);
    cr_assert_eq(changes.list.items[0].kind, OBJECT_REMOVED);
    cr_assert_eq(changes.list.items[0].below, 1);
    changes_done(&changes);
}

Test(objects, an_export_that_is_cut_or_disordered_is_refused)
{
    static const char *const bad[] = {
        "",
        "{}\n",
        ROOT,
        HEADING(2) ROOT,
        HEADING(1) ROOT CARD("/a", 1, ""),
        HEADING(2) ROOT CARD("/a/b", 1, ""),
        HEADING(3) ROOT CARD("/a", 1, "") CARD("/a", 1, ""),
        HEADING(2) ROOT "{\"path\": \"/a\"",
        HEADING(2) ROOT "7\n",
        HEADING(2) ROOT ROOT,
        HEADING(2) ROOT CARD("a", 1, ""),
    };
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        error_scope(err);
        owned(objects) struct objects *objects = objects_new("x");
        cr_assert_eq(objects_add_export(objects, bad[i], strlen(bad[i]), &err), -1, "%s", bad[i]);
        cr_assert_neq(err.code, ERR_NONE);
    }
}
