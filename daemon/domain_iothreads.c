/* SPDX-License-Identifier: Apache-2.0 */
/* Threads for disks: added, taken away, pinned. */
#include "base/memory.h"
#include "daemon/affect.h"
#include "daemon/edit.h"
#include "daemon/pins.h"
#include "daemon/request.h"
#include "qemu/iothreads.h"

static const char *user_of(const struct domain_def *def, uint32_t id)
{
    for (size_t i = 0; i < def->disks.count; i++)
        if (def->disks.items[i]->iothread == id)
            return def->disks.items[i]->target;
    for (size_t i = 0; i < def->controllers.count; i++)
        if (def->controllers.items[i]->iothread == id)
            return "a controller";
    return NULL;
}

static int check_new(const struct domain_def *def, uint32_t id, struct error *err)
{
    if (iothreads_have(&def->iothreads, id))
        return fail(err, ERR_INVALID_ARG, "an IOThread is already using iothread_id '%u'", id);
    if (def->iothreads.count >= IOTHREADS_MAX)
        return fail(err, ERR_INVALID_ARG, "a domain has at most %d iothreads", IOTHREADS_MAX);
    return 0;
}

static int check_old(const struct domain_def *def, uint32_t id, struct error *err)
{
    const char *user = user_of(def, id);
    if (!iothreads_have(&def->iothreads, id))
        return fail(err, ERR_INVALID_ARG, "cannot find IOThread '%u' in iothreadids list", id);
    if (user)
        return fail(err, ERR_INVALID_ARG, "cannot remove IOThread %u since it is being used by disk '%s'", id,
                    user);
    return 0;
}

static void add_thread(struct domain_def *def, uint32_t id)
{
    iothreads_add(&def->iothreads, id, def->arena);
}

/* And with it what was said of where it runs. */
static void remove_thread(struct domain_def *def, uint32_t id)
{
    struct cputune *tune = def->cputune;
    size_t kept = 0;
    for (size_t i = 0; tune && i < tune->iothread_pins.count; i++)
        if (tune->iothread_pins.items[i]->thread.value != id)
            tune->iothread_pins.items[kept++] = tune->iothread_pins.items[i];
    if (tune)
        tune->iothread_pins.count = kept;
    iothreads_remove(&def->iothreads, id, def->arena);
}

typedef int iothread_check(const struct domain_def *def, uint32_t id, struct error *err);
typedef void iothread_change(struct domain_def *def, uint32_t id);

static WAITS struct domain_def *changed(struct request *request, const struct domain_def *def,
                                        enum edit_which which, uint32_t id, iothread_check *check,
                                        iothread_change *change, struct error *err)
{
    if (check(def, id, err) < 0)
        return NULL;
    owned(domain_def) struct domain_def *copy = domain_def_copy(def);
    change(copy, id);
    return edit_check(request, copy, which, NULL, err);
}

static WAITS int change_threads(struct request *request, uint32_t id, unsigned flags, iothread_check *check,
                                iothread_change *change, struct error *err)
{
    struct domain *dom = request->dom;
    unsigned affected = 0;
    owned(domain_def) struct domain_def *live = NULL, *config = NULL;
    if (check_flags(flags, AFFECT_BOTH, err) < 0 || affect_resolve(dom, flags, &affected, err) < 0)
        return -1;
    if (id == 0)
        return fail(err, ERR_INVALID_ARG, "invalid value of 0 for iothread_id");
    if (affected & AFFECT_CONFIG &&
        !(config = changed(request, dom->def, EDIT_CONFIG, id, check, change, err)))
        return -1;
    if (affected & AFFECT_LIVE && !(live = changed(request, dom->live, EDIT_LIVE, id, check, change, err)))
        return -1;
    if (live && domain_change_iothread(dom, live, id, err) < 0)
        return -1;
    return config ? edit_keep(request, config, err) : 0;
}

int on_domain_add_iothread(struct request *request, const remote_domain_add_iothread_args *args, nothing *ret,
                           struct error *err)
{
    return change_threads(request, args->iothread_id, args->flags, check_new, add_thread, err);
}

int on_domain_del_iothread(struct request *request, const remote_domain_del_iothread_args *args, nothing *ret,
                           struct error *err)
{
    return change_threads(request, args->iothread_id, args->flags, check_old, remove_thread, err);
}
