/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <criterion/criterion.h>
#include <stdint.h>

Test(map, finds_what_was_set_among_thousands_and_after_removals)
{
    owned(map) struct map *m = map_new();
    static int values[5000];
    for (uint32_t i = 0; i < 5000; i++)
        map_set(m, &i, sizeof i, &values[i]);
    for (uint32_t i = 0; i < 5000; i += 2)
        cr_assert_eq(map_remove(m, &i, sizeof i), &values[i]);
    cr_assert_eq(map_count(m), 2500);
    for (uint32_t i = 0; i < 5000; i++)
        cr_assert_eq(map_find(m, &i, sizeof i), i % 2 ? &values[i] : NULL);
    for (uint32_t round = 0; round < 100000; round++) {     /* tombstones are swept */
        uint32_t key = 10000 + round;
        map_set(m, &key, sizeof key, &values[0]);
        cr_assert_not_null(map_remove(m, &key, sizeof key));
    }
    cr_assert_eq(map_count(m), 2500);
}

Test(map, iteration_visits_each_once_and_may_remove)
{
    owned(map) struct map *m = map_new();
    int a, b, c, seen = 0;
    map_set_text(m, "a", &a), map_set_text(m, "b", &b), map_set_text(m, "c", &c);
    int *p;
    for (size_t at = 0; (p = map_next(m, &at)) != NULL; seen++)
        if (p == &b)
            map_remove_text(m, "b");
    cr_assert_eq(seen, 3);
    cr_assert_null(map_find_text(m, "b"));
    cr_assert_eq(map_find_text(m, "c"), &c);
}

Test(map, an_empty_map_finds_nothing)
{
    owned(map) struct map *m = map_new();
    cr_assert_null(map_find_text(m, ""));
    cr_assert_null(map_remove_text(m, "x"));
}
