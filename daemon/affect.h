/* SPDX-License-Identifier: Apache-2.0 */
/* affect.h - which of a domain's two definitions a call is about: what runs, what the next start runs, or
 * both.
 *
 * Clients say it by the bits AFFECT_LIVE and AFFECT_CONFIG; none of them means what runs if something does,
 * and else the stored one.
 */
#pragma once
#include "base/error.h"
#include "conf/domain_def.h"

struct domain;

enum { AFFECT_LIVE = 1, AFFECT_CONFIG = 2, AFFECT_BOTH = AFFECT_LIVE | AFFECT_CONFIG };

/* For changes: at least one of the bits, and only such as the domain has; other flags are ignored. */
int affect_resolve(const struct domain *dom, unsigned flags, unsigned *ret_affected, struct error *err);
/* For questions, which cannot be about both. */
const struct domain_def *affect_definition(const struct domain *dom, unsigned flags, struct error *err);
