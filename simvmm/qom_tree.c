/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/qom_tree.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/map.h"
#include "base/text.h"
#include "json/json.h"
#include "simvmm/qom_order.h"

typedef VECTOR(struct qom_node *) node_list;

struct qom_tree {
    struct arena *arena;
    struct qom_node *root;
    VECTOR(struct qom_node *) nodes;    /* all that were ever made, for freeing */
    struct map *starts; /* name -> node_list: the nodes that have a child or link of that name */
    unsigned ages;
    bool unsettled;                     /* hashed nodes may be out of order */
};

struct qom_tree *qom_tree_new(void)
{
    struct qom_tree *t = NEW(struct qom_tree);
    t->arena = arena_new();
    t->root = qom_node_new(t, NULL, "", "container");
    return t;
}

static void starts_free(struct qom_tree *t)
{
    node_list *list;
    for (size_t at = 0; t->starts && (list = map_next(t->starts, &at)) != NULL;) {
        vector_done(list);
        free(list);
    }
    map_free(t->starts);
    t->starts = NULL;
}

void qom_tree_free(struct qom_tree *t)
{
    if (!t)
        return;
    starts_free(t);
    for (size_t i = 0; i < t->nodes.count; i++) {
        struct qom_node *node = t->nodes.items[i];
        for (size_t p = 0; p < node->properties.count; p++)
            free(node->properties.items[p].own);
        vector_done(&node->properties);
    }
    vector_done(&t->nodes);
    arena_free(t->arena);
    free(t);
}

struct qom_node *qom_root(const struct qom_tree *t)
{
    return t->root;
}

void qom_changed(struct qom_tree *t)
{
    starts_free(t);
    t->unsettled = true;
}

/* ---- making ---- */

struct qom_node *qom_node_new(struct qom_tree *t, struct qom_node *parent, const char *name, const char *type)
{
    struct qom_node *node = ARENA_NEW(t->arena, struct qom_node);
    node->name = arena_copy(t->arena, name);
    node->type = arena_copy(t->arena, type);
    node->parent = parent;
    vector_push(&t->nodes, node);
    qom_changed(t);
    return node;
}

void qom_add(struct qom_tree *t, struct qom_node *node, const struct qom_property *property)
{
    vector_push(&node->properties, *property);
    node->properties.items[node->properties.count - 1].age = ++t->ages;
    qom_changed(t);
}

struct qom_node *qom_node_add(struct qom_tree *t, struct qom_node *parent, const char *name, const char *type)
{
    struct qom_node *node = qom_node_new(t, parent, name, type);
    struct qom_property *there = qom_property_find(parent, name);
    if (there) {
        there->node = node;
        return node;
    }
    qom_add(t, parent, &(struct qom_property) { .name = node->name, .kind = QOM_CHILD, .node = node,
                                                .type = arena_printf(t->arena, "child<%s>", type) });
    return node;
}

static bool is_below(const struct qom_node *node, const struct qom_node *top)
{
    while (node && node != top)
        node = node->parent;
    return node != NULL;
}

void qom_node_remove(struct qom_tree *t, struct qom_node *node)
{
    for (size_t i = 0; i < t->nodes.count; i++) {
        struct qom_node *other = t->nodes.items[i];
        bool goes = is_below(other, node);
        for (size_t p = 0; p < other->properties.count && !goes; p++) {
            struct qom_property *property = &other->properties.items[p];
            if (!property->node || !is_below(property->node, node))
                continue;
            if (property->kind == QOM_CHILD || text_starts(property->name, "child[")) {
                free(property->own);
                vector_remove(&other->properties, p);
                p--;
            } else {
                property->node = NULL;
            }
        }
    }
    node->parent = NULL;
    qom_changed(t);
}

void qom_child_is_new(struct qom_tree *t, struct qom_node *child)
{
    struct qom_property *p = qom_property_find(child->parent, child->name);
    if (p)
        p->age = ++t->ages;
    qom_changed(t);
}

static void settle(struct qom_tree *t)
{
    for (size_t i = 0; t->unsettled && i < t->nodes.count; i++)
        if (t->nodes.items[i]->hashed)
            qom_order(t->nodes.items[i]);
    t->unsettled = false;
}

/* ---- properties ---- */

struct qom_property *qom_property_find(const struct qom_node *node, const char *name)
{
    for (size_t i = 0; i < node->properties.count; i++)
        if (node->properties.items[i].name == name || strcmp(node->properties.items[i].name, name) == 0)
            return &node->properties.items[i];
    return NULL;
}

void qom_property_remove(struct qom_tree *t, struct qom_node *node, const char *name)
{
    struct qom_property *p = qom_property_find(node, name);
    if (!p)
        return;
    free(p->own);
    vector_remove(&node->properties, (size_t) (p - node->properties.items));
    qom_changed(t);
}

void qom_set(struct qom_node *node, const char *name, const char *json)
{
    struct qom_property *p = qom_property_find(node, name);
    if (!p || p->kind != QOM_VALUE)
        return;
    char *copy = memory_copy_text(json);
    free(p->own);
    p->value = p->own = copy;
}

void qom_set_text(struct qom_node *node, const char *name, const char *text)
{
    owned_buffer struct buffer b = { 0 };
    struct json_writer w = { .out = &b, .spaced = true, .ascii = true };
    json_string(&w, text);
    qom_set(node, name, buffer_text(&b));
}

void qom_set_number(struct qom_node *node, const char *name, unsigned long long number)
{
    owned_memory char *text = memory_printf("%llu", number);
    qom_set(node, name, text);
}

void qom_set_bool(struct qom_node *node, const char *name, bool value)
{
    qom_set(node, name, value ? "true" : "false");
}

void qom_link(struct qom_tree *t, struct qom_node *node, const char *name, struct qom_node *target)
{
    struct qom_property *p = qom_property_find(node, name);
    if (!p || p->kind == QOM_CHILD)
        return;
    p->kind = QOM_LINK;
    p->node = target;
    qom_changed(t);
}

/* A broken-down time of the guest's clock, which runs on ours. */
static void print_clock(struct buffer *out)
{
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    buffer_printf(
        out,
        "{\"tm_year\": %d, \"tm_sec\": %d, \"tm_hour\": %d, \"tm_min\": %d, \"tm_mon\": %d, \"tm_mday\": %d}",
        tm.tm_year, tm.tm_sec, tm.tm_hour, tm.tm_min, tm.tm_mon, tm.tm_mday);
}

bool qom_print_value(const struct qom_property *property, struct buffer *out)
{
    switch (property->kind) {
    case QOM_VALUE:
        if (!property->value)
            return false;
        buffer_add_text(out, property->value);
        return true;
    case QOM_CLOCK:
        print_clock(out);
        return true;
    case QOM_CHILD:
    case QOM_LINK:
        buffer_add_char(out, '"');
        if (property->node)
            qom_path(property->node, out);
        buffer_add_char(out, '"');
        return true;
    }
    return false;
}

/* ---- paths ---- */

/* Names hold no character that JSON would escape but the backslash (fw_cfg writes a slash as \x2f). */
void qom_path(const struct qom_node *node, struct buffer *out)
{
    if (!node->parent) {
        buffer_add_char(out, '/');
        return;
    }
    if (node->parent->parent)
        qom_path(node->parent, out);
    buffer_add_char(out, '/');
    for (const char *at = node->name; *at;) {
        size_t plain = strcspn(at, "\\");
        buffer_add(out, at, plain);
        at += plain;
        if (*at) {
            buffer_add(out, "\\\\", 2);
            at++;
        }
    }
}

const char *qom_type_text(const struct qom_node *node)
{
    return node->type;
}

struct qom_node *qom_child(const struct qom_node *node, const char *name)
{
    const struct qom_property *p = qom_property_find(node, name);
    return p && p->kind == QOM_CHILD ? p->node : NULL;
}

/* Follows the path's components from `node` through children (and links); empty components are skipped. */
static struct qom_node *descend(struct qom_node *node, const char *path, bool links)
{
    while (node) {
        path += strspn(path, "/");
        if (!*path)
            return node;
        size_t length = strcspn(path, "/");
        struct qom_node *next = NULL;
        for (size_t i = 0; i < node->properties.count && !next; i++) {
            const struct qom_property *p = &node->properties.items[i];
            if ((p->kind == QOM_CHILD || (links && p->kind == QOM_LINK)) && p->node
                && strncmp(p->name, path, length) == 0 && !p->name[length])
                next = p->node;
        }
        node = next;
        path += length;
    }
    return NULL;
}

struct qom_node *qom_at(const struct qom_tree *t, const char *path)
{
    return descend(t->root, path, false);
}

void qom_walk(struct qom_node *from, void (*visit)(struct qom_node *node, void *arg), void *arg)
{
    visit(from, arg);
    for (size_t i = 0; i < from->properties.count; i++)
        if (from->properties.items[i].kind == QOM_CHILD && from->properties.items[i].node)
            qom_walk(from->properties.items[i].node, visit, arg);
}

static void index_node(struct qom_node *node, void *arg)
{
    struct qom_tree *t = arg;
    for (size_t i = 0; i < node->properties.count; i++) {
        const struct qom_property *p = &node->properties.items[i];
        if ((p->kind != QOM_CHILD && p->kind != QOM_LINK) || !p->node)
            continue;
        node_list *list = map_find_text(t->starts, p->name);
        if (!list) {
            list = memory_new(sizeof *list);
            map_set_text(t->starts, p->name, list);
        }
        vector_push(list, node);
    }
}

/* QEMU tries a partial path from every node; only those can resolve it that have its first component. */
static struct qom_node *resolve_partial(struct qom_tree *t, const char *path, bool *ret_ambiguous)
{
    if (!t->starts) {
        t->starts = map_new();
        qom_walk(t->root, index_node, t);
    }
    const node_list *list = map_find(t->starts, path, strcspn(path, "/"));
    struct qom_node *found = NULL;
    for (size_t i = 0; list && i < list->count; i++) {
        struct qom_node *node = descend(list->items[i], path, true);
        if (!node)
            continue;
        if (found) {
            *ret_ambiguous = true;
            return NULL;
        }
        found = node;
    }
    return found;
}

struct qom_node *qom_resolve(struct qom_tree *t, const char *path, bool *ret_ambiguous)
{
    settle(t);
    *ret_ambiguous = !*path;            /* the empty path is resolved by every node */
    if (!*path)
        return NULL;
    return *path == '/' ? descend(t->root, path, true) : resolve_partial(t, path, ret_ambiguous);
}
