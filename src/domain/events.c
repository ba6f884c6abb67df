/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/events.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/vector.h"
#include "domain/registry.h"

/* During a delivery a freed listener leaves a hole, which the outermost delivery sweeps. */
struct events {
    VECTOR(struct event_listener *) listeners;
    unsigned delivering;
    bool holes;
};

struct event_listener {
    struct events *events;
    void (*fn)(void *arg, const struct domain_event *event);
    void *arg;
};

struct events *events_new(void)
{
    return NEW(struct events);
}

void events_free(struct events *events)
{
    if (!events)
        return;
    assert(events->listeners.count == 0);
    vector_done(&events->listeners);
    free(events);
}

struct event_listener *event_listener_new(struct events *events,
                                          void (*fn)(void *arg, const struct domain_event *event), void *arg)
{
    struct event_listener *listener = NEW(struct event_listener);
    *listener = (struct event_listener) { events, fn, arg };
    vector_push(&events->listeners, listener);
    return listener;
}

static void sweep(struct events *events)
{
    size_t kept = 0;
    for (size_t i = 0; i < events->listeners.count; i++) {
        if (events->listeners.items[i])
            events->listeners.items[kept++] = events->listeners.items[i];
    }
    events->listeners.count = kept;
    events->holes = false;
}

void event_listener_free(struct event_listener *listener)
{
    if (!listener)
        return;
    struct events *events = listener->events;
    for (size_t i = 0; i < events->listeners.count; i++) {
        if (events->listeners.items[i] == listener)
            events->listeners.items[i] = NULL;
    }
    events->holes = true;
    if (!events->delivering)
        sweep(events);
    free(listener);
}

void domain_emit(const struct domain *dom, const struct domain_event *event)
{
    struct events *events = registry_events(dom->registry);
    struct domain_event told = *event;
    told.domain = dom;
    size_t count = events->listeners.count;             /* those who come during it do not hear it */
    events->delivering++;
    for (size_t i = 0; i < count; i++) {
        struct event_listener *listener = events->listeners.items[i];
        if (listener)
            listener->fn(listener->arg, &told);
    }
    if (--events->delivering == 0 && events->holes)
        sweep(events);
}

void domain_emit_lifecycle(const struct domain *dom, enum lifecycle type, int detail)
{
    domain_emit(
        dom, &(struct domain_event) { .id = DOMAIN_EVENT_LIFECYCLE, .type = (int) type, .detail = detail });
}
