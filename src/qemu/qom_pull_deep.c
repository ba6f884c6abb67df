/* SPDX-License-Identifier: Apache-2.0 */
/* A pull by qom-tree-get: {"name", "children": [the same...], "properties": [{name, type, value?}]}, where
 * children stand only among the children. */
#include <string.h>

#include "base/vector.h"
#include "qemu/qom_pull_private.h"

struct open_object { uint32_t object; const struct json *said; };
struct deep { VECTOR(struct open_object) open; struct arena *arena; };

static void deep_done(struct deep *d)
{
    vector_done(&d->open);
    arena_free(d->arena);
}

static const struct json *new_text(struct arena *arena, const char *text)
{
    struct json *v = ARENA_NEW(arena, struct json);
    *v = (struct json) { .type = JSON_STRING, .length = strlen(text), .text = text };
    return v;
}

static const char *type_of(const struct json *object)
{
    const struct json *properties = json_get(object, "properties");
    for (size_t i = 0; json_at(properties, i); i++)
        if (strcmp(json_get_text(json_at(properties, i), "name") ?: "", "type") == 0)
            return json_get_text(json_at(properties, i), "value");
    return NULL;
}

/* The entry by which a parent lists this child. */
static const struct json *child_entry(struct arena *arena, const struct json *child)
{
    const char *name = json_get_text(child, "name"), *type = type_of(child);
    if (!name || !type)
        return NULL;
    struct json_member *members = arena_alloc(arena, 2 * sizeof *members);
    members[0] = (struct json_member) { "name", new_text(arena, name) };
    members[1] = (struct json_member) { "type", new_text(arena, arena_printf(arena, "child<%s>", type)) };
    struct json *entry = ARENA_NEW(arena, struct json);
    *entry = (struct json) { .type = JSON_OBJECT, .length = 2, .members = members };
    return entry;
}

/* What a bulk command would say of the object: its properties, then its children. */
static const struct json *whole_list(struct arena *arena, const struct json *said, struct error *err)
{
    const struct json *properties = json_get(said, "properties"), *children = json_get(said, "children");
    if (!properties || properties->type != JSON_ARRAY || !children || children->type != JSON_ARRAY) {
        fail(err, ERR_VMM,
             "an object in the answer to 'qom-tree-get' has no lists of children and properties");
        return NULL;
    }
    struct json *list = ARENA_NEW(arena, struct json);
    size_t count = properties->length + children->length;
    const struct json **items = arena_alloc(arena, (count + 1) * sizeof *items);
    memcpy(items, properties->items, properties->length * sizeof *items);
    for (size_t i = 0; i < children->length; i++) {
        items[properties->length + i] = child_entry(arena, children->items[i]);
        if (!items[properties->length + i]) {
            fail(err, ERR_VMM, "an object in the answer to 'qom-tree-get' has no name or type");
            return NULL;
        }
    }
    *list = (struct json) { .type = JSON_ARRAY, .length = count, .items = items };
    return list;
}

static int put(struct pull *p, struct deep *d, struct open_object at, struct error *err)
{
    const struct json *list = whole_list(d->arena, at.said, err), *children = json_get(at.said, "children");
    if (!list || qom_store_put(p->store, at.object, list, err) < 0)
        return -1;
    uint32_t first, count = qom_store_children(p->store, at.object, &first);
    if (count != children->length)
        return fail(err, ERR_VMM, "an object in the answer to 'qom-tree-get' names children twice");
    for (uint32_t i = 0; i < count; i++) {
        struct open_object child = { first + i, children->items[i] };
        if (!qom_store_is_read(p->store, child.object))
            vector_push(&d->open, child);
    }
    return 0;
}

WAITS int pull_deep(struct pull *p, struct error *err)
{
    owned_call struct monitor_call call = { 0 };
    __attribute__((cleanup(deep_done))) struct deep d = { .arena = arena_new() };
    if (pull_call(p, &call, "qom-tree-get", "{\"path\":\"/\"}", err) < 0)
        return -1;
    struct open_object root = { QOM_ROOT, call.reply.value };
    vector_push(&d.open, root);
    while (d.open.count)
        if (put(p, &d, d.open.items[--d.open.count], err) < 0)
            return -1;
    return 0;
}
