/* SPDX-License-Identifier: Apache-2.0 */
/* objects_match.h - which object of one tree is which of another, and what differs between the two.
 *
 * Objects are told apart by what they are: one with a name of its own by that name and its type; one that
 * is only numbered, as device[7], by its type and by what its identity properties say (address, bus, ...),
 * then by its order.  Links are equal if they lead to the same object, whatever its number.  What changes by
 * itself is masked, by a table that says why.  What follows from an object that came or went (all below it,
 * links to it) is not told again.
 */
#pragma once
#include <stdbool.h>

#include "shell/objects.h"

enum change_kind { OBJECT_REMOVED, OBJECT_ADDED, PROPERTY_REMOVED, PROPERTY_ADDED, PROPERTY_CHANGED };

struct change {
    enum change_kind kind;
    uint32_t object; /* in b where something was added or changed, else in a */
    const struct object_property *old, *new;
    unsigned below; /* objects below one that came or went */
};

struct changes {
    VECTOR(struct change) list;
    size_t masked; /* properties that differ and were left out */
};

/* `all`: nothing is masked. */
void objects_compare(const struct objects *a, const struct objects *b, bool all, struct changes *ret_changes);
void changes_done(struct changes *changes);

/* Why a property is masked ("": the object itself, when it came or went); NULL if it is not. */
const char *objects_mask(const struct object *object, const char *property);
