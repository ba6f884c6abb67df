/* SPDX-License-Identifier: Apache-2.0 */
/* foundling.h - a guest that runs although no status file speaks of it, because somebody removed that.
 *
 * Its monitor's socket says that it is there, and the command line of the process that listens there whose it
 * is.  Its domain is active from then on, so that no second guest is started on the same disks.  It is taken
 * over if its definition, prepared for a start, gives the very command line that runs; else it is left alone,
 * with the reason.  What was plugged in since its start is not known.
 */
#pragma once
#include "domain/registry.h"
#include "loop/fiber.h"

/* At startup, after statuses_load(): makes the domains of such guests active and unmanaged. */
void foundlings_find(struct registry *registry);
/* Whether it is one that may yet be taken over. */
bool foundling_is(const struct domain *dom);
/* As the domain's job.  Fails with the reason why it is left alone. */
WAITS int foundling_adopt(struct domain *dom, struct error *err);
