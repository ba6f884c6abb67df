/* SPDX-License-Identifier: Apache-2.0 */
/* A pull when nothing is known: a listing gives the shape, and one bulk command the rest. */
#include "qemu/qom_listing.h"
#include "qemu/qom_pull_private.h"

struct listing_work {
    const char *text;
    struct qom_plan *plan;              /* NULL: it was no listing */
};

static void plan_listing(void *arg)
{
    struct listing_work *work = arg;
    error_scope(err);
    owned(qom_sketch) struct qom_sketch *sketch = qom_listing_parse(work->text);
    owned_memory uint32_t *properties = NULL;
    owned(qom_store) struct qom_store *store = sketch ? qom_sketch_store(sketch, &properties, &err) : NULL;
    work->plan = store ? qom_plan_guess(store, properties) : NULL;
}

/* *ret_plan: NULL if the VMM gives no listing, which is no failure. */
static WAITS int ask_listing(struct pull *p, struct qom_plan **ret_plan, struct error *err)
{
    owned_call struct monitor_call call = { 0 };
    if (pull_call(p, &call, "human-monitor-command", "{\"command-line\":\"info qom-tree /\"}", err) < 0) {
        if (call.reply.refusal == MONITOR_NOT_REFUSED)
            return -1;
        error_clear(err);
        return 0;
    }
    struct listing_work work = { .text = json_text(call.reply.value) };
    if (work.text && await_work(plan_listing, &work, err) < 0)
        return -1;
    *ret_plan = work.plan;
    return 0;
}

WAITS int pull_listed(struct pull *p, struct error *err)
{
    owned(qom_plan) struct qom_plan *plan = NULL;
    if (ask_listing(p, &plan, err) < 0)
        return -1;
    if (!plan)
        return pull_levels(p, err);
    p->plan = plan;
    int rc = pull_warm(p, err);
    p->plan = NULL;
    return rc;
}
