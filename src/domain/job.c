/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/job.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "domain/mailbox.h"
#include "domain/registry.h"
#include "loop/loop.h"

struct claim { const char *what, *caller; unsigned flags; struct fiber *fiber; };

/* Lives on the stack of the waiting fiber.  Whoever wakes it has taken it out of the line before. */
struct job_waiter {
    struct claim claim;
    struct wait wait;
    struct job_waiter *previous, *next;
};

enum { WOKEN_TO_RUN, WOKEN_TO_LEAVE };

static void line_insert(struct job_waiters *line, struct job_waiter *w, bool first)
{
    w->previous = first ? NULL : line->last;
    w->next = first ? line->first : NULL;
    *(w->previous ? &w->previous->next : &line->first) = w;
    *(w->next ? &w->next->previous : &line->last) = w;
    line->count++;
}

static void line_remove(struct job_waiters *line, struct job_waiter *w)
{
    *(w->previous ? &w->previous->next : &line->first) = w->next;
    *(w->next ? &w->next->previous : &line->last) = w->previous;
    line->count--;
}

static void job_start(struct domain *dom, const struct claim *claim)
{
    struct job *job = &dom->job;
    job->what = claim->what;
    snprintf(job->caller, sizeof job->caller, "%s", claim->caller);
    job->began = loop_now();
    job->fiber = claim->fiber;
    job->firm = claim->flags & JOB_FIRST;
    job->domain = domain_ref(dom);
}

/* To the next in line.  The job is theirs from here on, not only when their fiber runs, so that nobody slips
 * in. */
static void job_pass(struct domain *dom)
{
    struct job_waiter *next = dom->waiters.first;
    if (!next)
        return;
    line_remove(&dom->waiters, next);
    job_start(dom, &next->claim);
    wait_done(&next->wait, WOKEN_TO_RUN);
}

static int fail_busy(const struct domain *dom, const char *what, const char *how, struct error *err)
{
    const struct job *job = &dom->job;
    return fail(err, ERR_TIMEOUT, "cannot %s domain '%s': %s '%s' of %s, running for %.1f seconds", what,
                dom->name, how, job->what, job->caller, (double) (loop_now() - job->began) / 1000);
}

static WAITS int wait_in_line(struct domain *dom, const struct claim *claim, struct error *err)
{
    if (dom->waiters.count >= JOB_WAITERS_MAX && !(claim->flags & JOB_FIRST))
        return fail_busy(dom, claim->what, "too many calls already wait for", err);

    struct job_waiter me = { .claim = *claim };
    line_insert(&dom->waiters, &me, claim->flags & JOB_FIRST);
    if (wait_until(&me.wait, loop_now() + JOB_WAIT_MS, err) == 0)
        return me.wait.rc == WOKEN_TO_RUN
                   ? 0
                   : fail(err, ERR_NO_DOMAIN, "domain '%s' was removed while '%s' waited for it", dom->name,
                          claim->what);

    if (!me.wait.woken)
        line_remove(&dom->waiters, &me);
    else if (me.wait.rc == WOKEN_TO_RUN)        /* our turn came just as we gave up */
        job_end(&dom->job);
    return err->code == ERR_TIMEOUT && dom->job.what
               ? fail_busy(dom, claim->what, "timed out waiting for", err)
               : -1;
}

static void cancel_running(struct domain *dom, const struct claim *claim)
{
    const struct job *job = &dom->job;
    if (job->firm || !job->fiber || job->fiber == claim->fiber)
        return;
    owned_memory char *why = memory_printf("'%s' of domain '%s' was cancelled by '%s' of %s", job->what,
                                           dom->name, claim->what, claim->caller);
    fiber_cancel(job->fiber, why);
}

int job_begin(struct domain *dom, const char *what, const char *caller, unsigned flags, struct error *err)
{
    const struct claim claim = { what, caller ? caller : "domusd", flags, fiber_self() };
    if (dom->removed)
        return fail(err, ERR_NO_DOMAIN, "domain '%s' was removed", dom->name);
    if (!dom->job.what) {
        job_start(dom, &claim);
        return 0;
    }
    owned(domain) struct domain *held UNUSED = domain_ref(dom);
    if (flags & JOB_CANCEL)
        cancel_running(dom, &claim);
    return wait_in_line(dom, &claim, err);
}

void job_end(struct job *job)
{
    struct domain *dom = job->domain;
    assert(job->what);
    mailbox_run(dom);
    fiber_uncancel();                           /* whoever cancelled this meant the job */
    memset(job, 0, sizeof *job);
    if (!domain_is_visible(dom))
        registry_remove(dom);
    if (dom->removed)
        job_dismiss_waiters(dom);
    job_pass(dom);
    domain_unref(dom);
}

void job_dismiss_waiters(struct domain *dom)
{
    while (dom->waiters.first) {
        struct job_waiter *w = dom->waiters.first;
        line_remove(&dom->waiters, w);
        wait_done(&w->wait, WOKEN_TO_LEAVE);
    }
}
