/* SPDX-License-Identifier: Apache-2.0 */
/* viewers.h - a client of a guest's screen that comes with a socket of its own instead of connecting to a
 * port. */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "domain/domain.h"
#include "loop/fiber.h"

/* Hands `fd` (taken) to the VMM as a client of the screen number `index` in the definition, VNC or SPICE. */
WAITS int domain_add_viewer(struct domain *dom, unsigned index, bool without_password, int fd,
                            struct error *err);
