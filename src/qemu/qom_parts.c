/* SPDX-License-Identifier: Apache-2.0 */
/* Learning: a tree is cut into the parts that its command line names, and the machine that is left. */
#include "qemu/qom_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "json/json.h"
#include "qemu/qom_parts_private.h"

/* --- parts and collections ---------------------------------------------------------------------- */

struct qom_part *qom_part_new(const char *key, unsigned cpus, struct qom_sketch *sketch)
{
    struct qom_part *part = NEW(struct qom_part);
    *part = (struct qom_part) { memory_copy_text(key), cpus, sketch, 1 };
    return part;
}

void qom_part_free(struct qom_part *part)
{
    if (!part || __atomic_sub_fetch(&part->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    free(part->key);
    qom_sketch_free(part->sketch);
    free(part);
}

struct qom_parts *qom_parts_new(const char *emulator_key)
{
    struct qom_parts *parts = NEW(struct qom_parts);
    parts->emulator_key = memory_copy_text(emulator_key);
    return parts;
}

void qom_parts_free(struct qom_parts *parts)
{
    if (!parts)
        return;
    for (size_t i = 0; i < parts->list.count; i++)
        qom_part_free(parts->list.items[i]);
    vector_done(&parts->list);
    free(parts->emulator_key);
    free(parts);
}

size_t qom_parts_count(const struct qom_parts *parts)
{
    return parts->list.count;
}

struct qom_part *qom_parts_find(const struct qom_parts *parts, const char *key, bool machine)
{
    for (size_t i = parts ? parts->list.count : 0; i-- > 0; ) {
        struct qom_part *part = parts->list.items[i];
        if ((part->cpus != 0) == machine && strcmp(part->key, key) == 0)
            return part;
    }
    return NULL;
}

/* Takes the part's place in the collection. */
static void replace(struct qom_parts *parts, struct qom_part *part)
{
    for (size_t i = 0; i < parts->list.count; i++) {
        struct qom_part *old = parts->list.items[i];
        if ((old->cpus != 0) != (part->cpus != 0) || strcmp(old->key, part->key) != 0)
            continue;
        qom_part_free(old);
        vector_remove(&parts->list, i);
        break;
    }
    if (parts->list.count == PARTS_MAX) {
        qom_part_free(parts->list.items[0]);
        vector_remove(&parts->list, 0);
    }
    vector_push(&parts->list, part);
}

long qom_bus_slot(const char *name)
{
    char *end;
    if (!text_starts(name, "child["))
        return -1;
    long slot = strtol(name + strlen("child["), &end, 10);
    return strcmp(end, "]") == 0 && slot >= 0 ? slot : -1;
}

/* --- a tree, and which part each object belongs to --------------------------------------------- */

enum { OF_MACHINE = UINT32_MAX };

struct cut {
    const struct qom_line *line;
    const struct qom_store *store;
    uint32_t *part_of;                  /* index in the line, or OF_MACHINE */
    uint32_t *tops;                     /* each part's object; QOM_NONE: it is not in the tree */
    struct buffer path;
};

static void cut_done(struct cut *c)
{
    free(c->part_of);
    free(c->tops);
    buffer_done(&c->path);
}

static void claim(struct cut *c, uint32_t top, uint32_t part)
{
    for (uint32_t o = top; o != QOM_NONE; o = qom_store_next(c->store, top, o))
        c->part_of[o] = part;
}

/* What came into being elsewhere with a part, which it links to. */
static void claim_extras(struct cut *c)
{
    uint32_t first, folder = qom_store_walk(c->store, QOM_ROOT, EXTRAS_FOLDER);
    uint32_t count = folder == QOM_NONE ? 0 : qom_store_children(c->store, folder, &first);
    for (uint32_t child = 0; child < count; child++) {
        for (size_t i = 0; i < qom_store_property_count(c->store, first + child); i++) {
            struct qom_property p = qom_store_property(c->store, first + child, i);
            uint32_t target = qom_store_follow(c->store, &p);
            if (target != QOM_NONE && c->part_of[target] != OF_MACHINE)
                claim(c, first + child, c->part_of[target]);
        }
    }
}

static void cut_init(struct cut *c, const struct qom_line *line, const struct qom_store *store)
{
    size_t objects = qom_store_count(store);
    *c = (struct cut) { .line = line, .store = store };
    c->part_of = memory_new(objects * sizeof *c->part_of);
    c->tops = memory_new((line->parts.count + 1) * sizeof *c->tops);
    memset(c->part_of, 0xFF, objects * sizeof *c->part_of);
    for (size_t i = 0; i < line->parts.count; i++) {
        c->tops[i] = qom_store_walk(store, QOM_ROOT, line->parts.items[i].path);
        if (c->tops[i] != QOM_NONE)
            claim(c, c->tops[i], (uint32_t) i);
    }
    claim_extras(c);
}

/* --- sketching ---------------------------------------------------------------------------------- */

/* A bus gets its links to devices when it is known which there are. */
static bool is_slot_of_part(const struct cut *c, const struct qom_property *p, uint32_t target)
{
    return qom_bus_slot(p->name) >= 0 && c->part_of[target] != OF_MACHINE &&
           c->tops[c->part_of[target]] == target;
}

/* Where a link leads, as a part's or the machine's sketch says it. */
static const char *encode_target(struct cut *c, uint32_t object, const char *link, uint32_t target)
{
    uint32_t part = c->part_of[object];
    const struct qom_line_part *p = part == OF_MACHINE ? NULL : &c->line->parts.items[part];
    c->path.length = 0;
    if (p && p->bus && object == c->tops[part] && strcmp(link, "parent_bus") == 0)
        return PART_BUS;
    if (p && c->part_of[target] != OF_MACHINE && c->part_of[target] != part)
        return PART_OTHER;
    qom_store_add_path(c->store, target, &c->path);
    size_t prefix = p ? strlen(p->path) : 0;
    if (!p || !text_starts(c->path.data, p->path) || !strchr("/", c->path.data[prefix]))
        return c->path.data;
    buffer_drop(&c->path, prefix - 1);
    c->path.data[0] = '.';
    return c->path.data;
}

static void sketch_links(struct cut *c, struct qom_sketch *sketch, uint32_t object, uint32_t place)
{
    for (size_t i = 0; i < qom_store_property_count(c->store, object); i++) {
        struct qom_property p = qom_store_property(c->store, object, i);
        uint32_t target = strchr(p.name, '/') ? QOM_NONE : qom_store_follow(c->store, &p);
        if (target != QOM_NONE && !is_slot_of_part(c, &p, target))
            qom_sketch_link(sketch, place, p.name, encode_target(c, object, p.name, target));
    }
}

/* "usb.0" below "usb" is "$.0"; a bus may have the device's own name. */
static char *encode_name(const char *name, const char *id)
{
    size_t length = id ? strlen(id) : 0;
    if (id && strncmp(name, id, length) == 0 && (!name[length] || strchr(".[", name[length])))
        return memory_printf(PART_ID "%s", name + length);
    return memory_copy_text(name);
}

static uint32_t own_properties(const struct cut *c, uint32_t object)
{
    return (uint32_t) qom_store_property_count(c->store, object);
}

/* Adds what is below `top` and belongs to `part`; `map` says where each object of the tree came to. */
static void sketch_below(struct cut *c, struct qom_sketch *sketch, uint32_t top, uint32_t part, uint32_t *map)
{
    const struct qom_line_part *p = part == OF_MACHINE ? NULL : &c->line->parts.items[part];
    for (uint32_t o = top; o != QOM_NONE; o = qom_store_next(c->store, top, o)) {
        if (c->part_of[o] != part)
            continue;
        if (o != top) {
            owned_memory char *name = encode_name(qom_store_name(c->store, o), p ? p->id : NULL);
            map[o] = qom_sketch_add(sketch, map[qom_store_parent(c->store, o)], name,
                                    qom_store_is_leaf(c->store, o), own_properties(c, o));
        }
        sketch_links(c, sketch, o, map[o]);
    }
}

/* "console[1]" in its folder is "/backend/console": which number it gets is seen when it is put there. */
static void sketch_extra(struct cut *c, struct qom_sketch *sketch, uint32_t object, uint32_t part,
                         uint32_t *map)
{
    const char *name = qom_store_name(c->store, object);
    owned_memory char *place = memory_printf(EXTRAS_FOLDER "/%.*s", (int) strcspn(name, "["), name);
    map[object] = qom_sketch_add(sketch, (uint32_t) sketch->objects.count, place, false,
                                 own_properties(c, object));
    sketch_below(c, sketch, object, part, map);
}

static struct qom_sketch *sketch_part(struct cut *c, uint32_t part)
{
    struct qom_sketch *sketch = qom_sketch_new();
    uint32_t top = c->tops[part], folder = qom_store_walk(c->store, QOM_ROOT, EXTRAS_FOLDER), first;
    if (top == QOM_NONE)
        return sketch;
    owned_memory uint32_t *map = memory_new(qom_store_count(c->store) * sizeof *map);
    map[top] = qom_sketch_add(sketch, 0, PART_ID, false, own_properties(c, top));
    sketch_below(c, sketch, top, part, map);
    uint32_t count = folder == QOM_NONE ? 0 : qom_store_children(c->store, folder, &first);
    for (uint32_t child = 0; child < count; child++)
        if (c->part_of[first + child] == part)
            sketch_extra(c, sketch, first + child, part, map);
    return sketch;
}

static struct qom_sketch *sketch_machine(struct cut *c, unsigned *ret_cpus)
{
    struct qom_sketch *sketch = qom_sketch_new();
    owned_memory uint32_t *map = memory_new(qom_store_count(c->store) * sizeof *map);
    uint32_t folder = qom_store_walk(c->store, QOM_ROOT, CPU_FOLDER);
    map[QOM_ROOT] = qom_sketch_add(sketch, 0, "/", false, own_properties(c, QOM_ROOT));
    sketch_below(c, sketch, QOM_ROOT, OF_MACHINE, map);
    *ret_cpus = 0;
    for (uint32_t o = 1; folder != QOM_NONE && o < qom_store_count(c->store); o++) {
        if (qom_store_parent(c->store, o) != folder || !text_ends(qom_store_type(c->store, o), "-cpu") ||
            c->part_of[o] != OF_MACHINE)
            continue;
        sketch->objects.items[map[o]].cpu = true;
        ++*ret_cpus;
    }
    return sketch;
}

/* --- learning ----------------------------------------------------------------------------------- */

/* What both have: objects that come and go are better asked for than asked for in vain. */
static struct qom_sketch *common(const struct qom_sketch *a, const struct qom_sketch *b)
{
    struct qom_sketch *both = qom_sketch_new();
    owned_memory uint32_t *map = memory_new((a->objects.count + 1) * sizeof *map);
    for (uint32_t o = 0; o < a->objects.count; o++) {
        const struct qom_sketch_object *object = &a->objects.items[o];
        owned_buffer struct buffer path = { 0 };
        qom_sketch_add_path(a, o, &path);
        map[o] = QOM_NONE;
        if (qom_sketch_find(b, path.data) == QOM_NONE || (o && map[object->parent] == QOM_NONE))
            continue;
        map[o] = qom_sketch_add(both, o ? map[object->parent] : 0, object->name, object->leaf,
                                object->properties);
        both->objects.items[map[o]].cpu = object->cpu;
    }
    for (size_t l = 0; l < b->links.count; l++) {
        owned_buffer struct buffer path = { 0 };
        qom_sketch_add_path(b, b->links.items[l].object, &path);
        uint32_t object = qom_sketch_find(both, path.data);
        if (object != QOM_NONE)
            qom_sketch_link(both, object, b->links.items[l].name, b->links.items[l].target);
    }
    return both;
}

static bool learn_machine(struct qom_parts *parts, struct cut *c)
{
    unsigned cpus;
    owned(qom_sketch) struct qom_sketch *sketch = sketch_machine(c, &cpus);
    struct qom_part *known = qom_parts_find(parts, c->line->machine, true);
    if (cpus == 0 || (known && known->cpus != cpus && known->cpus > 1))
        return false;                   /* one with several processors tells of all numbers */
    if (known && known->cpus == cpus) {
        struct qom_sketch *both = common(known->sketch, sketch);
        qom_sketch_free(sketch);
        sketch = both;
    }
    if (known && known->cpus == cpus && qom_sketch_equal(known->sketch, sketch))
        return false;
    replace(parts, qom_part_new(c->line->machine, cpus, take(sketch)));
    return true;
}

static bool learn_part(struct qom_parts *parts, struct cut *c, uint32_t part)
{
    const char *key = c->line->parts.items[part].key;
    owned(qom_sketch) struct qom_sketch *sketch = sketch_part(c, part);
    const struct qom_part *known = qom_parts_find(parts, key, false);
    if (known && qom_sketch_equal(known->sketch, sketch))
        return false;
    replace(parts, qom_part_new(key, 0, take(sketch)));
    return true;
}

struct qom_parts *qom_parts_learn(const struct qom_parts *known, const char *emulator_key,
                                  const struct qom_line *line, const struct qom_store *store)
{
    owned(qom_parts) struct qom_parts *parts = qom_parts_new(emulator_key);
    for (size_t i = 0; known && i < known->list.count; i++) {
        __atomic_add_fetch(&known->list.items[i]->references, 1, __ATOMIC_RELAXED);
        vector_push(&parts->list, known->list.items[i]);
    }
    __attribute__((cleanup(cut_done))) struct cut c;
    cut_init(&c, line, store);
    bool news = learn_machine(parts, &c);
    for (size_t i = 0; i < line->parts.count; i++)
        news |= learn_part(parts, &c, (uint32_t) i);
    return news ? take(parts) : NULL;
}
