/* SPDX-License-Identifier: Apache-2.0 */
/* boot.h - what domusd does once its loop runs: find its guests again, serve clients, start what starts by
 * itself. */
#pragma once
#include "loop/fiber.h"

/* A fiber's main function; its argument is the struct daemon. */
WAITS void boot(void *daemon);
