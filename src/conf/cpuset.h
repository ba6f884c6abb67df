/* SPDX-License-Identifier: Apache-2.0 */
/* cpuset.h - sets of processors as text: "0-3,^2,8".
 *
 * A definition keeps the normal form of the text: ranges in order, none touching the next, no exclusions.
 */
#pragma once
#include <stdbool.h>

#include "base/arena.h"

enum { CPUSET_MAX = 1024 };             /* processors are numbered below this */

/* The normal form; NULL if the text is malformed, empty, or names a processor from CPUSET_MAX on. */
const char *cpuset_normalise(const char *text, struct arena *a);

/* Walks a normal form: the next range, or false at its end.  Begin with *at = the text. */
bool cpuset_next(const char **at, unsigned *ret_first, unsigned *ret_last);
/* Marks the members of a normal form; false if one was marked before. */
bool cpuset_claim(const char *normal, bool claimed[CPUSET_MAX]);
