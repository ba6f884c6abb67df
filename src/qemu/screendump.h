/* SPDX-License-Identifier: Apache-2.0 */
/* screendump.h - a picture of what a guest shows. */
#pragma once
#include "base/error.h"
#include "loop/fiber.h"

struct domain;

/* A picture in PPM of the screen of that number (its video device), as an open file from its start; -1 with
 * an error.  The VMM writes into a file without a name that it is handed, so it needs no path of ours. */
WAITS int domain_screendump(struct domain *dom, unsigned screen, struct error *err);
