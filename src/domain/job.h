/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - one change at a time per domain.
 *
 * A call that changes a domain is its job from begin to end; others wait in line, first come first served, at
 * most JOB_WAITERS_MAX of them and for at most JOB_WAIT_MS.  JOB_FIRST (destroy, and the clean-up after a
 * VMM's death) goes to the head of the line and is never cancelled; JOB_CANCEL (destroy) besides makes the
 * running job's current wait fail with ERR_ABORTED, whereupon that job undoes its work and ends.  Queries
 * take no job.
 *
 *     if (job_begin(dom, "suspend", caller, 0, err) < 0)
 *         return -1;
 *     owned(job) struct job *job = &dom->job;         ends it on every path
 *
 * A job holds a reference to its domain, and begins only while the domain is registered.  When it ends, a
 * domain that is neither active nor persistent leaves the registry: so a transient domain goes with its
 * guest, whoever ended that, and a new one whose first job failed was never there.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/own.h"
#include "loop/fiber.h"

struct domain;

enum { JOB_WAITERS_MAX = 32, JOB_WAIT_MS = 30000 };
enum job_flags { JOB_FIRST = 1, JOB_CANCEL = 2 };

struct job {
    const char *what;                   /* "start"; NULL while no job runs */
    char caller[64];                    /* "client 3 (uid 0, pid 4711)" */
    uint64_t began;
    struct fiber *fiber;
    bool firm;                          /* it was JOB_FIRST itself, so nobody cancels it */
    struct domain *domain;
};

struct job_waiters { struct job_waiter *first, *last; size_t count; };

/* `what` must be a constant text.  Fails with ERR_TIMEOUT naming the running job, its age and its caller;
 * with ERR_NO_DOMAIN if the domain was removed meanwhile; with ERR_ABORTED if the waiting fiber was
 * cancelled. */
WAITS int job_begin(struct domain *dom, const char *what, const char *caller, unsigned flags,
                    struct error *err);
/* From the fiber that began it.  Runs the mailbox, then hands the domain to the next in line. */
void job_end(struct job *job);
static inline void job_free(struct job *job) { if (job) job_end(job); }
DEFINE_OWNED(job)

/* The registry: the domain is gone, so all who wait for it fail. */
void job_dismiss_waiters(struct domain *dom);
