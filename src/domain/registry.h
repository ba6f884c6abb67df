/* SPDX-License-Identifier: Apache-2.0 */
/* registry.h - all domains of this daemon, found by uuid, name or id.
 *
 * Names and uuids are unique.  Ids start at 1, above those of guests that were found running, and are given
 * out once in this daemon's life.  The registry holds one reference to each domain.
 */
#pragma once
#include <stddef.h>

#include "domain/domain.h"
#include "domain/events.h"
#include "domain/journal.h"
#include "domain/places.h"

struct registry *registry_new(struct places *places);   /* takes places */
void registry_free(struct registry *registry);
DEFINE_OWNED(registry)

/* Takes the journal, by which definitions are kept. */
void registry_set_journal(struct registry *registry, struct journal *journal);
struct journal *registry_journal(const struct registry *registry);
const struct places *registry_places(const struct registry *registry);
struct events *registry_events(const struct registry *registry);

/* NULL if there is none. */
struct domain *registry_find(const struct registry *r, const struct uuid *uuid);
struct domain *registry_find_name(const struct registry *r, const char *name);
struct domain *registry_find_id(const struct registry *r, int id);

/* The domain that a definition with this name and uuid may go to: the one that has both, or NULL (code
 * ERR_NONE) if both are free.  If they belong to different ones: NULL and ERR_OPERATION_FAILED with libvirt's
 * sentence. */
struct domain *registry_match(const struct registry *r, const struct uuid *uuid, const char *name,
                              struct error *err);
/* A new one, inactive and not (yet) persistent; its job keeps it (job.h).  Its name and uuid must be free. */
struct domain *registry_add(struct registry *r, struct domain_def *def);
/* One of which no more is known: unmanaged, with an id of its own if `id` is -1. */
struct domain *registry_add_unmanaged(struct registry *r, const struct uuid *uuid, const char *name, int id,
                                      const char *reason);
/* The name must be free. */
void registry_rename(struct domain *dom, const char *name);
/* Out of the maps; who waits for its job fails; the registry's reference is dropped. */
void registry_remove(struct domain *dom);
int registry_next_id(struct registry *r);

size_t registry_count(const struct registry *r);
/* In order of uuid, no reference taken: use it before the next wait.  Release with free(). */
struct domain **registry_list(const struct registry *r, size_t *ret_count);
