/* SPDX-License-Identifier: Apache-2.0 */
/* cpumap.h - sets of host processors, a bit each: "yy--" or "0-1". */
#pragma once
#include <stddef.h>

#include "base/buffer.h"

/* The first `cpus` processors; what lies beyond the map is not in the set. */
void cpumap_add_letters(const char *map, size_t length, unsigned cpus, struct buffer *out);
void cpumap_add_ranges(const char *map, size_t length, unsigned cpus, struct buffer *out);
