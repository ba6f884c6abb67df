/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/registry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

struct registry {
    struct map *by_uuid, *by_name, *by_id;
    VECTOR(struct domain *) all;        /* in order of uuid, which is the order of lists */
    struct places *places;
    struct journal *journal;
    struct events *events;
    int last_id;
};

struct registry *registry_new(struct places *places)
{
    struct registry *r = NEW(struct registry);
    r->by_uuid = map_new();
    r->by_name = map_new();
    r->by_id = map_new();
    r->places = places;
    r->events = events_new();
    return r;
}

void registry_free(struct registry *r)
{
    if (!r)
        return;
    while (r->all.count)
        registry_remove(r->all.items[r->all.count - 1]);
    vector_done(&r->all);
    map_free(r->by_uuid);
    map_free(r->by_name);
    map_free(r->by_id);
    journal_free(r->journal);
    places_free(r->places);
    events_free(r->events);
    free(r);
}

const struct places *registry_places(const struct registry *r)
{
    return r->places;
}

void registry_set_journal(struct registry *r, struct journal *journal)
{
    r->journal = journal;
}

struct journal *registry_journal(const struct registry *r)
{
    return r->journal;
}

struct events *registry_events(const struct registry *r)
{
    return r->events;
}

struct domain *registry_find(const struct registry *r, const struct uuid *uuid)
{
    return map_find(r->by_uuid, uuid->bytes, sizeof uuid->bytes);
}

struct domain *registry_find_name(const struct registry *r, const char *name)
{
    return map_find_text(r->by_name, name);
}

struct domain *registry_find_id(const struct registry *r, int id)
{
    return id < 0 ? NULL : map_find(r->by_id, &id, sizeof id);
}

struct domain *registry_match(const struct registry *r, const struct uuid *uuid, const char *name,
                              struct error *err)
{
    char text[UUID_TEXT_SIZE];
    struct domain *same_uuid = registry_find(r, uuid), *same_name = registry_find_name(r, name);
    if (same_uuid && !text_equal(same_uuid->name, name)) {
        uuid_format(uuid, text);
        fail(err, ERR_OPERATION_FAILED, "domain '%s' is already defined with uuid %s", same_uuid->name, text);
        return NULL;
    }
    if (same_name && same_name != same_uuid) {
        uuid_format(&same_name->uuid, text);
        fail(err, ERR_OPERATION_FAILED, "domain '%s' already exists with uuid %s", name, text);
        return NULL;
    }
    return same_uuid;
}

/* Where the uuid is among all, or would be. */
static size_t place_of(const struct registry *r, const struct uuid *uuid)
{
    size_t low = 0, high = r->all.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memcmp(r->all.items[middle]->uuid.bytes, uuid->bytes, sizeof uuid->bytes) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct domain *add(struct registry *r, const struct uuid *uuid, const char *name)
{
    assert(!registry_find(r, uuid) && !registry_find_name(r, name));
    struct domain *dom = NEW(struct domain);
    dom->uuid = *uuid;
    dom->name = memory_copy_text(name);
    dom->id = -1;
    dom->registry = r;
    dom->references = 1;
    domain_set_state(dom, DOMAIN_SHUTOFF, SHUTOFF_UNKNOWN);
    map_set(r->by_uuid, dom->uuid.bytes, sizeof dom->uuid.bytes, dom);
    map_set_text(r->by_name, dom->name, dom);
    vector_insert(&r->all, place_of(r, uuid), dom);
    return dom;
}

struct domain *registry_add(struct registry *r, struct domain_def *def)
{
    struct domain *dom = add(r, &def->uuid, def->name);
    domain_set_def(dom, def);
    return dom;
}

struct domain *registry_add_unmanaged(struct registry *r, const struct uuid *uuid, const char *name, int id,
                                      const char *reason)
{
    struct domain *dom = add(r, uuid, name);
    dom->unmanaged = reason;
    domain_set_active(dom, id > 0 && !registry_find_id(r, id) ? id : registry_next_id(r));
    domain_set_state(dom, DOMAIN_NOSTATE, 0);
    return dom;
}

void registry_rename(struct domain *dom, const char *name)
{
    assert(!dom->removed && !registry_find_name(dom->registry, name));
    map_remove_text(dom->registry->by_name, dom->name);
    free(dom->name);
    dom->name = memory_copy_text(name);
    map_set_text(dom->registry->by_name, dom->name, dom);
}

void registry_remove(struct domain *dom)
{
    struct registry *r = dom->registry;
    if (dom->removed)
        return;
    vector_remove(&r->all, place_of(r, &dom->uuid));
    map_remove(r->by_uuid, dom->uuid.bytes, sizeof dom->uuid.bytes);
    map_remove_text(r->by_name, dom->name);
    if (domain_is_active(dom))
        map_remove(r->by_id, &dom->id, sizeof dom->id);
    dom->removed = true;
    job_dismiss_waiters(dom);
    domain_unref(dom);
}

int registry_next_id(struct registry *r)
{
    return ++r->last_id;
}

/* Declared in domain.h: it lives here since the id is one of the registry's keys. */
void domain_set_active(struct domain *dom, int id)
{
    struct registry *r = dom->registry;
    if (domain_is_active(dom))
        map_remove(r->by_id, &dom->id, sizeof dom->id);
    dom->id = id;
    if (domain_is_active(dom))
        map_set(r->by_id, &dom->id, sizeof dom->id, dom);
    dom->runtime.id = domain_is_active(dom) ? id : 0;
    if (id > r->last_id)
        r->last_id = id;
}

size_t registry_count(const struct registry *r)
{
    return r->all.count;
}

struct domain **registry_list(const struct registry *r, size_t *ret_count)
{
    struct domain **list = memory_new((r->all.count + 1) * sizeof *list);
    if (r->all.count)
        memcpy(list, r->all.items, r->all.count * sizeof *list);
    *ret_count = r->all.count;
    return list;
}
