/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "simvmm/faults.h"

static struct faults *with(const char *action, const char *text)
{
    struct faults *f = faults_new();
    error_scope(err);
    cr_assert_eq(faults_add(f, action, text, &err), 0, "%s", error_text(&err));
    return f;
}

Test(faults, nothing_goes_wrong_unless_asked_for)
{
    owned(faults) struct faults *f = faults_new();
    cr_assert_eq(faults_next(f, "query-status").action, FAULT_NONE);
}

Test(faults, only_the_nth_use_goes_wrong)
{
    owned(faults) struct faults *f = with("close", "stop:2");
    cr_assert_eq(faults_next(f, "stop").action, FAULT_NONE);
    cr_assert_eq(faults_next(f, "cont").action, FAULT_NONE);
    cr_assert_eq(faults_next(f, "stop").action, FAULT_CLOSE);
    cr_assert_eq(faults_next(f, "stop").action, FAULT_NONE);
}

Test(faults, without_a_number_every_use_goes_wrong)
{
    owned(faults) struct faults *f = with("error", "stop");
    cr_assert_eq(faults_next(f, "stop").action, FAULT_ERROR);
    cr_assert_eq(faults_next(f, "stop").action, FAULT_ERROR);
}

Test(faults, an_argument_may_hold_anything)
{
    owned(faults) struct faults *f = with("error", "stop:0:no: such thing");
    cr_assert_str_eq(faults_next(f, "stop").text, "no: such thing");
}

Test(faults, a_delay_is_in_milliseconds)
{
    owned(faults) struct faults *f = with("delay", "*:0:250");
    struct fault fault = faults_next(f, "anything");
    cr_assert_eq(fault.action, FAULT_DELAY);
    cr_assert_eq(fault.number, 250);
}

Test(faults, any_command_is_not_the_greeting)
{
    owned(faults) struct faults *f = with("hang", "*");
    faults_set_slow(f, 5);
    cr_assert_eq(faults_next(f, "greeting").action, FAULT_NONE);
    cr_assert_eq(faults_next(f, "stop").action, FAULT_HANG);
}

Test(faults, a_wrong_number_is_refused)
{
    owned(faults) struct faults *f = faults_new();
    error_scope(err);
    cr_assert_eq(faults_add(f, "close", "stop:often", &err), -1);
    cr_assert_str_eq(
        error_text(&err),
        "-sim close=stop:often: 'often' should be the number of the use that goes wrong (0: every one)");
}
