/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_pull.h"

#include <string.h>
#include <time.h>

#include "qemu/qom_pull_private.h"

enum { TRIES = 4, PIECES_AHEAD = 4 };

/* What a strategy needs; the first row of which everything is there is taken. */
enum { NEEDS_BULK = 1, NEEDS_TREE_GET = 2, NEEDS_PLAN = 4 };

static const struct strategy {
    unsigned needs;
    const char *plan, *method;          /* for the statistics; method NULL: the bulk command */
    WAITS int (*run)(struct pull *p, struct error *err);
} strategies[] = {
    { NEEDS_BULK | NEEDS_PLAN, "warm", NULL, pull_warm },
    { NEEDS_TREE_GET, "cold", "qom-tree-get", pull_deep },
    { NEEDS_BULK, "cold", NULL, pull_listed },
    { 0, "cold", "qom-list/qom-get", pull_walk },
};

int pull_send(struct pull *p, struct monitor_call *call, const char *command, const char *arguments,
              const struct json_listener *listener, struct error *err)
{
    if (!*p->monitor)
        return fail(err, ERR_ABORTED, "the emulator is gone");
    p->stats->calls++;
    p->sent = true;
    if (listener)
        monitor_call_start_told(*p->monitor, call, command, arguments, listener);
    else
        monitor_call_start(*p->monitor, call, command, arguments);
    return 0;
}

WAITS int pull_wait(struct pull *p, struct monitor_call *call, struct error *err)
{
    if (p->sent)
        p->stats->round_trips++;
    p->sent = false;
    int rc = monitor_call_wait(call, err);
    p->stats->request_bytes += call->reply.request_bytes;
    p->stats->reply_bytes += call->reply.reply_bytes;
    return rc;
}

WAITS int pull_call(struct pull *p, struct monitor_call *call, const char *command, const char *arguments,
                    struct error *err)
{
    return pull_send(p, call, command, arguments, NULL, err) < 0 ? -1 : pull_wait(p, call, err);
}

double pull_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static const char *bulk_command(unsigned commands)
{
    if (commands & QOM_HAS_LIST_GETV)
        return "qom-list-getv";
    return commands & QOM_HAS_LIST_GET ? "qom-list-get" : NULL;
}

static const struct strategy *choose(const struct pull *p, unsigned commands)
{
    unsigned have = (p->bulk ? NEEDS_BULK : 0) | (commands & QOM_HAS_TREE_GET ? NEEDS_TREE_GET : 0) |
                    (p->plan ? NEEDS_PLAN : 0);
    const struct strategy *s = strategies;
    while (s->needs & ~have)
        s++;
    return s;
}

/* One try, from an empty tree. */
static WAITS int try(struct pull *p, unsigned commands, struct error *err)
{
    const struct strategy *s = choose(p, commands);
    qom_store_free(p->store);
    p->store = qom_store_new();
    p->changed = false;
    p->stats->method = s->method ? s->method : p->bulk;
    if (!p->stats->plan)
        p->stats->plan = s->plan;
    return s->run(p, err);
}

WAITS int pull_some(struct pull *p, const uint32_t *objects, size_t count, struct error *err)
{
    return (p->bulk ? pull_some_bulk : pull_some_walk)(p, objects, count, err);
}

/* The tree, or NULL with what has gone wrong. */
static struct qom_store *finish(struct pull *p, int rc, double start, struct error *err)
{
    if (rc < 0) {
        fail_in(err, "cannot read the object tree");
        qom_store_free(p->store);
        return NULL;
    }
    qom_store_seal(p->store);
    p->stats->objects = qom_store_count(p->store);
    p->stats->properties = qom_store_properties(p->store);
    p->stats->milliseconds = pull_now_ms() - start;
    return p->store;
}

WAITS struct qom_store *qom_pull_changed(struct monitor *const *monitor, unsigned commands,
                                         const struct qom_store *old, const char *const *stale, size_t count,
                                         struct qom_stats *ret_stats, struct error *err)
{
    const char *bulk = bulk_command(commands);
    struct qom_stats stats = { .plan = "changes", .method = bulk ? bulk : "qom-list/qom-get" };
    struct pull p = { .monitor = monitor, .bulk = bulk, .stats = &stats, .store = qom_store_new() };
    double start = pull_now_ms();
    struct qom_store *store = finish(&p, pull_changed(&p, old, stale, count, err), start, err);
    if (store)
        *ret_stats = stats;
    return store;
}

WAITS struct qom_store *qom_pull(struct monitor *const *monitor, unsigned commands,
                                 const struct qom_plan *plan, struct qom_stats *ret_stats, struct error *err)
{
    struct qom_stats stats = { 0 };
    struct pull p = { .monitor = monitor, .bulk = bulk_command(commands), .plan = plan, .stats = &stats,
                      .pieces = commands & QOM_READS_AHEAD ? PIECES_AHEAD : 1 };
    double start = pull_now_ms();
    int rc = try(&p, commands, err);
    for (int tries = 1; rc < 0 && p.changed && tries < TRIES; tries++) {
        p.plan = NULL;
        error_clear(err);
        rc = try(&p, commands, err);
    }
    if (!finish(&p, rc, start, err))
        return NULL;
    if (strcmp(stats.plan, "warm") == 0 && stats.calls > 1)
        stats.plan = "repaired";
    *ret_stats = stats;
    return p.store;
}
