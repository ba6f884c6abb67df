/* SPDX-License-Identifier: Apache-2.0 */
/* qom_sketch.h - the shape of an object tree, or of a part of one: names, and where links lead.
 *
 * Object 0 is the top.  A parent stands before its children.  Links lead to a path as text, which need not
 * exist in the same sketch.  Objects that consist of their type alone are leaves.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vector.h"
#include "qemu/qom_store.h"

struct qom_sketch_object {
    uint32_t parent;                    /* its own index: a top */
    const char *name;
    bool leaf, cpu;                     /* cpu: one of the machine's processors */
    uint32_t properties;                /* how many it has, children not counted */
};

struct qom_sketch_link { uint32_t object; const char *name, *target; };

struct qom_sketch {
    struct arena *arena;                /* of all texts */
    VECTOR(struct qom_sketch_object) objects;
    VECTOR(struct qom_sketch_link) links;
    struct map *by_name;                /* private: "parent/name" to index + 1 */
};

struct qom_sketch *qom_sketch_new(void);                /* with nothing in it */
void qom_sketch_free(struct qom_sketch *sketch);
DEFINE_OWNED(qom_sketch)

/* Texts are copied.  The first object is the top, whatever its parent. */
uint32_t qom_sketch_add(struct qom_sketch *sketch, uint32_t parent, const char *name, bool leaf,
                        uint32_t properties);
void qom_sketch_link(struct qom_sketch *sketch, uint32_t object, const char *name, const char *target);

/* QOM_NONE if there is none. */
uint32_t qom_sketch_child(const struct qom_sketch *sketch, uint32_t parent, const char *name);
uint32_t qom_sketch_find(const struct qom_sketch *sketch, const char *path);    /* from the top */
void qom_sketch_add_path(const struct qom_sketch *sketch, uint32_t object, struct buffer *out);
bool qom_sketch_equal(const struct qom_sketch *a, const struct qom_sketch *b);

/* A tree of that shape, sealed; types and values are made up, links that lead nowhere lead to the root, and
 * *ret_properties (free it) says how many properties each object has.  NULL if the shape breaks the store's
 * bounds. */
struct qom_store *qom_sketch_store(const struct qom_sketch *sketch, uint32_t **ret_properties,
                                   struct error *err);
