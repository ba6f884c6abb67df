/* SPDX-License-Identifier: Apache-2.0 */
/* startup_policy.h - disks that may be missing when their guest starts.
 *
 * <source startupPolicy='optional'> says so.  A drive for media is then empty for this run, and a disk is
 * left out; the definition keeps them for the next start.  'requisite' differs from 'mandatory' only for
 * guests that are restored or come from elsewhere.
 */
#pragma once
#include "base/error.h"
#include "conf/domain_def.h"
#include "loop/fiber.h"

struct domain;

/* On a copy that nobody else sees yet. */
WAITS int startup_policy_apply(struct domain_def *live, struct error *err);
/* Tells listeners, and the log, what was missing: how the domain's definition and `live` differ. */
void startup_policy_tell(const struct domain *dom, const struct domain_def *live);
