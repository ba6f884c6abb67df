/* SPDX-License-Identifier: Apache-2.0 */
/* Waits, their deadlines, and the two awaits that everybody needs. */
#include <assert.h>
#include <stdlib.h>

#include "base/vector.h"
#include "loop/fiber.h"
#include "loop/loop.h"
#include "loop/private.h"

/* All deadlines share one timer, which runs for the earliest: a binary heap of the waits that have one. */
static struct {
    VECTOR(struct wait *) heap;
    uv_timer_t timer;
    uint64_t armed;                     /* what the timer is set to; 0: it is off */
} deadlines;

static void heap_place(size_t at, struct wait *w)
{
    deadlines.heap.items[at] = w;
    w->heap_at = at + 1;
}

static void heap_rise(size_t at, struct wait *w)
{
    for (; at > 0 && deadlines.heap.items[(at - 1) / 2]->deadline > w->deadline; at = (at - 1) / 2)
        heap_place(at, deadlines.heap.items[(at - 1) / 2]);
    heap_place(at, w);
}

static void heap_sink(size_t at, struct wait *w)
{
    struct wait **items = deadlines.heap.items;
    for (size_t child; (child = 2 * at + 1) < deadlines.heap.count; at = child) {
        if (child + 1 < deadlines.heap.count && items[child + 1]->deadline < items[child]->deadline)
            child++;
        if (items[child]->deadline >= w->deadline)
            break;
        heap_place(at, items[child]);
    }
    heap_place(at, w);
}

static void on_deadline(uv_timer_t *timer);

static void deadlines_arm(void)
{
    uint64_t first = deadlines.heap.count ? deadlines.heap.items[0]->deadline : 0;
    if (first == deadlines.armed)
        return;
    deadlines.armed = first;
    if (first == 0) {
        uv_timer_stop(&deadlines.timer);
        return;
    }
    uint64_t now = loop_now();
    uv_timer_start(&deadlines.timer, on_deadline, first > now ? first - now : 0, 0);
}

void deadline_remove(struct wait *w)
{
    if (w->heap_at == 0)
        return;
    size_t at = w->heap_at - 1;
    w->heap_at = 0;
    struct wait *last = deadlines.heap.items[--deadlines.heap.count];
    if (last != w) {
        heap_sink(at, last);
        heap_rise(last->heap_at - 1, last);
    }
    deadlines_arm();
}

void deadline_add(struct wait *w, uint64_t when)
{
    w->deadline = when;
    vector_push(&deadlines.heap, w);
    heap_rise(deadlines.heap.count - 1, w);
    deadlines_arm();
}

static void on_deadline(uv_timer_t *timer)
{
    uint64_t now = loop_now();
    deadlines.armed = 0;
    while (deadlines.heap.count && deadlines.heap.items[0]->deadline <= now) {
        struct wait *w = deadlines.heap.items[0];
        w->late = true;
        deadline_remove(w);
        fiber_ready(w->fiber);
    }
    deadlines_arm();
}

void deadlines_setup(void)
{
    uv_timer_init(loop_uv(), &deadlines.timer);
}

void deadlines_teardown(void)
{
    uv_close((uv_handle_t *) &deadlines.timer, NULL);
    vector_done(&deadlines.heap);
    deadlines.armed = 0;
}

void wait_done(struct wait *w, int rc)
{
    if (w->woken)
        return;
    w->woken = true;
    w->rc = rc;
    if (w->fiber)
        fiber_ready(w->fiber);
}

int wait_release(struct wait *w)
{
    w->fiber = fiber_self();
    assert(w->fiber && "only a fiber may wait");
    while (!w->woken)
        fiber_suspend(w->fiber);
    return w->rc;
}

int wait_until(struct wait *w, uint64_t deadline, struct error *err)
{
    struct fiber *f = w->fiber = fiber_self();
    assert(f && "only a fiber may wait");
    w->late = false;
    if (deadline && !w->woken)
        deadline_add(w, deadline);
    while (!w->woken && !w->late && !fiber_is_cancelled(f))
        fiber_suspend(f);
    deadline_remove(w);
    if (w->woken)
        return 0;
    w->fiber = NULL;
    return fiber_is_cancelled(f) ? fiber_fail_cancelled(f, err) : fail(err, ERR_TIMEOUT, "timed out");
}

int await_sleep(unsigned ms, struct error *err)
{
    struct wait w = { 0 };
    error_scope(end);
    wait_until(&w, loop_now() + ms, &end);
    if (end.code == ERR_TIMEOUT)
        return 0;
    error_move(err, &end);
    return -1;
}

struct work {
    uv_work_t request;
    void (*fn)(void *arg);
    void *arg;
    struct wait wait;
};

static size_t works;                    /* on their way, or done and not yet told */
static bool works_are_dropped;          /* nobody is told any more */

static void work_run(uv_work_t *request)
{
    struct work *work = request->data;
    work->fn(work->arg);
}

static void work_done(uv_work_t *request, int status)
{
    struct work *work = request->data;
    works--;
    if (!works_are_dropped)
        wait_done(&work->wait, 0);
}

void works_teardown(void)
{
    works_are_dropped = true;
    while (works)
        uv_run(loop_uv(), UV_RUN_ONCE);
    works_are_dropped = false;
}

int await_work(void (*fn)(void *arg), void *arg, struct error *err)
{
    struct work work = { .fn = fn, .arg = arg };
    work.request.data = &work;
    if (uv_queue_work(loop_uv(), &work.request, work_run, work_done) < 0)
        abort();
    works++;
    wait_release(&work.wait);
    struct fiber *f = fiber_self();
    return fiber_is_cancelled(f) ? fiber_fail_cancelled(f, err) : 0;
}
