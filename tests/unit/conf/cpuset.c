/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/cpuset.h"

#include <criterion/criterion.h>

Test(cpuset, sets_have_one_normal_form)
{
    static const char *const pairs[][2] = {
        { "0", "0" }, { "1,0", "0-1" }, { "0-3,^2,8", "0-1,3,8" }, { " 4 , 5 ", "4-5" }, { "0-7,2-3", "0-7" },
        { "1023", "1023" }, { "0-1023,^0", "1-1023" },
    };
    owned(arena) struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        cr_assert_str_eq(cpuset_normalise(pairs[i][0], arena), pairs[i][1]);
}

Test(cpuset, what_is_no_set_is_refused)
{
    static const char *const bad[] = {
        "", "-", "0-", "0-,^^3", "3-1", "1024", "0-1024", "^0", "0,^0", "1;2", "a", "0,,1",
        "99999999999999999999",
    };
    owned(arena) struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_null(cpuset_normalise(bad[i], arena), "'%s'", bad[i]);
}
