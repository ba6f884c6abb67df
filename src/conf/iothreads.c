/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/iothreads.h"

#include "conf/domain_def.h"
#include "conf/rows.h"

const struct iothread *iothreads_find(const struct iothreads *threads, uint32_t id)
{
    for (size_t i = 0; i < threads->list.count; i++)
        if (threads->list.items[i]->id == id)
            return threads->list.items[i];
    return NULL;
}

size_t iothreads_ids(const struct iothreads *threads, uint32_t ret_ids[IOTHREADS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < threads->list.count && count < IOTHREADS_MAX; i++)
        ret_ids[count++] = threads->list.items[i]->id;
    for (uint32_t id = 1; count < threads->count && count < IOTHREADS_MAX; id++)
        if (!iothreads_find(threads, id))
            ret_ids[count++] = id;
    return count;
}

bool iothreads_have(const struct iothreads *threads, uint32_t id)
{
    uint32_t ids[IOTHREADS_MAX];
    size_t count = iothreads_ids(threads, ids);
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

/* Says the id of every thread, but for one, as the rest would get new ones. */
static void say_ids(struct iothreads *threads, uint32_t without, struct arena *arena)
{
    uint32_t ids[IOTHREADS_MAX];
    const struct iothreads before = *threads;
    size_t count = iothreads_ids(threads, ids);
    threads->list.count = 0;
    threads->list.items = NULL;
    for (size_t i = 0; i < count; i++) {
        struct iothread *thread = (struct iothread *) iothreads_find(&before, ids[i]);
        if (ids[i] == without)
            continue;
        if (!thread) {
            thread = ARENA_NEW(arena, struct iothread);
            thread->id = ids[i];
        }
        list_add(arena, &threads->list, thread);
    }
    threads->count = (uint32_t) threads->list.count;
}

void iothreads_add(struct iothreads *threads, uint32_t id, struct arena *arena)
{
    struct iothread *thread = ARENA_NEW(arena, struct iothread);
    thread->id = id;
    say_ids(threads, 0, arena);
    list_add(arena, &threads->list, thread);
    threads->count++;
}

void iothreads_remove(struct iothreads *threads, uint32_t id, struct arena *arena)
{
    say_ids(threads, id, arena);
}

void iothreads_check(struct domain_def *def, struct xml_context *x)
{
    struct iothreads *threads = &def->iothreads;
    if (threads->list.count > IOTHREADS_MAX) {
        xml_refuse(x, &threads->count, ERR_XML, "at most 512", "%zu iothreads are too many",
                   threads->list.count);
        return;
    }
    for (size_t i = 0; i < threads->list.count; i++)
        if (threads->list.items[i]->id && iothreads_find(threads, threads->list.items[i]->id) !=
            threads->list.items[i])
            xml_refuse(x, &threads->list.items[i]->id, ERR_XML, NULL, "the iothread %u is given twice",
                       threads->list.items[i]->id);
    if (threads->count < threads->list.count)
        threads->count = (uint32_t) threads->list.count;
}

#define SELF struct iothread
PART(poll, "poll", "How long it looks for work before it sleeps.",
    ATTR("max", poll_max, opt_u64, "nanoseconds"),
    ATTR("grow", poll_grow, opt_u64, "factor of growth"),
    ATTR("shrink", poll_shrink, opt_u64, "factor of decay"));
const struct element iothread_element = ELEMENT("iothread", "A thread for disks.",
    ATTR("id", id, u32, "number of the thread", REQUIRED, NONZERO),
    ATTR("thread_pool_min", pool_min, opt_u32, "workers that always run"),
    ATTR("thread_pool_max", pool_max, opt_u32, "workers that run at most", RANGE(1, UINT32_MAX)),
    INLINE(poll));
#undef SELF

#define SELF struct queue_number
PART(queue_element, "queue", "One of its queues.", ATTR("id", id, opt_u32, "number", REQUIRED));
#undef SELF

#define SELF struct queue_thread
const struct element queue_thread_element = ELEMENT("iothread", "A thread that serves its queues.",
    ATTR("id", id, u32, "number of the thread", REQUIRED, NONZERO), LIST(queues, queue_element));
