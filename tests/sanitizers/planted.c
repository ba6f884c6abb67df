/* SPDX-License-Identifier: Apache-2.0 */
/* Faults on purpose: planted.sh proves that a sanitized run would not pass with them. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>

static void *volatile kept;

Test(planted, a_leak)
{
    kept = malloc(4711);
    kept = NULL;
    cr_assert_null(kept);
}

Test(planted, an_overflow)
{
    volatile int most = INT_MAX;
    most = most + 1;
    cr_assert(most != 0);
}

Test(planted, a_write_past_the_end)
{
    char *volatile bytes = malloc(8);
    bytes[8] = 1;
    free(bytes);
    cr_assert(1);
}
