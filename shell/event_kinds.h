/* SPDX-License-Identifier: Apache-2.0 */
/* event_kinds.h - what each kind of event says, in one form for all.
 *
 * A new kind is a row and a function in event_kinds.c.
 */
#pragma once
#include "rpc/client.h"

/* What a kind has not is NULL. */
struct happening {
    const char *kind;
    const remote_nonnull_domain *dom;
    const char *disk, *event, *detail;
};

/* Stands first in whatever it tells. */
struct teller { void (*tell)(struct teller *teller, const struct happening *happening); };

/* For client_on_events(); the argument is a struct teller. */
extern const struct client_events event_handlers;

enum { EVENT_KINDS_MAX = 32 };

/* virsh's words and libvirt's numbers. */
extern const struct event_kind { const char *name; int number; } event_kinds[];
extern const size_t event_kinds_count;
