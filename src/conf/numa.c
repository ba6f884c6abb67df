/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/numa.h"

#include "base/buffer.h"
#include "conf/cpuset.h"
#include "conf/memory.h"
#include "conf/rows.h"

enum { CELLS_MAX = 128 };               /* what QEMU can have */

DEFINE_ENUM_CODEC(memory_access, MEMORY_ACCESSES);

uint64_t numa_kib(const struct numa *numa)
{
    uint64_t sum = 0;
    for (size_t i = 0; numa && i < numa->cells.count; i++)
        if (__builtin_add_overflow(sum, numa->cells.items[i]->kib, &sum))
            return UINT64_MAX;
    return sum;
}

void numa_fill_first_cell(struct numa *numa, uint32_t max, struct arena *arena)
{
    bool claimed[CPUSET_MAX] = { false };
    if (!numa->cells.count || max > CPUSET_MAX)
        return;
    struct cell *first = numa->cells.items[0];
    for (size_t i = 0; i < numa->cells.count; i++)
        if (numa->cells.items[i]->cpus)
            cpuset_claim(numa->cells.items[i]->cpus, claimed);
    owned_buffer struct buffer cpus = { 0 };
    buffer_add_text(&cpus, first->cpus ? first->cpus : "");
    for (uint32_t i = 0; i < max; i++)
        if (!claimed[i])
            buffer_printf(&cpus, "%s%u", cpus.length ? "," : "", i);
    if (cpus.length)
        first->cpus = cpuset_normalise(buffer_text(&cpus), arena);
}

static void check_cell(void *self, struct xml_context *x)
{
    struct cell *cell = self;
    cell->kib = memory_to_kib(x, &cell->kib, &cell->unit);
    cell->unit = "KiB";
}

/* All cells have an id, or none. */
static void number_cells(struct numa *numa, struct xml_context *x)
{
    struct cell *order[CELLS_MAX] = { NULL };
    bool numbered = numa->cells.count && numa->cells.items[0]->id.set;
    for (size_t i = 0; i < numa->cells.count; i++) {
        struct cell *cell = numa->cells.items[i];
        if (cell->id.set != numbered) {
            xml_refuse(x, cell, ERR_XML, NULL, "either all numa cells have an id, or none");
            return;
        }
        if (!numbered)
            cell->id = (struct opt_u32){ true, (uint32_t) i };
        if (cell->id.value >= numa->cells.count || order[cell->id.value]) {
            xml_refuse(x, &cell->id, ERR_XML, "0, 1, 2...",
                       "the ids of numa cells are not 0 to %zu, once each", numa->cells.count - 1);
            return;
        }
        order[cell->id.value] = cell;
    }
    for (size_t i = 0; i < numa->cells.count; i++)
        numa->cells.items[i] = order[i];
}

static void check_siblings(const struct numa *numa, const struct cell *cell, struct xml_context *x)
{
    for (size_t i = 0; i < cell->siblings.count; i++) {
        const struct sibling *sibling = cell->siblings.items[i];
        if (sibling->id.set && sibling->id.value >= numa->cells.count)
            xml_refuse(x, &sibling->id, ERR_XML, NULL, "there is no numa cell %u", sibling->id.value);
        else if (sibling->id.value == cell->id.value && sibling->distance != 10)
            xml_refuse(x, &sibling->distance, ERR_XML, "10", "a numa cell's distance to itself is 10");
    }
}

static void numa_check(void *self, struct xml_context *x)
{
    struct numa *numa = self;
    if (numa->cells.count > CELLS_MAX) {
        xml_refuse(x, numa, ERR_XML, "at most 128", "%zu numa cells are too many", numa->cells.count);
        return;
    }
    number_cells(numa, x);
    bool claimed[CPUSET_MAX] = { false };
    for (size_t i = 0; i < numa->cells.count; i++) {
        const struct cell *cell = numa->cells.items[i];
        check_siblings(numa, cell, x);
        if (cell->cpus && !cpuset_claim(cell->cpus, claimed))
            xml_refuse(x, &cell->cpus, ERR_CONFIG_UNSUPPORTED, NULL,
                       "numa cells overlap: vcpus %s are in another cell already", cell->cpus);
    }
}

#define SELF struct sibling
PART(sibling_element, "sibling", "How far another cell is.",
    ATTR("id", id, opt_u32, "the other cell", REQUIRED),
    ATTR("value", distance, u32, "10 is here, 255 unreachable", REQUIRED, RANGE(10, 255)));
#undef SELF

#define SELF struct cell
PART(distances, "distances", "How far the other cells are.", LIST(siblings, sibling_element));
PART_CHECKED(cell_element, "cell", "Memory and the processors near it.", check_cell,
    ATTR("id", id, opt_u32, "number of the cell"),
    ATTR("cpus", cpus, cpuset, "vcpus", CODE(ERR_INVALID_ARG)),
    ATTR("memory", kib, u64, "amount of memory"),
    ATTR("unit", unit, string, "unit of the amount", DEFAULT("KiB")),
    ATTR("memAccess", access, memory_access, "may other processes on the host share it?"),
    ATTR("discard", discard, yes_no, "is it forgotten at the end?"),
    INLINE(distances));
#undef SELF

#define SELF struct numa
const struct element numa_element = ELEMENT_CHECKED("numa", "Cells of memory.", numa_check,
    LIST(cells, cell_element));
