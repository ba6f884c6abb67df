/* SPDX-License-Identifier: Apache-2.0 */
/* power.h - the buttons of a running machine, and its keyboard.
 *
 * All under the domain's CHANGE job.  What the guest makes of a button is its own affair: a shutdown or
 * reboot has only been asked for when these return, and what comes of it is told by events.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "loop/fiber.h"

struct domain;

WAITS int domain_shutdown(struct domain *dom, struct error *err);
/* A shutdown that ends in a reset, unless the definition says that a reboot ends the domain: QEMU has no
 * reboot button. */
WAITS int domain_reboot(struct domain *dom, struct error *err);
WAITS int domain_reset(struct domain *dom, struct error *err);
WAITS int domain_wakeup(struct domain *dom, struct error *err);
WAITS int domain_inject_nmi(struct domain *dom, struct error *err);

enum { KEYS_MAX = 16 };
/* Presses them together, in QEMU's numbers, for so many milliseconds (0: QEMU's own choice). */
WAITS int domain_send_keys(struct domain *dom, const unsigned *keys, size_t count, unsigned milliseconds,
                           struct error *err);
/* QEMU's number for a key of Linux's (KEY_...); 0: it has none. */
unsigned key_from_linux(unsigned code);

/* How much memory the guest is to have; it may never get there. */
WAITS int domain_set_balloon(struct domain *dom, uint64_t kib, struct error *err);
/* How often the guest tells of its memory, in seconds; 0: never. */
WAITS int domain_set_memory_period(struct domain *dom, unsigned seconds, struct error *err);
