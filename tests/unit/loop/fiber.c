/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "config.h"
#include "run.h"

static void sleep_20(void *arg)
{
    error_scope(err);
    uint64_t begin = loop_now();
    cr_assert_eq(await_sleep(20, &err), 0);
    cr_assert_geq(loop_now() - begin, 20);
    ++*(int *) arg;
}

Test(fiber, sleeps_as_long_as_it_wants)
{
    int ended = 0;
    run_fiber(sleep_20, &ended);
    cr_assert_eq(ended, 1);
}

Test(fiber, thousands_sleep_side_by_side_and_one_too_many_is_refused)
{
    int ended = 0;
    loop_init();
    uint64_t begin = loop_now();
    for (int i = 0; i < FIBERS_MAX; i++)
        cr_assert_not_null(fiber_start(sleep_20, &ended));
    cr_assert_null(fiber_start(sleep_20, &ended));
    loop_run();
    cr_assert_eq(ended, FIBERS_MAX);
    cr_assert_lt(loop_now() - begin, 20000);
    cr_assert_eq(fiber_count(), 0);
    cr_assert_not_null(fiber_start(sleep_20, &ended), "there is room again");
    loop_run();
    loop_done();
}

/* Waits and deadlines */

struct meeting {
    struct wait wait;
    struct fiber *fiber;
    uint64_t deadline;
    int rc;
    enum error_code code;
    char text[100];
};

static void wait_for_meeting(void *arg)
{
    struct meeting *m = arg;
    error_scope(err);
    m->rc = wait_until(&m->wait, m->deadline, &err);
    m->code = err.code;
    snprintf(m->text, sizeof m->text, "%s", error_text(&err));
    m->fiber = NULL;
}

static void meet(void *arg)
{
    struct meeting *m = arg;
    wait_done(&m->wait, 7);
    wait_done(&m->wait, 8);
}

Test(wait, ends_when_it_is_done_and_only_the_first_word_counts)
{
    struct meeting m = { 0 };
    loop_init();
    m.fiber = fiber_start(wait_for_meeting, &m);
    struct timer *timer = timer_start(5, 0, meet, &m);
    loop_run();
    timer_free(timer);
    cr_assert_eq(m.rc, 0);
    cr_assert_eq(m.wait.rc, 7);
    loop_done();
}

Test(wait, done_beforehand_does_not_suspend)
{
    struct meeting m = { 0 };
    wait_done(&m.wait, 3);
    run_fiber(wait_for_meeting, &m);
    cr_assert_eq(m.rc, 0);
    cr_assert_eq(m.wait.rc, 3);
}

Test(wait, fails_at_its_deadline_and_may_be_told_late)
{
    struct meeting m = { 0 };
    loop_init();
    m.deadline = loop_now() + 10;
    m.fiber = fiber_start(wait_for_meeting, &m);
    struct timer *timer = timer_start(500, 0, meet, &m);
    loop_run();
    timer_free(timer);
    cr_assert_eq(m.rc, -1);
    cr_assert_eq(m.code, ERR_TIMEOUT);
    loop_done();
}

static uint64_t woken_at[1000];
static int order_errors;

struct sleeper { uint64_t deadline; bool done; struct wait wait; };

static void sleep_until(void *arg)
{
    static uint64_t last;
    struct sleeper *s = arg;
    error_scope(err);
    int rc = wait_until(&s->wait, s->deadline, &err);
    if (s->wait.woken) {
        cr_assert_eq(rc, 0);
        return;
    }
    cr_assert_eq(err.code, ERR_TIMEOUT);
    order_errors += s->deadline < last;
    last = s->deadline;
    s->done = true;
}

static void wake_every_third(void *arg)
{
    struct sleeper *sleepers = arg;
    for (int i = 0; i < 1000; i += 3)
        wait_done(&sleepers[i].wait, 0);
}

Test(wait, deadlines_come_in_order_whatever_was_woken_between)
{
    static struct sleeper sleepers[1000];
    loop_init();
    srand(1);
    uint64_t begin = loop_now();
    for (int i = 0; i < 1000; i++) {
        sleepers[i].deadline = begin + 1000 + (uint64_t) rand() % 50;
        fiber_start(sleep_until, &sleepers[i]);
    }
    struct timer *timer = timer_start(2, 0, wake_every_third, sleepers);
    loop_run();
    timer_free(timer);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(sleepers[i].done, i % 3 != 0);
    cr_assert_eq(order_errors, 0);
    cr_assert_eq(woken_at[0], 0);
    loop_done();
}

/* Cancelling */

static void cancel_it(void *arg)
{
    struct meeting *m = arg;
    fiber_cancel(m->fiber, "domain 'x' is being destroyed");
}

Test(cancel, fails_the_wait_with_the_reason)
{
    struct meeting m = { 0 };
    loop_init();
    m.deadline = loop_now() + 10000;
    m.fiber = fiber_start(wait_for_meeting, &m);
    struct timer *timer = timer_start(5, 0, cancel_it, &m);
    loop_run();
    timer_free(timer);
    cr_assert_eq(m.rc, -1);
    cr_assert_eq(m.code, ERR_ABORTED);
    cr_assert_str_eq(m.text, "domain 'x' is being destroyed");
    loop_done();
}

static int later_waits;

static void waits_again(void *arg)
{
    error_scope(err);
    cr_assert_eq(await_sleep(10000, &err), -1);
    cr_assert_eq(await_sleep(10000, &err), -1, "a step that swallows the failure does not lose it");
    fiber_uncancel();
    cr_assert_eq(await_sleep(1, &err), 0);
    later_waits++;
}

Test(cancel, lasts_until_the_fiber_takes_it_back)
{
    struct meeting m = { 0 };
    loop_init();
    m.fiber = fiber_start(waits_again, NULL);
    struct timer *timer = timer_start(5, 0, cancel_it, &m);
    loop_run();
    timer_free(timer);
    cr_assert_eq(later_waits, 1);
    loop_done();
}

static void ends_at_once(void *arg)
{
}

static void sleeps_well(void *arg)
{
    error_scope(err);
    cr_assert_eq(await_sleep(5, &err), 0, "%s", error_text(&err));
    ++*(int *) arg;
}

Test(cancel, does_not_reach_the_next_fiber_on_the_same_stack)
{
    int ended = 0;
    loop_init();
    fiber_cancel(fiber_start(ends_at_once, NULL), "meant for the first");
    loop_run();
    fiber_start(sleeps_well, &ended);
    loop_run();
    cr_assert_eq(ended, 1);
    loop_done();
}

static void cancels_itself(void *arg)
{
    fiber_cancel(fiber_self(), "enough");
}

Test(cancel, of_oneself_as_the_last_deed_leaves_nothing_behind)
{
    run_fiber(cancels_itself, NULL);
    cr_assert_eq(fiber_count(), 0);
}

/* Work */

struct job { pthread_t thread; bool ran; int rc; unsigned ms; };

static void work(void *arg)
{
    struct job *job = arg;
    usleep(job->ms * 1000);
    job->thread = pthread_self();
    job->ran = true;
}

static void do_work(void *arg)
{
    struct job *job = arg;
    error_scope(err);
    job->rc = await_work(work, job, &err);
    cr_assert(job->ran);
}

static void stop_loop(void *arg)
{
    loop_stop();
}

Test(work, runs_on_another_thread)
{
    struct job job = { 0 };
    run_fiber(do_work, &job);
    cr_assert_eq(job.rc, 0);
    cr_assert(!pthread_equal(job.thread, pthread_self()));
}

Test(work, of_sixteen_goes_on_at_the_same_time)
{
    static struct job jobs[16];
    loop_init();
    uint64_t begin = loop_now();
    for (int i = 0; i < 16; i++) {
        jobs[i].ms = 600;
        fiber_start(do_work, &jobs[i]);
    }
    loop_run();
    cr_assert_lt(loop_now() - begin, 4 * 600, "four at a time would take so long");
    loop_done();
}

Test(work, is_finished_even_when_its_fiber_is_cancelled)
{
    struct job job = { .ms = 200 };
    struct meeting m = { 0 };
    loop_init();
    m.fiber = fiber_start(do_work, &job);
    struct timer *timer = timer_start(2, 0, cancel_it, &m);
    loop_run();
    timer_free(timer);
    cr_assert(job.ran);
    cr_assert_eq(job.rc, -1);
    loop_done();
}

Test(work, that_is_under_way_at_the_end_is_waited_for)
{
    struct job job = { .ms = 500, .rc = 4711 };
    loop_init();
    fiber_start(do_work, &job);
    struct timer *timer = timer_start(5, 0, stop_loop, NULL);
    loop_run();
    timer_free(timer);
    loop_done();
    cr_assert(job.ran);
    cr_assert_eq(job.rc, 4711, "its fiber went on");
}

/* Stacks and fairness */

static struct wait *ping;
static bool stop_spinning;

static void spin(void *arg)
{
    while (!stop_spinning) {
        struct wait w = { .fiber = fiber_self() };
        wait_done(&w, 0);               /* ready again before it leaves */
        fiber_cancel(fiber_self(), "spin");
        fiber_uncancel();
        error_scope(err);
        await_sleep(0, &err);
    }
    cr_assert_null(ping);
}

static void stop_spin(void *arg)
{
    stop_spinning = true;
}

Test(fiber, that_is_always_ready_does_not_keep_timers_from_firing)
{
    loop_init();
    fiber_start(spin, NULL);
    struct timer *timer = timer_start(5, 0, stop_spin, NULL);
    loop_run();
    timer_free(timer);
    cr_assert(stop_spinning);
    loop_done();
}

static void print_numbers(void *arg)
{
    error_scope(err);
    owned_memory char *text = memory_printf("%s %.3f %lld", "some text", 2.5, 1LL << 62);
    fail(&err, ERR_XML, "line %d: %s", 12, text);
    fail_in(&err, "domain '%s'", "vm1");
    cr_assert_eq(await_sleep(1, &err), 0);
    ++*(int *) arg;
}

Test(fiber, stack_use_is_measured_and_small)
{
    int ended = 0;
    loop_init();
    for (int i = 0; i < 100; i++)
        fiber_start(print_numbers, &ended);
    loop_run();
    cr_assert_eq(ended, 100);
    cr_assert_gt(fiber_stack_peak(), 500);
    cr_assert_lt(fiber_stack_peak(), 40 * 1024);
    loop_done();
}

static __attribute__((noinline)) void overflow(void *arg)
{
    volatile char frame[2048];
    memset((char *) frame, 1, sizeof frame);
    if (arg)
        overflow((char *) arg - 1);
    frame[0]++;
}

/* ASan makes a report and an exit of it. */
#ifdef WITH_SANITIZERS
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

Test(fiber, overflow_hits_the_guard_page, .signal = SIGSEGV, .disabled = SANITIZED)
{
    loop_init();
    fiber_start(overflow, (void *) (uintptr_t) 33);
    loop_run();
}
