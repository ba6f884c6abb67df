/* SPDX-License-Identifier: Apache-2.0 */
/* numa.h - <cpu><numa>: the guest's memory in cells, each with processors of its own.
 *
 * After checking, cell i has the id i, and the cells share no processor.
 */
#pragma once
#include "base/arena.h"
#include "xml/value.h"

#define MEMORY_ACCESSES(_) _(MEMORY_SHARED, "shared") _(MEMORY_PRIVATE, "private")
DECLARE_ENUM(memory_access, MEMORY_ACCESS_ABSENT, MEMORY_ACCESSES);

struct sibling {
    struct extras extras;
    struct opt_u32 id;
    uint32_t distance;                          /* 10 (itself) to 255 (unreachable) */
};

struct cell {
    struct extras extras;
    struct opt_u32 id;
    const char *cpus;                           /* vcpus, as a cpuset; NULL: memory alone */
    uint64_t kib;
    const char *unit;
    enum memory_access access;
    enum yes_no discard;
    LIST_OF(struct sibling) siblings;
};

struct numa {
    struct extras extras;
    LIST_OF(struct cell) cells;
};

DECLARE_ELEMENT(numa_element, struct numa);

/* Vcpus below `max` that no cell has go to the first one. */
void numa_fill_first_cell(struct numa *numa, uint32_t max, struct arena *arena);
uint64_t numa_kib(const struct numa *numa);     /* the cells' memory; 0 without cells */
