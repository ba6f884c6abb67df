/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "base/memory.h"
#include "loop/private.h"

static uv_loop_t loop;

uv_loop_t *loop_uv(void)
{
    return &loop;
}

void loop_init(void)
{
    setenv("UV_THREADPOOL_SIZE", "16", 1);      /* read by libuv when the first work is queued */
    if (uv_loop_init(&loop) < 0)
        abort();
    deadlines_setup();
    fiber_setup();
}

void loop_run(void)
{
    uv_run(&loop, UV_RUN_DEFAULT);
    streams_flush();
}

void loop_stop(void)
{
    uv_stop(&loop);
}

void loop_done(void)
{
    processes_teardown();
    works_teardown();
    fiber_teardown();
    deadlines_teardown();
    for (int turns = 0; turns < 100 && uv_run(&loop, UV_RUN_NOWAIT); turns++)
        ;                                       /* closing one thing may begin to close another */
    if (uv_loop_close(&loop) < 0) {
        uv_print_all_handles(&loop, stderr);
        abort();
    }
}

uint64_t loop_now(void)
{
    uv_update_time(&loop);
    return uv_now(&loop);
}

struct timer {
    uv_timer_t handle;
    void (*fn)(void *arg);
    void *arg;
};

static void on_timer(uv_timer_t *handle)
{
    struct timer *timer = handle->data;
    timer->fn(timer->arg);
}

static void free_handle_data(uv_handle_t *handle)
{
    free(handle->data);
}

struct timer *timer_start(unsigned delay_ms, unsigned repeat_ms, void (*fn)(void *arg), void *arg)
{
    struct timer *timer = NEW(struct timer);
    *timer = (struct timer) { .fn = fn, .arg = arg };
    uv_timer_init(&loop, &timer->handle);
    timer->handle.data = timer;
    uv_update_time(&loop);
    uv_timer_start(&timer->handle, on_timer, delay_ms, repeat_ms);
    return timer;
}

void timer_free(struct timer *timer)
{
    if (timer)
        uv_close((uv_handle_t *) &timer->handle, free_handle_data);
}

struct signal_watch {
    uv_signal_t handle;
    void (*fn)(void *arg);
    void *arg;
};

static void on_signal(uv_signal_t *handle, int number)
{
    struct signal_watch *watch = handle->data;
    watch->fn(watch->arg);
}

struct signal_watch *signal_watch_new(int number, void (*fn)(void *arg), void *arg)
{
    struct signal_watch *watch = NEW(struct signal_watch);
    *watch = (struct signal_watch) { .fn = fn, .arg = arg };
    uv_signal_init(&loop, &watch->handle);
    watch->handle.data = watch;
    if (uv_signal_start(&watch->handle, on_signal, number) < 0)
        abort();                                /* only a bad number can fail */
    return watch;
}

void signal_watch_free(struct signal_watch *watch)
{
    if (watch)
        uv_close((uv_handle_t *) &watch->handle, free_handle_data);
}
