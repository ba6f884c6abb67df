/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/numatune.h"

#include "conf/domain_def.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(numa_mode, NUMA_MODES);
DEFINE_ENUM_CODEC(numa_placement, NUMA_PLACEMENTS);

static void numatune_element_check(void *self, struct xml_context *x)
{
    struct numatune *tune = self;
    bool any = tune->mode || tune->nodeset || tune->placement;
    if (any && !tune->mode)
        tune->mode = NUMA_STRICT;
    if (any && !tune->nodeset && tune->placement == NUMA_PLACEMENT_ABSENT)
        tune->placement = NUMA_PLACEMENT_AUTO;
    if (tune->nodeset && tune->placement == NUMA_PLACEMENT_STATIC)
        tune->placement = NUMA_PLACEMENT_ABSENT;
    if (tune->placement == NUMA_PLACEMENT_STATIC)
        xml_refuse(x, &tune->placement, ERR_XML, "nodeset='0', say", "static placement needs a nodeset");
    for (size_t i = 0; i < tune->memnodes.count; i++) {
        struct memnode *node = tune->memnodes.items[i];
        if (!node->mode)
            node->mode = NUMA_STRICT;
        if (any && (node->mode == NUMA_RESTRICTIVE) != (tune->mode == NUMA_RESTRICTIVE))
            xml_refuse(x, &node->mode, ERR_XML, NULL, "restrictive is the mode of all cells, or of none");
    }
}

static void warn_of_restrictive(const struct numatune *tune, struct xml_context *x)
{
    bool restrictive = tune->mode == NUMA_RESTRICTIVE;
    for (size_t i = 0; i < tune->memnodes.count; i++)
        restrictive |= tune->memnodes.items[i]->mode == NUMA_RESTRICTIVE;
    if (restrictive)
        xml_warn(x, tune, "numatune of mode 'restrictive' is kept but has no effect: it would need control "
                 "groups, which domusd does not use");
}

void numatune_check(const struct domain_def *def, struct xml_context *x)
{
    const struct numatune *tune = def->numatune;
    if (tune)
        warn_of_restrictive(tune, x);
    size_t cells = def->cpu && def->cpu->numa ? def->cpu->numa->cells.count : 0;
    for (size_t i = 0; tune && i < tune->memnodes.count; i++) {
        const struct memnode *node = tune->memnodes.items[i];
        if (node->cell.set && node->cell.value >= cells)
            xml_refuse(x, &node->cell, ERR_XML, NULL, "there is no numa cell %u in <cpu>", node->cell.value);
        for (size_t k = 0; k < i && k < cells; k++)
            if (tune->memnodes.items[k]->cell.value == node->cell.value) {
                xml_refuse(x, &node->cell, ERR_XML, NULL, "the numa cell %u is given twice",
                           node->cell.value);
                break;
            }
    }
}

#define SELF struct memnode
PART(memnode_element, "memnode", "Where a cell's memory is.",
    ATTR("cellid", cell, opt_u32, "cell of the guest", REQUIRED),
    ATTR("mode", mode, numa_mode, "how strictly"),
    ATTR("nodeset", nodeset, cpuset, "nodes of the host", REQUIRED, CODE(ERR_INVALID_ARG)));
#undef SELF

#define SELF struct numatune
PART(memory, "memory", "Where memory is.",
    ATTR("mode", mode, numa_mode, "how strictly"),
    ATTR("nodeset", nodeset, cpuset, "nodes of the host", CODE(ERR_INVALID_ARG)),
    ATTR("placement", placement, numa_placement, "who chooses the nodes"));

const struct element numatune_element = ELEMENT_CHECKED(
    "numatune", "Which of the host's memory is used.", numatune_element_check,
    INLINE(memory), LIST(memnodes, memnode_element));
