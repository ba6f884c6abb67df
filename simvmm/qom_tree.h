/* SPDX-License-Identifier: Apache-2.0 */
/* qom_tree.h - the VMM's objects: nodes, their properties in order, and paths as QEMU resolves them.
 *
 * A link holds the node that it leads to, not its path, so nodes may be renumbered before the tree is
 * shown. All other values are JSON text exactly as QEMU prints it. Properties are in QEMU's order; where
 * they come and go (nodes marked hashed), that order is found anew before the next look-up. Names and
 * types are interned in the data's words or live as long as the tree.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/vector.h"

enum qom_kind { QOM_VALUE, QOM_CHILD, QOM_LINK, QOM_CLOCK };

struct qom_property {
    const char *name, *type;
    enum qom_kind kind;
    const char *value;                  /* QOM_VALUE: JSON; NULL if it cannot be read */
    char *own;                          /* `value`, if it was set later and has to be freed */
    struct qom_node *node;              /* QOM_CHILD, QOM_LINK; NULL for a link that leads nowhere */
    unsigned age;                       /* when it was added */
};

struct qom_node {
    const char *name, *type;
    struct qom_node *parent;
    VECTOR(struct qom_property) properties;
    unsigned next_child;                /* of a bus: the number that the next device on it gets */
    size_t hashed; /* from there on its properties are listed as QEMU's hash table has them; 0: none */
    struct device *device; /* what device.c knows of it; NULL if it is none of the command line's */
};

struct qom_tree;

struct qom_tree *qom_tree_new(void);
void qom_tree_free(struct qom_tree *t);
DEFINE_OWNED(qom_tree)

struct qom_node *qom_root(const struct qom_tree *t);
/* A node without properties (not even "type"); the parent gets no property either. */
struct qom_node *qom_node_new(struct qom_tree *t, struct qom_node *parent, const char *name,
                              const char *type);
/* Takes it and all below it out of the tree, and every link to them. */
void qom_node_remove(struct qom_tree *t, struct qom_node *node);
void qom_add(struct qom_tree *t, struct qom_node *node, const struct qom_property *property);
/* For nodes beside those harvested with their parent: adds the child property, too. */
struct qom_node *qom_node_add(struct qom_tree *t, struct qom_node *parent, const char *name,
                              const char *type);
void qom_property_remove(struct qom_tree *t, struct qom_node *node, const char *name);
struct qom_property *qom_property_find(const struct qom_node *node, const char *name);
/* The value is copied; a link's value is given by qom_link(). */
void qom_set(struct qom_node *node, const char *name, const char *json);
void qom_set_text(struct qom_node *node, const char *name, const char *text);
void qom_set_number(struct qom_node *node, const char *name, unsigned long long number);
void qom_set_bool(struct qom_node *node, const char *name, bool value);
void qom_link(struct qom_tree *t, struct qom_node *node, const char *name, struct qom_node *target);
/* As if the child had been added only now. */
void qom_child_is_new(struct qom_tree *t, struct qom_node *child);
void qom_changed(struct qom_tree *t);   /* after names, children or links changed by hand */

struct qom_node *qom_child(const struct qom_node *node, const char *name); /* through children only; NULL */
struct qom_node *qom_at(const struct qom_tree *t, const char *path); /* absolute, through children; NULL */
void qom_path(const struct qom_node *node, struct buffer *out);
const char *qom_type_text(const struct qom_node *node);

/* As QEMU does: an absolute path from the root, else a partial one that exactly one node must resolve.
 * NULL if there is none or more than one (*ret_ambiguous). */
struct qom_node *qom_resolve(struct qom_tree *t, const char *path, bool *ret_ambiguous);

/* All nodes, parents first. */
void qom_walk(struct qom_node *from, void (*visit)(struct qom_node *node, void *arg), void *arg);
/* JSON of a value as QEMU prints it; false if it cannot be read. */
bool qom_print_value(const struct qom_property *property, struct buffer *out);
