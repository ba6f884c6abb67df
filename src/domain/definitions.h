/* SPDX-License-Identifier: Apache-2.0 */
/* definitions.h - persistent definitions and autostart marks on disk.
 *
 * One file a domain, replaced whole by way of the journal (journal.h), so that a crash leaves the old or the
 * new one.  A file that cannot be read or parsed is reported by name and line and is never written, renamed
 * or removed by us.
 */
#pragma once
#include <stdbool.h>

#include "domain/registry.h"

/* These three do what they say even if the waiting job is cancelled meanwhile, and then report what became of
 * it. */
WAITS int definition_save(const struct registry *registry, const struct domain_def *def, struct error *err);
WAITS int definition_remove(const struct registry *registry, const struct uuid *uuid, struct error *err);
WAITS int autostart_save(const struct registry *registry, const struct uuid *uuid, bool on,
                         struct error *err);

/* At startup, before the loop runs: registers every domain whose file is sound, and logs an error for each
 * other.  The number of damaged files goes to ret_damaged; -1 only if the folder itself cannot be read. */
int definitions_load(struct registry *registry, const struct conf_defaults *defaults, size_t *ret_damaged,
                     struct error *err);
/* Whether autostart is still to be done in this boot; says "no" from then on. */
int autostart_is_due(const struct places *places, bool *ret_due, struct error *err);
