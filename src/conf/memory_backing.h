/* SPDX-License-Identifier: Apache-2.0 */
/* memory_backing.h - <memoryBacking>: what of the host the guest's memory is made of. */
#pragma once
#include "conf/numa.h"
#include "xml/value.h"

#define MEMORY_SOURCES(_) \
    _(MEMORY_FILE, "file") _(MEMORY_ANONYMOUS, "anonymous") _(MEMORY_MEMFD, "memfd")
DECLARE_ENUM(memory_source, MEMORY_SOURCE_ABSENT, MEMORY_SOURCES);

#define MEMORY_ALLOCATIONS(_) _(MEMORY_IMMEDIATE, "immediate") _(MEMORY_ONDEMAND, "ondemand")
DECLARE_ENUM(memory_allocation, MEMORY_ALLOCATION_ABSENT, MEMORY_ALLOCATIONS);

struct hugepage {
    struct extras extras;
    uint64_t kib;                               /* after checking, "KiB" */
    const char *unit;
    const char *nodeset;                        /* guest cells; NULL: all others */
};

struct memory_backing {
    struct extras extras;
    bool hugepages;
    LIST_OF(struct hugepage) pages;             /* none: the host's default size */
    bool nosharepages, locked, discard;
    enum memory_source source;
    enum memory_access access;
    enum memory_allocation allocation;
    uint32_t threads;                           /* that allocate */
};

DECLARE_ELEMENT(memory_backing_element, struct memory_backing);
