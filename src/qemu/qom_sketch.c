/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_sketch.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "json/json.h"

struct qom_sketch *qom_sketch_new(void)
{
    struct qom_sketch *sketch = NEW(struct qom_sketch);
    sketch->arena = arena_new();
    sketch->by_name = map_new();
    return sketch;
}

void qom_sketch_free(struct qom_sketch *sketch)
{
    if (!sketch)
        return;
    vector_done(&sketch->objects);
    vector_done(&sketch->links);
    map_free(sketch->by_name);
    arena_free(sketch->arena);
    free(sketch);
}

uint32_t qom_sketch_add(struct qom_sketch *sketch, uint32_t parent, const char *name, bool leaf,
                        uint32_t properties)
{
    uint32_t index = (uint32_t) sketch->objects.count;
    struct qom_sketch_object object = { .parent = parent, .name = arena_copy(sketch->arena, name),
                                        .leaf = leaf, .properties = properties };
    vector_push(&sketch->objects, object);
    owned_memory char *key = memory_printf("%u/%s", parent, name);
    map_set_text(sketch->by_name, key, (void *) (uintptr_t) (index + 1));
    return index;
}

void qom_sketch_link(struct qom_sketch *sketch, uint32_t object, const char *name, const char *target)
{
    struct qom_sketch_link link = { object, arena_copy(sketch->arena, name),
                                    arena_copy(sketch->arena, target) };
    vector_push(&sketch->links, link);
}

uint32_t qom_sketch_child(const struct qom_sketch *sketch, uint32_t parent, const char *name)
{
    owned_memory char *key = memory_printf("%u/%s", parent, name);
    uintptr_t index = (uintptr_t) map_find_text(sketch->by_name, key);
    return index > 1 ? (uint32_t) (index - 1) : QOM_NONE;       /* the top is nobody's child */
}

uint32_t qom_sketch_find(const struct qom_sketch *sketch, const char *path)
{
    uint32_t object = 0;
    while (object != QOM_NONE && *(path += strspn(path, "/"))) {
        size_t length = strcspn(path, "/");
        owned_memory char *name = memory_copy_bytes(path, length);
        object = qom_sketch_child(sketch, object, name);
        path += length;
    }
    return object;
}

void qom_sketch_add_path(const struct qom_sketch *sketch, uint32_t object, struct buffer *out)
{
    const char *line[QOM_DEPTH_MAX + 1];
    size_t depth = 0;
    for (; object != 0 && depth < QOM_DEPTH_MAX; object = sketch->objects.items[object].parent)
        line[depth++] = sketch->objects.items[object].name;
    if (depth == 0)
        buffer_add_char(out, '/');
    while (depth > 0) {
        buffer_add_char(out, '/');
        buffer_add_text(out, line[--depth]);
    }
}

bool qom_sketch_equal(const struct qom_sketch *a, const struct qom_sketch *b)
{
    if (a->objects.count != b->objects.count || a->links.count != b->links.count)
        return false;
    for (size_t i = 0; i < a->objects.count; i++) {
        const struct qom_sketch_object *p = &a->objects.items[i], *q = &b->objects.items[i];
        if (p->parent != q->parent || p->leaf != q->leaf || p->cpu != q->cpu ||
            p->properties != q->properties || strcmp(p->name, q->name) != 0)
            return false;
    }
    for (size_t i = 0; i < a->links.count; i++) {
        const struct qom_sketch_link *p = &a->links.items[i], *q = &b->links.items[i];
        if (p->object != q->object || strcmp(p->name, q->name) != 0 || strcmp(p->target, q->target) != 0)
            return false;
    }
    return true;
}

/* --- as a tree: the store wants all of an object's children at once ---------------------------- */

/* Lists of children and of links, by their object: `first` of each, and `next` of each member; 0: none. */
struct lists { uint32_t *first, *next; };

static struct lists lists_new(size_t objects, size_t members)
{
    return (struct lists) { memory_new((objects + 1) * sizeof(uint32_t)),
                            memory_new((members + 1) * sizeof(uint32_t)) };
}

static void lists_done(struct lists *l)
{
    free(l->first);
    free(l->next);
}

static void lists_add(struct lists *l, uint32_t object, uint32_t member)        /* member + 1 is kept */
{
    l->next[member] = l->first[object];
    l->first[object] = member + 1;
}

struct drawing {
    const struct qom_sketch *sketch;
    struct lists children, links;
    struct qom_store *store;
    uint32_t *properties;
};

static void drawing_done(struct drawing *d)
{
    lists_done(&d->children);
    lists_done(&d->links);
    qom_store_free(d->store);
    free(d->properties);
}

static int draw_links(struct drawing *d, uint32_t object, struct error *err)
{
    for (uint32_t l = d->links.first[object]; l; l = d->links.next[l - 1]) {
        const struct qom_sketch_link *link = &d->sketch->links.items[l - 1];
        bool known = qom_sketch_find(d->sketch, link->target) != QOM_NONE;
        owned_buffer struct buffer value = { 0 };
        struct json_writer w = { .out = &value };
        json_string(&w, known ? link->target : "/");
        if (qom_store_add(d->store, link->name, "link<>", value.data, err) < 0)
            return -1;
    }
    return 0;
}

static int draw(struct drawing *d, uint32_t object, uint32_t place, struct error *err)
{
    uint32_t first;
    if (qom_store_open(d->store, place, err) < 0)
        return -1;
    for (uint32_t c = d->children.first[object]; c; c = d->children.next[c - 1]) {
        const struct qom_sketch_object *child = &d->sketch->objects.items[c - 1];
        if (qom_store_add(d->store, child->name, child->leaf ? "child<irq>" : "child<>", NULL, err) < 0)
            return -1;
    }
    if (draw_links(d, object, err) < 0 || qom_store_close(d->store, err) < 0)
        return -1;
    d->properties[place] = d->sketch->objects.items[object].properties +
                           qom_store_children(d->store, place, &first);
    for (uint32_t c = d->children.first[object]; c; c = d->children.next[c - 1], first++)
        if (!qom_store_is_read(d->store, first) && draw(d, c - 1, first, err) < 0)
            return -1;
    return 0;
}

struct qom_store *qom_sketch_store(const struct qom_sketch *sketch, uint32_t **ret_properties,
                                   struct error *err)
{
    size_t objects = sketch->objects.count;
    __attribute__((cleanup(drawing_done))) struct drawing d = {
        .sketch = sketch, .children = lists_new(objects, objects),
        .links = lists_new(objects, sketch->links.count), .store = qom_store_new(),
        .properties = memory_new((objects + 1) * sizeof *d.properties),
    };
    for (uint32_t i = (uint32_t) objects; i-- > 1; )
        lists_add(&d.children, sketch->objects.items[i].parent, i);
    for (uint32_t i = (uint32_t) sketch->links.count; i-- > 0; )
        lists_add(&d.links, sketch->links.items[i].object, i);
    if (draw(&d, 0, QOM_ROOT, err) < 0)
        return NULL;
    qom_store_seal(d.store);
    *ret_properties = take(d.properties);
    return take(d.store);
}
