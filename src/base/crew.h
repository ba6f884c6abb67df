/* SPDX-License-Identifier: Apache-2.0 */
/* crew.h - many pieces of work, done by a few threads while the caller waits.
 *
 * For what has to be over before anybody is served, as reading thousands of definitions.  What runs beside
 * others on the loop goes through await_work() instead.
 */
#pragma once
#include <stddef.h>

/* Calls fn(arg, index) once for each index below count, in any order, on several threads, and returns when
 * all have returned.  Few pieces, or a machine with one processor, are the caller's own work. */
void crew_run(size_t count, void (*fn)(void *arg, size_t index), void *arg);
