/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "conf/cpuset.h"
#include "conf/domain_check.h"
#include "conf/domain_def.h"
#include "conf/kept.h"
#include "xml/element.h"

static void check_hugepages(const struct domain_def *def, struct xml_context *x)
{
    const struct extra *backing = kept_next(&def->extras, "memoryBacking", NULL);
    const struct raw *pages = backing ? raw_find(backing->raw, "hugepages") : NULL;
    for (const struct raw *page = raw_find(pages, "page"); page; page = page->next) {
        uint32_t size;
        if (raw_get_number(page, "size", &size) && size == 0)
            xml_refuse(x, def, ERR_XML_SYNTAX, "more than 0", "memoryBacking/hugepages: a page size of 0");
    }
}

/* Marks the members of a normal cpuset; false if one was marked before. */
static bool claim(const char *normal, bool *claimed)
{
    bool fresh = true;
    while (*normal) {
        unsigned first = (unsigned) strtoul(normal, (char **) &normal, 10), last = first;
        if (*normal == '-')
            last = (unsigned) strtoul(normal + 1, (char **) &normal, 10);
        for (unsigned i = first; i <= last && i < CPUSET_MAX; i++) {
            fresh = fresh && !claimed[i];
            claimed[i] = true;
        }
        normal += *normal == ',';
    }
    return fresh;
}

static void check_cells(const struct cpu *cpu, struct xml_context *x)
{
    const struct extra *numa = kept_next(&cpu->extras, "cpu/numa", NULL);
    bool claimed[CPUSET_MAX] = { false };
    for (const struct raw *cell = numa ? raw_find(numa->raw, "cell") : NULL; cell; cell = cell->next) {
        const char *cpus = raw_get(cell, "cpus");
        const char *normal = cpus ? cpuset_normalise(cpus, xml_arena(x)) : NULL;
        if (cpus && !normal)
            xml_refuse(x, cpu, ERR_INVALID_ARG, "processors as in 0-3,8", "numa cell: malformed cpus='%s'",
                       cpus);
        else if (normal && !claim(normal, claimed))
            xml_refuse(x, cpu, ERR_CONFIG_UNSUPPORTED, NULL,
                       "numa cells overlap: vcpus %s are in another cell already",
                       normal);
    }
}

void check_kept(const struct domain_def *def, struct xml_context *x)
{
    check_hugepages(def, x);
    if (def->cpu)
        check_cells(def->cpu, x);
}
