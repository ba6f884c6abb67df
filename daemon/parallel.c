/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/parallel.h"

#include "base/memory.h"
#include "domain/domain.h"

struct crowd {
    struct domain *const *domains;
    size_t count, next;
    unsigned working;
    void (*fn)(struct domain *dom, void *arg);
    void *arg;
    struct wait all_done;
};

static WAITS void work(void *arg)
{
    struct crowd *crowd = arg;
    while (crowd->next < crowd->count)
        crowd->fn(crowd->domains[crowd->next++], crowd->arg);
    if (--crowd->working == 0)
        wait_done(&crowd->all_done, 0);
}

void parallel_each(struct domain *const *domains, size_t count, unsigned fibers,
                   void (*fn)(struct domain *dom, void *arg), void *arg)
{
    struct crowd crowd = { .domains = domains, .count = count, .fn = fn, .arg = arg, .working = 1 };
    for (size_t i = 0; i < count; i++)
        domain_ref(domains[i]);
    for (unsigned i = 0; i < fibers && i < count; i++)
        crowd.working += fiber_start(work, &crowd) != NULL;
    if (crowd.working == 1)
        work(&crowd);                   /* no fiber to be had: it is done here, one by one */
    else if (--crowd.working > 0)
        wait_release(&crowd.all_done);
    for (size_t i = 0; i < count; i++)
        domain_unref(domains[i]);
}
