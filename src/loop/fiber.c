/* SPDX-License-Identifier: Apache-2.0 */
/* ucontext is used for a fiber's first entry only, since swapcontext() costs two system calls; every later
 * switch is _setjmp() and _longjmp(), which make none.  The sanitizers are told of each change of stack.  A
 * pthread for each fiber, passing a baton, could replace all of this file. */
#undef _FORTIFY_SOURCE                  /* its longjmp() refuses to go to another stack */
#include "loop/fiber.h"

#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

#include "base/memory.h"
#include "loop/private.h"

#if UNDER_ASAN
#include <sanitizer/common_interface_defs.h>
#define ASAN(...) __VA_ARGS__
#else
#define ASAN(...)
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define TSAN(...) __VA_ARGS__
#else
#define TSAN(...)
#endif

/* Only stacks are used again, never a struct fiber: who cancels a fiber that has ended is caught by ASan,
 * instead of cancelling another one. */
struct fiber {
    struct fiber *next;                 /* in the ready list */
    void (*main)(void *arg);
    void *arg;
    struct stack stack;
    jmp_buf context;
    bool born, ended, queued;
    char *cancelled;                    /* why, or NULL */
    void *fake_stack, *tsan_fiber;
};

static struct {
    struct fiber *current;
    struct fiber *ready, **ready_end;
    size_t count;
    jmp_buf context;
    ucontext_t birth;                   /* of the fiber entered for the first time */
    uv_prepare_t prepare;               /* the only place that fibers run from */
    uv_idle_t idle;                     /* active while any is ready, so that the loop does not sleep */
    void *fake_stack, *tsan_fiber;
    const void *stack;                  /* the loop's own, as ASan tells it */
    size_t stack_size;
} loop;

/* Switching */

/* The first thing on a new stack. */
static void fiber_entry(void)
{
    ASAN(__sanitizer_finish_switch_fiber(NULL, &loop.stack, &loop.stack_size);)
    struct fiber *f = loop.current;
    f->main(f->arg);
    f->ended = true;
    fiber_suspend(f);
    abort();
}

static void fiber_bear(struct fiber *f)
{
    f->born = true;
    getcontext(&loop.birth);
    loop.birth.uc_stack.ss_sp = f->stack.bottom;
    loop.birth.uc_stack.ss_size = STACK_SIZE;
    loop.birth.uc_link = NULL;
    makecontext(&loop.birth, fiber_entry, 0);
    setcontext(&loop.birth);
}

static void fiber_enter(struct fiber *f)
{
    ASAN(__sanitizer_start_switch_fiber(&loop.fake_stack, f->stack.bottom, STACK_SIZE);)
    TSAN(__tsan_switch_to_fiber(f->tsan_fiber, 0);)
    loop.current = f;
    if (_setjmp(loop.context) == 0) {
        if (f->born)
            _longjmp(f->context, 1);
        fiber_bear(f);
    }
    loop.current = NULL;
    ASAN(__sanitizer_finish_switch_fiber(loop.fake_stack, NULL, NULL);)
}

void fiber_suspend(struct fiber *f)
{
    ASAN(__sanitizer_start_switch_fiber(f->ended ? NULL : &f->fake_stack, loop.stack, loop.stack_size);)
    TSAN(__tsan_switch_to_fiber(loop.tsan_fiber, 0);)
    if (_setjmp(f->context) == 0)
        _longjmp(loop.context, 1);
    ASAN(__sanitizer_finish_switch_fiber(f->fake_stack, &loop.stack, &loop.stack_size);)
}

/* Life */

struct fiber *fiber_start(void (*main)(void *arg), void *arg)
{
    if (loop.count >= FIBERS_MAX)
        return NULL;
    struct fiber *f = NEW(struct fiber);
    f->main = main;
    f->arg = arg;
    f->stack = stack_get();
    TSAN(f->tsan_fiber = __tsan_create_fiber(0);)
    loop.count++;
    fiber_ready(f);
    return f;
}

static void fiber_free(struct fiber *f)
{
    TSAN(__tsan_destroy_fiber(f->tsan_fiber);)
    stack_put(f->stack);
    free(f->cancelled);
    free(f);
    loop.count--;
}

struct fiber *fiber_self(void)
{
    return loop.current;
}

size_t fiber_count(void)
{
    return loop.count;
}

/* Cancelling */

void fiber_cancel(struct fiber *f, const char *why)
{
    if (f->cancelled)
        return;
    f->cancelled = memory_copy_text(why);
    fiber_ready(f);                     /* where it is deaf, it just waits on */
}

void fiber_uncancel(void)
{
    struct fiber *f = loop.current;
    assert(f && "not in a fiber");
    free(f->cancelled);
    f->cancelled = NULL;
}

bool fiber_is_cancelled(const struct fiber *f)
{
    return f->cancelled != NULL;
}

int fiber_fail_cancelled(const struct fiber *f, struct error *err)
{
    return fail(err, ERR_ABORTED, "%s", f->cancelled);
}

/* Scheduling */

static void do_nothing(uv_idle_t *idle)
{
}

void fiber_ready(struct fiber *f)
{
    if (f->queued)
        return;
    f->queued = true;
    f->next = NULL;
    *loop.ready_end = f;
    loop.ready_end = &f->next;
    uv_idle_start(&loop.idle, do_nothing);      /* no effect if it is active already */
}

/* Takes only what is queued now: fibers that keep waking each other must not hold up all else. */
static void run_ready(uv_prepare_t *prepare)
{
    struct fiber *list = loop.ready;
    loop.ready = NULL;
    loop.ready_end = &loop.ready;
    while (list) {
        struct fiber *f = list;
        list = f->next;
        f->queued = false;
        if (!f->ended)
            fiber_enter(f);
        if (f->ended && !f->queued)     /* it is queued if it cancelled itself last */
            fiber_free(f);
    }
    streams_flush();
    if (!loop.ready)
        uv_idle_stop(&loop.idle);
}

void fiber_setup(void)
{
    loop.ready_end = &loop.ready;
    TSAN(loop.tsan_fiber = __tsan_get_current_fiber();)
    uv_prepare_init(loop_uv(), &loop.prepare);
    uv_prepare_start(&loop.prepare, run_ready);
    uv_unref((uv_handle_t *) &loop.prepare);
    uv_idle_init(loop_uv(), &loop.idle);
}

void fiber_teardown(void)
{
    uv_close((uv_handle_t *) &loop.prepare, NULL);
    uv_close((uv_handle_t *) &loop.idle, NULL);
    stacks_teardown();
}
