/* SPDX-License-Identifier: Apache-2.0 */
/* The guest's memory: how much, what of the host it is made of, and its cells. */
#include "qemu/line.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/text.h"
#include "conf/cpuset.h"

/* Kept in memory on the host, and gone with the guest: QEMU makes an unnamed file there. */
#define FILE_FOLDER "/dev/shm"

enum { KIB = 1024 };

/* One piece of memory: all of it, or a cell's. */
struct piece {
    const char *id;
    uint64_t kib;
    const struct cell *cell;            /* NULL: the guest has no cells */
    uint32_t node;
};

static const struct memory_backing *backing_of(const struct line *line)
{
    static const struct memory_backing none;
    return line->def->memory_backing ? line->def->memory_backing : &none;
}

static bool holds(const char *set, uint32_t member)
{
    for (unsigned first, last; cpuset_next(&set, &first, &last); )
        if (member >= first && member <= last)
            return true;
    return false;
}

/* The pages of this node by name, else those of all others; NULL: the host's default size. */
static const struct hugepage *pages_of(const struct memory_backing *backing, uint32_t node)
{
    const struct hugepage *general = NULL;
    for (size_t i = 0; i < backing->pages.count; i++) {
        const struct hugepage *page = backing->pages.items[i];
        if (page->nodeset && holds(page->nodeset, node))
            return page;
        if (!page->nodeset)
            general = page;
    }
    return general;
}

static bool has_hugepages(const struct memory_backing *backing, uint32_t node)
{
    return backing->hugepages && (!backing->pages.count || pages_of(backing, node));
}

/* --- where on the host --- */

struct place { const char *nodeset; enum numa_mode mode; };

static struct place place_of(const struct line *line, const struct piece *piece)
{
    const struct numatune *tune = line->def->numatune;
    for (size_t i = 0; tune && piece->cell && i < tune->memnodes.count; i++)
        if (tune->memnodes.items[i]->cell.value == piece->node)
            return (struct place){ tune->memnodes.items[i]->nodeset, tune->memnodes.items[i]->mode };
    return tune ? (struct place){ tune->nodeset, tune->mode } : (struct place){ NULL, NUMA_MODE_ABSENT };
}

static void add_place(const struct line *line, struct props *props, const struct piece *piece)
{
    static const char *const policies[] = {
        [NUMA_STRICT] = "bind", [NUMA_PREFERRED] = "preferred", [NUMA_INTERLEAVE] = "interleave",
        [NUMA_RESTRICTIVE] = NULL,
    };
    struct place place = place_of(line, piece);
    if (!place.nodeset || !policies[place.mode])
        return;
    props_array(props, "host-nodes");
    for (unsigned first, last; cpuset_next(&place.nodeset, &first, &last); )
        for (unsigned node = first; node <= last; node++)
            props_array_u64(props, node);
    props_close_array(props);
    props_text(props, "policy", policies[place.mode]);
}

/* --- back ends --- */

/* An anonymous file, which others can share, unless somebody asks for a real one. */
static bool is_memfd(const struct memory_backing *backing, bool huge)
{
    return huge || backing->source == MEMORY_MEMFD;
}

static void add_share(struct props *props, const struct memory_backing *backing, const struct piece *piece)
{
    enum memory_access access = piece->cell && piece->cell->access ? piece->cell->access : backing->access;
    if (access)
        props_bool(props, "share", access == MEMORY_SHARED);
}

static void add_backend(struct line *line, const struct piece *piece)
{
    const struct memory_backing *backing = backing_of(line);
    bool huge = has_hugepages(backing, piece->node), memfd = is_memfd(backing, huge);
    bool file = !memfd && backing->source == MEMORY_FILE;
    const struct hugepage *page = huge ? pages_of(backing, piece->node) : NULL;
    owned_props struct props ram;
    props_begin(&ram, "qom-type", memfd ? "memory-backend-memfd"
                : file ? "memory-backend-file" : "memory-backend-ram");
    props_text(&ram, "id", piece->id);
    props_true(&ram, "hugetlb", huge);
    props_positive(&ram, "hugetlbsize", page ? page->kib * KIB : 0);
    props_text(&ram, "mem-path", file ? FILE_FOLDER : NULL);
    if (file && (backing->discard || (piece->cell && piece->cell->discard == YES)))
        props_bool(&ram, "discard-data", true);
    add_share(&ram, backing, piece);
    if ((file || memfd) && !piece->cell)
        props_bool(&ram, "x-use-canonical-path-for-ramblock-id", false);
    if (huge || backing->allocation == MEMORY_IMMEDIATE) {
        props_bool(&ram, "prealloc", true);
        props_positive(&ram, "prealloc-threads", backing->threads);
    }
    props_u64(&ram, "size", piece->kib * KIB);
    add_place(line, &ram, piece);
    line_object(line, &ram);
}

static int check_backing(const struct line *line, struct error *err)
{
    const struct memory_backing *backing = backing_of(line);
    bool memfd = backing->hugepages || backing->source == MEMORY_MEMFD;
    if (memfd && !caps_has_type(line->caps, "memory-backend-memfd"))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<memoryBacking>: emulator '%s' has no memory-backend-memfd",
                    line->caps->emulator);
    if (backing->source == MEMORY_FILE && !caps_has_type(line->caps, "memory-backend-file"))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<memoryBacking>: emulator '%s' has no memory-backend-file",
                    line->caps->emulator);
    return 0;
}

/* --- cells --- */

static const struct numa *cells_of(const struct domain_def *def)
{
    return def->cpu && def->cpu->numa && def->cpu->numa->cells.count ? def->cpu->numa : NULL;
}

static uint64_t whole_mib(uint64_t kib)
{
    return (kib + KIB - 1) / KIB * KIB;
}

uint64_t line_memory_kib(const struct domain_def *def)
{
    const struct numa *numa = cells_of(def);
    uint64_t sum = 0;
    for (size_t i = 0; numa && i < numa->cells.count; i++)
        sum += whole_mib(numa->cells.items[i]->kib);
    return numa ? sum : whole_mib(def->memory.kib);
}

static void add_node(struct line *line, const struct piece *piece)
{
    owned_buffer struct buffer option = { 0 };
    option_add(&option, NULL, "node");
    option_add_u64(&option, "nodeid", piece->node);
    const char *at = piece->cell->cpus;
    for (unsigned first, last; cpuset_next(&at, &first, &last); ) {
        owned_memory char *range = first == last ? memory_printf("%u", first)
                                                 : memory_printf("%u-%u", first, last);
        option_add(&option, "cpus", range);
    }
    option_add(&option, "memdev", piece->id);
    line_option(line, "-numa", &option);
}

static void add_distances(struct line *line, const struct cell *cell, uint32_t node)
{
    for (size_t i = 0; i < cell->siblings.count; i++) {
        owned_memory char *distance = memory_printf("dist,src=%u,dst=%u,val=%u", node,
            cell->siblings.items[i]->id.value, cell->siblings.items[i]->distance);
        argv_add_pair(line->argv, "-numa", distance);
    }
}

void line_cells(struct line *line)
{
    const struct numa *numa = cells_of(line->def);
    for (uint32_t i = 0; numa && i < numa->cells.count; i++) {
        const struct cell *cell = numa->cells.items[i];
        owned_memory char *id = memory_printf("ram-node%u", i);
        const struct piece piece = { .id = id, .kib = whole_mib(cell->kib), .cell = cell, .node = i };
        if (cell->kib)
            add_backend(line, &piece);
        add_node(line, &piece);
    }
    for (uint32_t i = 0; numa && i < numa->cells.count; i++)
        add_distances(line, numa->cells.items[i], i);
}

bool line_has_cells(const struct line *line)
{
    return cells_of(line->def) != NULL;
}

static void add_size(struct line *line, uint64_t kib)
{
    const struct memory_amount *max = &line->def->max_memory;
    owned_memory char *size = memory_printf("%" PRIu64 "k", kib);
    owned_memory char *limit = memory_printf("%" PRIu64 "k", whole_mib(max->kib));
    owned_buffer struct buffer option = { 0 };
    option_add(&option, "size", size);
    if (max->slots)
        option_add_u64(&option, "slots", max->slots);
    option_add(&option, "maxmem", max->kib ? limit : NULL);
    line_option(line, "-m", &option);
}

int line_memory(struct line *line, const struct caps_machine *machine, struct error *err)
{
    uint64_t kib = line_memory_kib(line->def);
    if (check_backing(line, err) < 0)
        return -1;
    add_size(line, kib);
    if (machine->default_ram && !line_has_cells(line))
        add_backend(line, &(struct piece){ .id = machine->default_ram, .kib = kib });
    argv_add_pair(line->argv, "-overcommit", backing_of(line)->locked ? "mem-lock=on" : "mem-lock=off");
    return 0;
}
