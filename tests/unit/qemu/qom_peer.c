/* SPDX-License-Identifier: Apache-2.0 */
#include "qom_peer.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "qemu/qom_store.h"

void peer_add(struct peer_tree *tree, const char *line)
{
    error_scope(err);
    const struct json *node = json_parse(line, strlen(line), tree->arena, &err);
    cr_assert_not_null(node, "%s", error_text(&err));
    if (tree->count == tree->capacity) {
        tree->capacity = tree->capacity ? 2 * tree->capacity : 64;
        tree->nodes = memory_resize(tree->nodes, tree->capacity * sizeof *tree->nodes);
    }
    struct peer_node *added = tree->nodes[tree->count++] = NEW(struct peer_node);
    added->path = json_get_text(node, "path");
    added->type = json_get_text(node, "type");
    added->props = json_get(node, "props");
    map_set_text(tree->by_path, added->path, added);
}

bool peer_load(struct peer_tree *tree, const char *path)
{
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    *tree = (struct peer_tree) { .arena = arena_new(), .by_path = map_new() };
    if (file_read(path, 4 << 20, &text, &err) < 0)
        return false;
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n")) {
        size_t length = strlen(line);
        if (length && line[length - 1] == ',')
            line[length - 1] = 0;
        if (text_starts(line, "{\"path\""))
            peer_add(tree, line);
    }
    return tree->count > 0;
}

void peer_done(struct peer_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        free(tree->nodes[i]);
    arena_free(tree->arena);
    map_free(tree->by_path);
    free(tree->nodes);
    *tree = (struct peer_tree) { 0 };
}

void peer_remove(struct peer_tree *tree, const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < tree->count; i++)
        if (text_starts(tree->nodes[i]->path, path) && strchr("/", tree->nodes[i]->path[length]))
            tree->nodes[i]->gone = true;
}

struct peer_node *peer_node(const struct peer_tree *tree, const char *path)
{
    struct peer_node *node = path ? map_find_text(tree->by_path, path) : NULL;
    return node && !node->gone ? node : NULL;
}

/* --- the object's properties: those of the file, and the children that were added ------------- */

static bool is_parent(const struct peer_node *parent, const struct peer_node *child)
{
    size_t length = strcmp(parent->path, "/") == 0 ? 0 : strlen(parent->path);
    return child != parent && strncmp(child->path, parent->path, length) == 0 && child->path[length] == '/' &&
           child->path[length + 1] && !strchr(child->path + length + 1, '/');
}

static const char *name_of(const struct peer_node *node)
{
    return strrchr(node->path, '/') + 1;
}

static bool lists(const struct peer_node *node, const char *name)
{
    for (size_t i = 0; i < node->props->length; i++)
        if (strcmp(json_text(json_at(node->props->items[i], 0)), name) == 0)
            return true;
    return false;
}

static void write_entry(struct json_writer *w, const char *name, const char *type, const char *text,
                        const struct json *value)
{
    json_open(w, '{');
    json_key(w, "name"), json_string(w, name);
    if (text)
        json_key(w, "value"), json_string(w, text);
    else if (value)
        json_key(w, "value"), json_value(w, value);
    json_key(w, "type"), json_string(w, type);
    json_close(w, '}');
}

static void write_child(const struct peer_node *child, bool values, struct json_writer *w)
{
    owned_memory char *type = memory_printf("child<%s>", child->type);
    write_entry(w, name_of(child), type, values ? child->path : NULL, NULL);
}

static struct peer_node *find_child(const struct peer_tree *tree, const struct peer_node *node,
                                    const char *name)
{
    owned_memory char *path = memory_printf("%s/%s", node->path[1] ? node->path : "", name);
    return peer_node(tree, path);
}

static void write_property(const struct peer_tree *tree, const struct json *prop, bool values,
                           struct json_writer *w)
{
    const char *name = json_text(json_at(prop, 0)), *type = json_text(json_at(prop, 1));
    const struct json *value = values ? json_at(prop, 2) : NULL;
    bool unset = value && text_starts(type, "link<") && !peer_node(tree, json_text(value));
    write_entry(w, name, type, unset ? "" : NULL, value);
}

static void list(const struct peer_tree *tree, const struct peer_node *node, bool values, bool children,
                 struct json_writer *w)
{
    json_open(w, '[');
    for (size_t i = 0; i < node->props->length; i++) {
        const struct json *prop = node->props->items[i];
        if (!text_starts(json_text(json_at(prop, 1)), "child<")) {
            write_property(tree, prop, values, w);
        } else if (children) {
            const struct peer_node *child = find_child(tree, node, json_text(json_at(prop, 0)));
            if (child)
                write_child(child, values, w);
        }
    }
    for (size_t i = 0; children && i < tree->count; i++)
        if (!tree->nodes[i]->gone && is_parent(node, tree->nodes[i]) && !lists(node, name_of(tree->nodes[i])))
            write_child(tree->nodes[i], values, w);
    json_close(w, ']');
}

void peer_list(const struct peer_tree *tree, const struct peer_node *node, bool values, struct json_writer *w)
{
    list(tree, node, values, true, w);
}

void peer_list_deep(const struct peer_tree *tree, const struct peer_node *node, struct json_writer *w)
{
    json_open(w, '{');
    json_key(w, "name"), json_string(w, node->path[1] ? name_of(node) : "/");
    json_key(w, "children"), json_open(w, '[');
    for (size_t i = 0; i < tree->count; i++)
        if (!tree->nodes[i]->gone && is_parent(node, tree->nodes[i]))
            peer_list_deep(tree, tree->nodes[i], w);
    json_close(w, ']');
    json_key(w, "properties");
    list(tree, node, true, false, w);
    json_close(w, '}');
}

/* --- paths ------------------------------------------------------------------------------------ */

/* One component: a child, or where a set link points. */
static struct peer_node *take_step(const struct peer_tree *tree, const struct peer_node *node,
                                   const char *part)
{
    struct peer_node *child = find_child(tree, node, part);
    if (child)
        return child;
    for (size_t i = 0; i < node->props->length; i++) {
        const struct json *prop = node->props->items[i];
        if (strcmp(json_text(json_at(prop, 0)), part) == 0 &&
            text_starts(json_text(json_at(prop, 1)), "link<"))
            return peer_node(tree, json_text(json_at(prop, 2)));
    }
    return NULL;
}

static struct peer_node *walk(const struct peer_tree *tree, struct peer_node *node, const char *path)
{
    owned_memory char *parts = memory_copy_text(path);
    char *rest = NULL;
    for (char *part = strtok_r(parts, "/", &rest); part && node; part = strtok_r(NULL, "/", &rest))
        node = take_step(tree, node, part);
    return node;
}

struct peer_node *peer_resolve(const struct peer_tree *tree, const char *path, bool *ret_ambiguous)
{
    *ret_ambiguous = false;
    if (path[0] == '/')
        return walk(tree, peer_node(tree, "/"), path);
    struct peer_node *found = NULL;
    for (size_t i = 0; i < tree->count; i++) {
        struct peer_node *node = tree->nodes[i]->gone ? NULL : walk(tree, tree->nodes[i], path);
        if (node && found) {
            *ret_ambiguous = true;
            return NULL;
        }
        found = node ? node : found;
    }
    return found;
}

struct qom_store *peer_walk(const struct peer_tree *tree)
{
    struct qom_store *store = qom_store_new();
    for (uint32_t object = 0; object < qom_store_count(store); object++) {
        owned_buffer struct buffer path = { 0 }, text = { 0 };
        owned(arena) struct arena *arena = arena_new();
        error_scope(err);
        if (qom_store_is_read(store, object))
            continue;
        qom_store_add_path(store, object, &path);
        const struct peer_node *node = peer_node(tree, path.data);
        cr_assert_not_null(node, "%s is listed, but there is no such object", path.data);
        struct json_writer w = { .out = &text };
        peer_list(tree, node, true, &w);
        cr_assert_eq(qom_store_put(store, object, json_parse(text.data, text.length, arena, &err), &err), 0,
                     "%s", error_text(&err));
    }
    qom_store_seal(store);
    return store;
}
