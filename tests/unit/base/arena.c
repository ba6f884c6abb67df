/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

Test(arena, gives_zeroed_and_aligned_memory_for_small_and_large_requests)
{
    owned(arena) struct arena *a = arena_new();
    for (size_t size = 1; size < 200000; size = size * 3 + 1) {
        char *p = arena_alloc(a, size);
        cr_assert_eq((uintptr_t) p % _Alignof(uint64_t), 0);
        for (size_t i = 0; i < size; i++)
            cr_assert_eq(p[i], 0);
        memset(p, 0xFF, size);
    }
    cr_assert_geq(arena_size(a), 200000 / 3);
}

Test(arena, copies_text_and_formats)
{
    owned(arena) struct arena *a = arena_new();
    cr_assert_null(arena_copy(a, NULL));
    cr_assert_str_eq(arena_copy(a, "disk"), "disk");
    cr_assert_str_eq(arena_copy_bytes(a, "diskette", 4), "disk");
    cr_assert_str_eq(arena_printf(a, "%s-%d", "vd", 7), "vd-7");
}
