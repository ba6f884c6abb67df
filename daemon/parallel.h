/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.h - the same thing for many domains, a few at a time. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "loop/fiber.h"

struct domain;

/* Returns when fn has run for each of them, in fibers of their own, or at `deadline` (0: never), and then the
 * rest goes on.  References are held meanwhile. */
WAITS void parallel_each(struct domain *const *domains, size_t count, unsigned fibers, uint64_t deadline,
                         WAITS void (*fn)(struct domain *dom, void *arg), void *arg);
