/* SPDX-License-Identifier: Apache-2.0 */
/* numatune.h - <numatune>: which of the host's memory is used. */
#pragma once
#include "xml/value.h"

#define NUMA_MODES(_) \
    _(NUMA_STRICT, "strict") _(NUMA_PREFERRED, "preferred") _(NUMA_INTERLEAVE, "interleave") \
    _(NUMA_RESTRICTIVE, "restrictive")
DECLARE_ENUM(numa_mode, NUMA_MODE_ABSENT, NUMA_MODES);

#define NUMA_PLACEMENTS(_) _(NUMA_PLACEMENT_STATIC, "static") _(NUMA_PLACEMENT_AUTO, "auto")
DECLARE_ENUM(numa_placement, NUMA_PLACEMENT_ABSENT, NUMA_PLACEMENTS);

struct memnode {
    struct extras extras;
    struct opt_u32 cell;
    enum numa_mode mode;
    const char *nodeset;
};

struct numatune {
    struct extras extras;
    enum numa_mode mode;                        /* <memory> */
    const char *nodeset;
    enum numa_placement placement;              /* absent: by the nodeset */
    LIST_OF(struct memnode) memnodes;
};

DECLARE_ELEMENT(numatune_element, struct numatune);

struct domain_def;
struct xml_context;
void numatune_check(const struct domain_def *def, struct xml_context *x);      /* against the guest's cells */
