/* SPDX-License-Identifier: Apache-2.0 */
/* iothreads.h - threads for disks that come and go while their guest runs. */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "loop/fiber.h"

struct domain;
struct domain_def;

/* `wanted` is what runs, but for one thread, which it has or has not.  Under the domain's job. */
WAITS int domain_change_iothread(struct domain *dom, struct domain_def *wanted, uint32_t id,
                                 struct error *err);
/* The host's thread; 0 and an error if there is none. */
WAITS int domain_iothread_id(struct domain *dom, uint32_t id, struct error *err);
