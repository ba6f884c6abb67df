/* SPDX-License-Identifier: Apache-2.0 */
/* qom_pull.h - a whole tree from the VMM, in as few calls as it allows.
 *
 * One table of strategies; the first that the VMM's commands allow is taken.
 *   bulk command and a plan     one qom-list-getv (or qom-list-get) for everything, checked object by object;
 *                               what the plan did not know, or knew wrongly, is asked for by level
 *   qom-tree-get, no plan       one call
 *   bulk command, no plan       the human monitor's listing of all objects, then one call for everything;
 *                               where there is no listing, by level, one call each
 *   none (QEMU before 10.1)     qom-list and qom-get, a few in flight, standing back for other commands
 * Each gives the same tree.
 */
#pragma once
#include "loop/fiber.h"
#include "qemu/qom_plan.h"
#include "qemu/qom_store.h"

struct monitor;

enum qom_commands {
    QOM_HAS_LIST_GETV = 1, QOM_HAS_LIST_GET = 2, QOM_HAS_TREE_GET = 4,
    QOM_READS_AHEAD = 8,                /* the next command, while it runs one: monitor_open_ahead() */
};

/* Calls are commands sent, retries included; round trips are the times we waited before we could send on;
 * bytes are those on the wire. */
struct qom_stats {
    size_t objects, properties, calls, round_trips;
    uint64_t request_bytes, reply_bytes;
    double milliseconds;
    const char *plan;                   /* "warm", "cold", "repaired" or "changes" */
    const char *method;                 /* "qom-list-getv", ..., "qom-list/qom-get" */
};

/* Pulls what hot plug has changed since `old` (devices, objects and character devices that came and went, and
 * the buses they are on), and the objects at `stale` with those just below; all else is copied. */
WAITS struct qom_store *qom_pull_changed(struct monitor *const *monitor, unsigned commands,
                                         const struct qom_store *old, const char *const *stale, size_t count,
                                         struct qom_stats *ret_stats, struct error *err);

/* Pulls the tree; `plan` may be NULL.  The caller owns the result, which is sealed.  Should *monitor become
 * NULL during a wait, the pull fails. */
WAITS struct qom_store *qom_pull(struct monitor *const *monitor, unsigned commands,
                                 const struct qom_plan *plan, struct qom_stats *ret_stats, struct error *err);
