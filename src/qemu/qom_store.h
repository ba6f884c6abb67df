/* SPDX-License-Identifier: Apache-2.0 */
/* qom_store.h - a VMM's object tree, kept: every object, every property, every value as JSON text.
 *
 * Objects are numbers; 0 is the root, and the children of one object follow each other in the order the VMM
 * gave.  child<> entries are only children; all other properties keep their order.  Names, types and values
 * are interned, so a property takes 12 bytes and its share of the texts.  Texts are valid until the next put
 * and the end of the store.
 *
 * Three values differ: none (value is NULL: the VMM could not read it), null ("null") and the empty string
 * ("\"\"").  A secret's data is not even stored: such a property has no value and says `secret`.
 *
 * Whatever the VMM sizes is bounded: objects, depth, properties, texts.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/own.h"
#include "json/json.h"

enum { QOM_ROOT = 0, QOM_OBJECTS_MAX = 200000, QOM_PROPERTIES_MAX = 4000000, QOM_DEPTH_MAX = 64 };
enum { QOM_NAME_MAX = 4096, QOM_TEXTS_MAX = 256 << 20 };
#define QOM_NONE UINT32_MAX             /* no such object */

struct qom_store;

struct qom_property {
    const char *name, *type;
    const char *value;                  /* JSON text; NULL: unreadable, or secret */
    bool secret;
};

/* --- making: put every object's properties once, parents before children, then seal ----------- */

struct qom_store *qom_store_new(void);                  /* with a root that is not read yet */
void qom_store_free(struct qom_store *s);
DEFINE_OWNED(qom_store)

/* What a bulk command says of the object: [{name, type, value?}].  Its children come into being, unread, but
 * for those whose content their type tells (irq: nothing but "type"), which are filled in. */
int qom_store_put(struct qom_store *s, uint32_t object, const struct json *properties, struct error *err);
/* The same in pieces, for who reads a stream: open, add each entry, close.  `value` is JSON as json.h
 * writes it, or NULL; of a child<> it is not looked at.  After a failure the store is only good for being
 * freed. */
int qom_store_open(struct qom_store *s, uint32_t object, struct error *err);
int qom_store_add(struct qom_store *s, const char *name, const char *type, const char *value,
                  struct error *err);
int qom_store_close(struct qom_store *s, struct error *err);
bool qom_store_is_read(const struct qom_store *s, uint32_t object);
bool qom_store_is_leaf(const struct qom_store *s, uint32_t object);             /* filled in from its type */
void qom_store_seal(struct qom_store *s);               /* gives back what only making needs */

/* --- looking ---------------------------------------------------------------------------------- */

uint32_t qom_store_count(const struct qom_store *s);    /* objects */
size_t qom_store_properties(const struct qom_store *s); /* as qom-list counts them, child<> included */
size_t qom_store_size(const struct qom_store *s);       /* bytes of memory */

uint32_t qom_store_parent(const struct qom_store *s, uint32_t object);          /* QOM_NONE for the root */
const char *qom_store_name(const struct qom_store *s, uint32_t object);         /* "/" for the root */
const char *qom_store_type(const struct qom_store *s, uint32_t object);
/* Their number; they are *ret_first and those that follow it. */
uint32_t qom_store_children(const struct qom_store *s, uint32_t object, uint32_t *ret_first);
/* QOM_NONE if there is none of that name. */
uint32_t qom_store_child(const struct qom_store *s, uint32_t object, const char *name);
uint32_t qom_store_child_named(const struct qom_store *s, uint32_t object, const char *name, size_t length);
/* The next object of the tree from `top` down, a parent before its children; QOM_NONE after the last. */
uint32_t qom_store_next(const struct qom_store *s, uint32_t top, uint32_t object);
/* Appends the canonical path. */
void qom_store_add_path(const struct qom_store *s, uint32_t object, struct buffer *out);

size_t qom_store_property_count(const struct qom_store *s, uint32_t object);    /* without child<> */
struct qom_property qom_store_property(const struct qom_store *s, uint32_t object, size_t index);
bool qom_store_find_property(const struct qom_store *s, uint32_t object, const char *name,
                             struct qom_property *ret_property);

/* The object behind one path component, as the VMM resolves it: a child, or what a set link points to. */
uint32_t qom_store_step(const struct qom_store *s, uint32_t object, const char *name, size_t length);
uint32_t qom_store_follow(const struct qom_store *s, const struct qom_property *link);
/* The same for many components, from there. */
uint32_t qom_store_walk(const struct qom_store *s, uint32_t object, const char *path);
/* As the VMM resolves a path: from the root if it starts with "/", else from every object; QOM_NONE with
 * *ret_ambiguous set if more than one of them leads somewhere. */
uint32_t qom_store_find(const struct qom_store *s, const char *path, bool *ret_ambiguous);

/* May the property of the object at `path` (resolved as above) not be shown?  For values that come from the
 * VMM past the store; what cannot be resolved counts as secret if a secret has such a property. */
bool qom_store_hides(const struct qom_store *s, const char *path, const char *property);
bool qom_type_hides(const char *object_type, const char *property);

/* One object as {"path","type","properties":[{"name","type","value"?,"secret"?}]}; children are properties of
 * type child<T> whose value is their path, as the VMM lists them. */
void qom_store_write(const struct qom_store *s, uint32_t object, struct json_writer *w);
