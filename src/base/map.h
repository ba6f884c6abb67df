/* SPDX-License-Identifier: Apache-2.0 */
/* map.h - a hash table from byte strings to pointers.
 *
 * The map copies its keys and owns nothing else.  Keys may hold any bytes (a uuid, a name, a number).
 * Iteration is in no order, and may remove the entry it stands on.
 */
#pragma once
#include <stddef.h>

#include "base/own.h"

struct map;

struct map *map_new(void);
void map_free(struct map *m);
DEFINE_OWNED(map)

void *map_find(const struct map *m, const void *key, size_t length);    /* NULL if absent */
void map_set(struct map *m, const void *key, size_t length, void *value);   /* replaces; value not NULL */
void *map_remove(struct map *m, const void *key, size_t length);        /* what was there, or NULL */
size_t map_count(const struct map *m);

void *map_find_text(const struct map *m, const char *key);
void map_set_text(struct map *m, const char *key, void *value);
void *map_remove_text(struct map *m, const char *key);

/* for (size_t at = 0; (value = map_next(m, &at)) != NULL; ) */
void *map_next(const struct map *m, size_t *at);
