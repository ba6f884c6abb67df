/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/clock.h"

#include <criterion/criterion.h>

#include "loop/loop.h"

static char order[16];
static size_t fired;

static char a[] = "a", b[] = "b", x[] = "c", d[] = "d";

static void fire(void *arg)
{
    order[fired++] = *(const char *) arg;
}

static void fire_last(void *arg)
{
    fire(arg);
    loop_stop();
}

static struct clock *with(const char *word)
{
    struct clock *c = clock_new();
    error_scope(err);
    cr_assert_eq(clock_choose(c, word, &err), 0, "%s", error_text(&err));
    return c;
}

Test(clock, a_stepped_clock_moves_only_by_hand_and_keeps_the_order)
{
    struct clock *c = with("stepped");
    error_scope(err);
    struct alarm *alarms[] = { alarm_new(c, 20, fire, x), alarm_new(c, 10, fire, a),
                               alarm_new(c, 10, fire, b), alarm_new(c, 30, fire, d) };
    cr_assert_eq(clock_advance(c, 9, &err), 0);
    cr_assert_str_eq(order, "");
    cr_assert_eq(clock_advance(c, 11, &err), 0);
    cr_assert_str_eq(order, "abc");
    cr_assert_eq(clock_now(c), 20);
    for (size_t i = 0; i < ARRAY_COUNT(alarms); i++)
        alarm_free(alarms[i]);
    cr_assert_eq(clock_advance(c, 100, &err), 0);
    cr_assert_str_eq(order, "abc", "a freed alarm fired");
    clock_free(c);
}

Test(clock, a_virtual_clock_jumps_over_an_hour, .timeout = 30)
{
    loop_init();
    struct clock *c = with("virtual");
    struct alarm *last = alarm_new(c, 3600000, fire_last, b), *first = alarm_new(c, 1000, fire, a);
    loop_run();
    cr_assert_str_eq(order, "ab");
    cr_assert_eq(clock_now(c), 3600000);
    cr_assert_eq(clock_wall(c), (CLOCK_EPOCH + 3600ULL) * 1000000);
    alarm_free(first);
    alarm_free(last);
    clock_free(c);
    loop_done();
}

Test(clock, the_hosts_clock_cannot_be_moved)
{
    struct clock *c = clock_new();
    error_scope(err);
    cr_assert_eq(clock_advance(c, 1, &err), -1);
    cr_assert_str_eq(error_text(&err), "only with clock=stepped can time be moved by hand");
    cr_assert_eq(clock_choose(c, "slow", &err), -1);
    cr_assert_str_eq(error_text(&err), "clock='slow': expected real, virtual or stepped");
    clock_free(c);
}
