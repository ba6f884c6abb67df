/* SPDX-License-Identifier: Apache-2.0 */
/* fiber.h - straight-line code on the loop.
 *
 * A fiber is a function running on its own stack, on the loop's thread.  It runs until it waits; the
 * loop then goes on, and the fiber resumes when the thing it waits for happens.  Between two waits
 * nothing else runs, so no locks are needed anywhere.  Functions that may wait are marked WAITS, and
 * only such functions call them.
 *
 * A stack is 64 KiB with a guard page.  At most FIBERS_MAX fibers exist at once.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define WAITS                           /* may suspend the calling fiber */

enum { FIBERS_MAX = 4096 };

struct fiber;

/* A one-shot rendezvous.  It may live on the waiting fiber's stack, since an await ends only when it is done
 * with.  Zeroed, it is ready for use. */
struct wait {
    struct fiber *fiber;
    bool woken;
    int rc;                             /* what wait_done() was given */
    bool late;                          /* private: the deadline has passed */
    uint64_t deadline;                  /* private, with the next: its place among the deadlines */
    size_t heap_at;
};

struct fiber *fiber_start(void (*main)(void *arg), void *arg);  /* NULL when there are FIBERS_MAX */
struct fiber *fiber_self(void);                                 /* NULL on the loop's own stack */
/* Makes the fiber's current wait, and every later one, fail with ERR_ABORTED; `why` becomes the text.  Only
 * the owner of a job calls this, and it forgets the fiber when the job ends. */
void fiber_cancel(struct fiber *fiber, const char *why);
/* The calling fiber may wait again: for undoing what needs a wait, and when its job has ended. */
void fiber_uncancel(void);

/* Suspends until wait_done().  0 when woken (see w->rc); -1 with ERR_ABORTED when cancelled, or
 * with ERR_TIMEOUT when loop_now() reaches `deadline` (0: never).  After a failure the rendezvous
 * must not be woken any more. */
WAITS int wait_until(struct wait *w, uint64_t deadline, struct error *err);
/* The same without a deadline and deaf to cancellation: for releasing things.  Returns rc. */
WAITS int wait_release(struct wait *w);
void wait_done(struct wait *w, int rc);                         /* only the first one counts */

WAITS int await_sleep(unsigned ms, struct error *err);
/* Runs fn(arg) on one of 16 worker threads: the one way to call what blocks.  It cannot be
 * abandoned, so fn always runs (in a cancelled fiber, too), and it returns only when fn has; -1 if
 * the fiber was cancelled meanwhile. */
WAITS int await_work(void (*fn)(void *arg), void *arg, struct error *err);

size_t fiber_count(void);
size_t fiber_stack_peak(void);          /* of fibers that have ended, in bytes; 0 under valgrind */
