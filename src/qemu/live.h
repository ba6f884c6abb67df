/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - the definition of what runs, when it changes. */
#pragma once
#include "base/error.h"
#include "loop/fiber.h"

struct domain;
struct domain_def;

/* `def` is what runs from now on; the domain's status file says so, too.  Under the domain's job. */
WAITS int domain_replace_live(struct domain *dom, struct domain_def *def, struct error *err);
