/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <unistd.h>

#include "run.h"

static struct timer *timer;
static int count;

static void third_time_frees(void *arg)
{
    if (++count == 3) {
        timer_free(timer);
        timer = NULL;
    }
}

Test(timer, repeats_until_its_own_callback_frees_it)
{
    loop_init();
    timer = timer_start(1, 2, third_time_frees, NULL);
    loop_run();
    cr_assert_eq(count, 3);
    loop_done();
}

static void note(void *arg)
{
    *(uint64_t *) arg = loop_now();
}

Test(timer, fires_once_and_not_early)
{
    uint64_t fired = 0;
    loop_init();
    uint64_t begin = loop_now();
    owned(timer) struct timer *once = timer_start(20, 0, note, &fired);
    loop_run();
    cr_assert_geq(fired - begin, 20);
    timer_free(take(once));
    loop_done();
}

static struct signal_watch *watch;

static void on_signal(void *arg)
{
    count++;
    signal_watch_free(watch);
}

Test(signal, arrives_on_the_loop)
{
    loop_init();
    watch = signal_watch_new(SIGUSR1, on_signal, NULL);
    kill(getpid(), SIGUSR1);
    loop_run();
    cr_assert_eq(count, 1);
    loop_done();
}
