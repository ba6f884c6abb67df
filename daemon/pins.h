/* SPDX-License-Identifier: Apache-2.0 */
/* pins.h - where processors that came while their guest runs may run on the host. */
#pragma once
#include "base/error.h"
#include "loop/fiber.h"

struct domain;

/* Puts the threads of the vcpus from `first` to below `count` where the definition of what runs wants
 * them. */
WAITS int pins_apply_to_new(struct domain *dom, unsigned first, unsigned count, struct error *err);
