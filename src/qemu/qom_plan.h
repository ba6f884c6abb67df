/* SPDX-License-Identifier: Apache-2.0 */
/* qom_plan.h - what an earlier pull learnt about a tree's shape, so that the next one takes a single request.
 *
 * The VMM reads requests byte by byte, so a pull costs what its request weighs.  A plan names each object
 * whose content its parent does not already tell by the shortest path that the VMM resolves to it alone,
 * links included.  Objects stand in an order in which each one's path leads only through objects before it:
 * so a reader can prove, entry by entry, that the reply is about the object that was meant.  A plan that is
 * out of date costs calls, never truth.
 *
 * On disk: FOLDER/HASH.json, one file a key; a damaged, oversized or foreign file is no plan, and says why.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "qemu/qom_store.h"

struct qom_plan_object {
    uint32_t parent;                    /* index in the plan; the root is object 0 and its own parent */
    uint32_t start;                     /* index of the one from which `request` leads here, if not "/..." */
    const char *name;                   /* below the parent */
    const char *request;                /* the path to ask with */
    uint32_t properties;                /* about how many there will be in the answer */
};

struct qom_plan;
void qom_plan_free(struct qom_plan *plan);
DEFINE_OWNED(qom_plan)

/* The key of a guest's shape: the emulator's key (caps.h), and of its arguments the machine, accelerator,
 * CPUs, and in order each option's name, driver, id, bus and address, without file names.  Free it. */
char *qom_plan_key(const char *emulator_key, const char *const *argv);

/* Learns from a tree with all its objects and links.  `properties` says how many each object has, where
 * the tree is a drawn one; else NULL.  For a path that does not begin at the root the VMM looks at all of
 * them, so that on a large machine long paths are cheaper. */
struct qom_plan *qom_plan_make(const struct qom_store *store, const char *key, const uint32_t *properties);
/* From a tree whose links are not known, and may have the name of any object: so each path has two
 * components. */
struct qom_plan *qom_plan_guess(const struct qom_store *store, const uint32_t *properties);
size_t qom_plan_count(const struct qom_plan *plan);
const struct qom_plan_object *qom_plan_object(const struct qom_plan *plan, size_t index);
/* Appends the canonical path. */
void qom_plan_path(const struct qom_plan *plan, uint32_t object, struct buffer *out);
bool qom_plan_equal(const struct qom_plan *a, const struct qom_plan *b);        /* accepts NULL */

/* These block (await_work).  Loading: NULL, with ERR_NONE if there is no file, or with what is wrong with it.
 * Saving keeps at most 500 files. */
struct qom_plan *qom_plan_load(const char *folder, const char *key, struct error *err);
int qom_plan_save(const struct qom_plan *plan, const char *folder, struct error *err);
