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

Test(faults, a_signal_has_a_name)
{
    owned(faults) struct faults *f = with("crash", "cont:1:SEGV");
    struct fault fault = faults_next(f, "cont");
    cr_assert_eq(fault.action, FAULT_CRASH);
    cr_assert_eq(fault.number, 11);
}

Test(faults, a_status_may_have_a_text_behind_it)
{
    owned(faults) struct faults *f = with("exit", "cont:1:3 out of memory");
    struct fault fault = faults_next(f, "cont");
    cr_assert_eq(fault.number, 3);
    cr_assert_str_eq(fault.text, "out of memory");
}

Test(faults, any_event_is_no_command)
{
    owned(faults) struct faults *f = with("drop", "events");
    cr_assert_eq(faults_next(f, "stop").action, FAULT_NONE);
    cr_assert_eq(faults_next(f, "STOP").action, FAULT_DROP);
}

Test(faults, a_command_is_no_event)
{
    owned(faults) struct faults *f = with("drop", "*");
    cr_assert_eq(faults_next(f, "STOP").action, FAULT_NONE);
    cr_assert_eq(faults_next(f, "stop").action, FAULT_DROP);
}

Test(faults, an_event_cannot_fail_with_an_error)
{
    owned(faults) struct faults *f = faults_new();
    error_scope(err);
    cr_assert_eq(faults_add(f, "error", "STOP:1:no", &err), -1);
    cr_assert_str_eq(error_text(&err), "-sim error=STOP:1:no: only a command can fail with an error");
}

Test(faults, they_are_listed_as_they_were_given_and_cleared_by_number)
{
    owned(faults) struct faults *f = with("delay", "stop:2:500");
    owned_buffer struct buffer out = { 0 };
    error_scope(err);
    cr_assert_eq(faults_add_text(f, "hang=greeting", &err), 0);
    faults_next(f, "stop");
    faults_list(f, &out);
    cr_assert_str_eq(buffer_text(&out), "1 delay=stop:2:500 (1 uses)\n2 hang=greeting:0 (0 uses)\n");
    cr_assert_eq(faults_clear(f, 3, &err), -1);
    cr_assert_eq(faults_clear(f, 1, &err), 0);
    cr_assert_eq(faults_next(f, "stop").action, FAULT_NONE);
    cr_assert_eq(faults_next(f, "greeting").action, FAULT_HANG);
    cr_assert_eq(faults_clear(f, 0, &err), 0);
    cr_assert_eq(faults_next(f, "greeting").action, FAULT_NONE);
}
