/* SPDX-License-Identifier: Apache-2.0 */
/* qom_peer.h - for tests: a tree as a VMM holds it, and how a VMM lists it and resolves paths.
 *
 * Written from the protocol's description alone and sharing no code with what is tested, so that it is a
 * second opinion.  The tree is read from a file with one object a line:
 * {"path", "type", "props": [[name, type, value?]...]}.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "json/json.h"

struct peer_node {
    const char *path, *type;
    const struct json *props;           /* as in the file; child<> entries have no value */
    bool gone;
};

struct peer_tree {
    struct arena *arena;
    struct peer_node **nodes;
    struct map *by_path;
    size_t count, capacity;
};

bool peer_load(struct peer_tree *tree, const char *path);       /* false if there is no such file */
void peer_done(struct peer_tree *tree);

/* Hot plug: `line` as in the file.  The parent lists the new object from now on. */
void peer_add(struct peer_tree *tree, const char *line);
void peer_remove(struct peer_tree *tree, const char *path);     /* with all below it; links to it are unset */

struct peer_node *peer_node(const struct peer_tree *tree, const char *path); /* by canonical path, or NULL */
struct peer_node *peer_resolve(const struct peer_tree *tree, const char *path, bool *ret_ambiguous);
/* [{"name","value"?,"type"}], as qom-list-get gives for one object; without values as qom-list does. */
void peer_list(const struct peer_tree *tree, const struct peer_node *node, bool values,
               struct json_writer *w);
/* {"name","children","properties"}, as qom-tree-get gives. */
void peer_list_deep(const struct peer_tree *tree, const struct peer_node *node, struct json_writer *w);

struct qom_store;
/* The reference: every object listed by its absolute path, from the root down. */
struct qom_store *peer_walk(const struct peer_tree *tree);
