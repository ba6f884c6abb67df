/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/parallel.h"

#include <stdlib.h>

#include "base/memory.h"
#include "domain/domain.h"

/* Belongs to its workers and to who waits for them; the last one lets it go. */
struct crowd {
    struct domain **domains;
    size_t count, next;
    unsigned working, holders;
    void (*fn)(struct domain *dom, void *arg);
    void *arg;
    struct wait *all_done;              /* NULL: nobody waits any more */
};

static void let_go(struct crowd *crowd)
{
    if (--crowd->holders > 0)
        return;
    for (size_t i = 0; i < crowd->count; i++)
        domain_unref(crowd->domains[i]);
    free(crowd->domains);
    free(crowd);
}

static WAITS void work(void *arg)
{
    struct crowd *crowd = arg;
    while (crowd->next < crowd->count)
        crowd->fn(crowd->domains[crowd->next++], crowd->arg);
    if (--crowd->working == 0 && crowd->all_done)
        wait_done(crowd->all_done, 0);
    let_go(crowd);
}

void parallel_each(struct domain *const *domains, size_t count, unsigned fibers, uint64_t deadline,
                   void (*fn)(struct domain *dom, void *arg), void *arg)
{
    struct wait all_done = { 0 };
    error_scope(late);
    struct crowd *crowd = NEW(struct crowd);
    *crowd = (struct crowd){ .count = count, .fn = fn, .arg = arg, .all_done = &all_done, .holders = 1 };
    crowd->domains = memory_new((count + 1) * sizeof *domains);
    for (size_t i = 0; i < count; i++)
        crowd->domains[i] = domain_ref(domains[i]);
    for (unsigned i = 0; i < fibers && i < count && fiber_start(work, crowd); i++)
        crowd->working++, crowd->holders++;
    if (crowd->working)
        wait_until(&all_done, deadline, &late);
    else
        for (size_t i = 0; i < count; i++)
            fn(domains[i], arg);        /* no fiber to be had: it is done here, one by one */
    crowd->all_done = NULL;
    let_go(crowd);
}
