/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crew.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void mark(void *arg, size_t index)
{
    unsigned char *marks = arg;
    marks[index]++;
}

Test(crew, does_each_piece_once_however_many_there_are)
{
    static const size_t counts[] = { 0, 1, 63, 64, 1000, 20000 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        unsigned char *marks = calloc(counts[i] + 1, 1);
        crew_run(counts[i], mark, marks);
        for (size_t at = 0; at < counts[i]; at++)
            cr_assert_eq(marks[at], 1, "piece %zu of %zu", at, counts[i]);
        cr_assert_eq(marks[counts[i]], 0);
        free(marks);
    }
}
