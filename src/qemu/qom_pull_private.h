/* SPDX-License-Identifier: Apache-2.0 */
/* qom_pull_private.h - one pull under way, and the ways to do it. */
#pragma once
#include "qemu/monitor.h"
#include "qemu/qom_pull.h"

struct pull {
    struct monitor *const *monitor;     /* NULL behind it: it is gone */
    const char *bulk;                   /* the bulk command, or NULL */
    unsigned pieces;                    /* in how many requests a plan goes at least */
    const struct qom_plan *plan;        /* NULL: none, or it proved useless */
    struct qom_store *store;
    struct qom_stats *stats;
    bool sent;                          /* something was sent since the last wait */
    bool changed;                       /* the failure: an object went away between listing and asking */
};

double pull_now_ms(void);

/* A command under way, counted. */
int pull_send(struct pull *p, struct monitor_call *call, const char *command, const char *arguments,
              const struct json_listener *listener, struct error *err);  /* listener NULL: it has a value */
WAITS int pull_wait(struct pull *p, struct monitor_call *call, struct error *err);
WAITS int pull_call(struct pull *p, struct monitor_call *call, const char *command, const char *arguments,
                    struct error *err);

/* The ways.  Each fills p->store, which has an unread root, or fails (`changed`: a new try may help). */
WAITS int pull_warm(struct pull *p, struct error *err);         /* qom_pull_bulk.c */
WAITS int pull_levels(struct pull *p, struct error *err);
WAITS int pull_listed(struct pull *p, struct error *err);       /* qom_pull_listed.c */
WAITS int pull_deep(struct pull *p, struct error *err);         /* qom_pull_deep.c */
WAITS int pull_walk(struct pull *p, struct error *err);         /* qom_pull_walk.c */
/* From an earlier tree, as qom_pull_changed(): qom_pull_changed.c */
WAITS int pull_changed(struct pull *p, const struct qom_store *old, const char *const *stale, size_t count,
                       struct error *err);

/* Reads these objects and nothing below them, with whatever command there is. */
WAITS int pull_some(struct pull *p, const uint32_t *objects, size_t count, struct error *err);
WAITS int pull_some_bulk(struct pull *p, const uint32_t *objects, size_t count, struct error *err);
WAITS int pull_some_walk(struct pull *p, const uint32_t *objects, size_t count, struct error *err);
