/* SPDX-License-Identifier: Apache-2.0 */
/* qom_search.h - what of a tree fits some patterns (text_matches(): '*' and '?').
 *
 * An object fits by its canonical path and its type.  With a pattern for property or value, it is each of
 * its properties that fits or not: the value by its JSON text, or by what is between a string's quotes.  What
 * cannot be read, or is secret, fits no value.
 */
#pragma once
#include "qemu/qom_store.h"

enum { QOM_PATTERN_MAX = 1024 };

struct qom_search {
    const char *path, *type, *property, *value;
}; /* NULL: anything */

/* `property` is NULL where objects are sought. */
typedef void qom_found(void *arg, uint32_t object, const struct qom_property *property);
void qom_search(const struct qom_store *store, const struct qom_search *search, qom_found *found, void *arg);
