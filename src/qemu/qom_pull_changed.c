/* SPDX-License-Identifier: Apache-2.0 */
/* A tree from an earlier one: what devices that come and go change is asked for, all else is copied.
 *
 * Asked are the folders where devices, objects and character devices appear; every object there that is new,
 * with all below it; and the buses that these are on, or that those which went were on, since a bus lists
 * what is plugged into it. */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "qemu/qom_pull_private.h"

static const char devices_folder[] = "/machine/peripheral";
static const char *const folders[] = { devices_folder, "/machine/peripheral-anon", "/objects", "/chardevs" };

struct patch {
    struct pull *pull;
    const struct qom_store *old;
    bool *stale;              /* by object of the old tree: it is asked for anew */
    VECTOR(uint32_t) old_of;  /* by object of the new tree; QOM_NONE: it is new */
    VECTOR(uint32_t) pending; /* objects of the new tree that are to be asked for */
};

static void patch_done(struct patch *patch)
{
    free(patch->stale);
    vector_done(&patch->old_of);
    vector_done(&patch->pending);
}

static void mark_stale(struct patch *patch, const char *path)
{
    bool ambiguous;
    uint32_t object = qom_store_find(patch->old, path, &ambiguous);
    if (object != QOM_NONE)
        patch->stale[object] = true;
}

/* Its properties may stand in for those of the object that does its work, just below it. */
static void mark_with_children(struct patch *patch, const char *path)
{
    bool ambiguous;
    uint32_t object = qom_store_find(patch->old, path, &ambiguous), first;
    uint32_t count = object == QOM_NONE ? 0 : qom_store_children(patch->old, object, &first);
    mark_stale(patch, path);
    for (uint32_t i = 0; i < count; i++)
        patch->stale[first + i] = true;
}

/* The bus that an object is on, by what either tree says of it. */
static void mark_bus(struct patch *patch, const struct qom_store *store, uint32_t object)
{
    struct qom_property p;
    if (!qom_store_find_property(store, object, "parent_bus", &p) || !p.value || p.value[0] != '"')
        return;
    owned_memory char *path = memory_copy_bytes(p.value + 1, strlen(p.value) - 2);
    if (*path == '/')
        mark_stale(patch, path);
}

/* --- copying --- */

static uint32_t find_old(const struct patch *patch, uint32_t object)
{
    const struct qom_store *new = patch->pull->store;
    if (object == QOM_ROOT)
        return QOM_ROOT;
    uint32_t parent = patch->old_of.items[qom_store_parent(new, object)];
    uint32_t old =
        parent == QOM_NONE ? QOM_NONE : qom_store_child(patch->old, parent, qom_store_name(new, object));
    bool same = old != QOM_NONE && text_equal(qom_store_type(patch->old, old), qom_store_type(new, object));
    return same ? old : QOM_NONE;
}

/* Which object of the old tree this one was, and all before it. */
static uint32_t note_old(struct patch *patch, uint32_t object)
{
    while (patch->old_of.count <= object) {
        uint32_t old = find_old(patch, (uint32_t) patch->old_of.count);
        vector_push(&patch->old_of, old);
    }
    return patch->old_of.items[object];
}

static int copy_object(struct patch *patch, uint32_t object, uint32_t from, struct error *err)
{
    struct qom_store *new = patch->pull->store;
    uint32_t first, count = qom_store_children(patch->old, from, &first);
    if (qom_store_open(new, object, err) < 0)
        return -1;
    for (size_t i = 0; i < qom_store_property_count(patch->old, from); i++) {
        const struct qom_property p = qom_store_property(patch->old, from, i);
        if (qom_store_add(new, p.name, p.type, p.value, err) < 0)
            return -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        owned_memory char *type = memory_printf("child<%s>", qom_store_type(patch->old, first + i));
        if (qom_store_add(new, qom_store_name(patch->old, first + i), type, NULL, err) < 0)
            return -1;
    }
    return qom_store_close(new, err);
}

/* Is it one of the folders, or above one? */
static bool leads_to_folder(const struct patch *patch, uint32_t object)
{
    owned_buffer struct buffer path = { 0 };
    if (object == QOM_ROOT)
        return true;
    qom_store_add_path(patch->pull->store, object, &path);
    for (size_t i = 0; i < ARRAY_COUNT(folders); i++)
        if (text_starts(folders[i], buffer_text(&path)) &&
            (folders[i][path.length] == '/' || !folders[i][path.length]))
            return true;
    return false;
}

/* Copies what can be, parents first, notes what is to be asked for; `folders_only`: on the way to them. */
static int copy_known(struct patch *patch, bool folders_only, struct error *err)
{
    struct qom_store *new = patch->pull->store;
    patch->pending.count = 0;
    for (uint32_t object = 0; object < qom_store_count(new); object++) {
        uint32_t old = note_old(patch, object);
        if (qom_store_is_read(new, object) || (folders_only && !leads_to_folder(patch, object)))
            continue;
        if (old == QOM_NONE || patch->stale[old])
            vector_push(&patch->pending, object);
        else if (copy_object(patch, object, old, err) < 0)
            return -1;
    }
    return 0;
}

static WAITS int ask_pending(struct patch *patch, struct error *err)
{
    return patch->pending.count ? pull_some(patch->pull, patch->pending.items, patch->pending.count, err) : 0;
}

/* --- */

/* The folders have been read: what is new in them is asked for next, and buses are found out. */
static WAITS int find_changes(struct patch *patch, struct error *err)
{
    struct qom_store *new = patch->pull->store;
    patch->pending.count = 0;
    for (size_t i = 0; i < ARRAY_COUNT(folders); i++) {
        bool ambiguous;
        uint32_t there = qom_store_find(new, folders[i], &ambiguous), first;
        uint32_t before = qom_store_find(patch->old, folders[i], &ambiguous);
        uint32_t count = there == QOM_NONE ? 0 : qom_store_children(new, there, &first);
        for (uint32_t child = 0; child < count; child++) {
            note_old(patch, first + child);
            if (patch->old_of.items[first + child] == QOM_NONE && !qom_store_is_read(new, first + child))
                vector_push(&patch->pending, first + child);
        }
        count = before == QOM_NONE ? 0 : qom_store_children(patch->old, before, &first);
        for (uint32_t child = 0; child < count; child++) {
            const char *name = qom_store_name(patch->old, first + child);
            uint32_t now = there == QOM_NONE ? QOM_NONE : qom_store_child(new, there, name);
            if (now == QOM_NONE || patch->old_of.items[now] == QOM_NONE)
                mark_bus(patch, patch->old, first + child);
        }
    }
    if (ask_pending(patch, err) < 0)
        return -1;
    for (size_t i = 0; i < patch->pending.count; i++)
        mark_bus(patch, new, patch->pending.items[i]);
    return 0;
}

WAITS int pull_changed(struct pull *p, const struct qom_store *old, const char *const *stale, size_t count,
                       struct error *err)
{
    __attribute__((cleanup(patch_done))) struct patch patch = { .pull = p, .old = old };
    patch.stale = memory_new(qom_store_count(old) * sizeof *patch.stale);
    for (size_t i = 0; i < ARRAY_COUNT(folders); i++)
        mark_stale(&patch, folders[i]);
    for (size_t i = 0; i < count; i++)
        mark_with_children(&patch, stale[i]);
    if (copy_known(&patch, true, err) < 0 || ask_pending(&patch, err) < 0 || find_changes(&patch, err) < 0)
        return -1;
    do {
        if (copy_known(&patch, false, err) < 0 || ask_pending(&patch, err) < 0)
            return -1;
    } while (patch.pending.count);
    return 0;
}
