/* SPDX-License-Identifier: Apache-2.0 */
/* Composing: the machine, and then one part after the other, as the emulator makes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "qemu/qom_parts_private.h"

static const char cpu_prefix[] = CPU_FOLDER "/device[";

/* --- another number of processors --------------------------------------------------------------- */

/* The machine's devices stand in one row, /machine/unattached/device[N], its processors among them: with
 * more or fewer of these, those behind the last one have other numbers. */
struct renumbering {
    const struct qom_sketch *from;
    unsigned have, wanted;
    uint32_t *cpus;                     /* the processors, by their number in the row */
    unsigned *rows;
    long shift;
};

/* "device[12]" */
static bool read_row(const char *name, unsigned *ret_row)
{
    uint64_t row;
    size_t length = strlen(name);
    owned_memory char *digits = NULL;
    if (!text_starts(name, "device[") || !text_ends(name, "]"))
        return false;
    digits = memory_copy_bytes(name + strlen("device["), length - strlen("device[]"));
    if (!text_to_u64(digits, 1000000, &row))
        return false;
    *ret_row = (unsigned) row;
    return true;
}

/* Where the device that had this number is now; -1: it is a processor too many. */
static long new_row(const struct renumbering *r, unsigned row)
{
    unsigned before = 0;
    for (unsigned i = r->wanted; i < r->have; i++) {
        if (r->rows[i] == row)
            return -1;
        before += r->rows[i] < row;
    }
    if (r->wanted < r->have)
        return (long) row - before;
    return row > r->rows[r->have - 1] ? (long) row + r->shift : (long) row;
}

/* A path through the row, with the new number; NULL: nothing is there any more.  Free it. */
static char *new_path(const struct renumbering *r, const char *path)
{
    if (!text_starts(path, cpu_prefix))
        return memory_copy_text(path);
    char *rest;
    unsigned row = (unsigned) strtoul(path + strlen(cpu_prefix), &rest, 10);
    long now = new_row(r, row);
    return now < 0 ? NULL : memory_printf("%s%ld%s", cpu_prefix, now, rest);
}

static bool find_cpus(struct renumbering *r)
{
    unsigned count = 0;
    for (uint32_t o = 0; o < r->from->objects.count; o++) {
        const struct qom_sketch_object *object = &r->from->objects.items[o];
        unsigned row;
        if (!object->cpu || count == r->have || !read_row(object->name, &row))
            continue;
        unsigned at = count++;
        for (; at > 0 && r->rows[at - 1] > row; at--) {
            r->rows[at] = r->rows[at - 1];
            r->cpus[at] = r->cpus[at - 1];
        }
        r->rows[at] = row;
        r->cpus[at] = o;
    }
    return count == r->have;
}

/* Copies all objects but the processors too many. */
static void copy_objects(const struct renumbering *r, struct qom_sketch *to, uint32_t *map)
{
    uint32_t folder = qom_sketch_find(r->from, CPU_FOLDER);
    for (uint32_t o = 0; o < r->from->objects.count; o++) {
        const struct qom_sketch_object *object = &r->from->objects.items[o];
        unsigned row;
        map[o] = QOM_NONE;
        if (o && map[object->parent] == QOM_NONE)
            continue;
        owned_memory char *name = memory_copy_text(object->name);
        if (o && object->parent == folder && read_row(object->name, &row)) {
            long now = new_row(r, row);
            if (now < 0)
                continue;
            free(name);
            name = memory_printf("device[%ld]", now);
        }
        map[o] = qom_sketch_add(to, o ? map[object->parent] : 0, name, object->leaf, object->properties);
        to->objects.items[map[o]].cpu = object->cpu;
    }
}

static void copy_links(const struct renumbering *r, struct qom_sketch *to, const uint32_t *map)
{
    for (size_t l = 0; l < r->from->links.count; l++) {
        const struct qom_sketch_link *link = &r->from->links.items[l];
        owned_memory char *target = new_path(r, link->target);
        if (map[link->object] != QOM_NONE && target)
            qom_sketch_link(to, map[link->object], link->name, target);
    }
}

/* Adds one more processor, like the last one. */
static void add_cpu(const struct renumbering *r, struct qom_sketch *to, uint32_t *copy, unsigned row)
{
    uint32_t last = r->cpus[r->have - 1], folder = qom_sketch_find(to, CPU_FOLDER);
    owned_memory char *name = memory_printf("device[%u]", row);
    owned_memory char *path = memory_printf("%s%u]", cpu_prefix, row);
    owned_memory char *like = memory_printf("%s%u]", cpu_prefix, r->rows[r->have - 1]);
    for (uint32_t o = last; o < r->from->objects.count; o++) {
        const struct qom_sketch_object *object = &r->from->objects.items[o];
        copy[o] = QOM_NONE;
        if (o == last)
            copy[o] = qom_sketch_add(to, folder, name, false, object->properties);
        else if (object->parent >= last && copy[object->parent] != QOM_NONE)
            copy[o] = qom_sketch_add(to, copy[object->parent], object->name, object->leaf,
                                     object->properties);
    }
    to->objects.items[copy[last]].cpu = true;
    for (size_t l = 0; l < r->from->links.count; l++) {
        const struct qom_sketch_link *link = &r->from->links.items[l];
        if (link->object < last || copy[link->object] == QOM_NONE)
            continue;
        bool own = text_starts(link->target, like);
        owned_memory char *target = own ? memory_printf("%s%s", path, link->target + strlen(like))
                                        : new_path(r, link->target);
        if (target)
            qom_sketch_link(to, copy[link->object], link->name, target);
    }
}

struct qom_sketch *qom_machine_with_cpus(const struct qom_part *machine, unsigned cpus)
{
    struct renumbering r = { .from = machine->sketch, .have = machine->cpus, .wanted = cpus,
                             .shift = (long) cpus - (long) machine->cpus };
    if (cpus != machine->cpus && machine->cpus < 2)
        return NULL;
    owned_memory uint32_t *cpus_of_row = memory_new(r.have * sizeof *cpus_of_row);
    owned_memory unsigned *rows = memory_new(r.have * sizeof *rows);
    r.cpus = cpus_of_row;
    r.rows = rows;
    owned_memory uint32_t *map = memory_new((r.from->objects.count + 1) * sizeof *map);
    owned(qom_sketch) struct qom_sketch *to = qom_sketch_new();
    if (!find_cpus(&r))
        return NULL;
    copy_objects(&r, to, map);
    copy_links(&r, to, map);
    for (unsigned more = r.have; more < r.wanted; more++)
        add_cpu(&r, to, map, rows[r.have - 1] + 1 + more - r.have);
    return take(to);
}

/* --- one part after the other -------------------------------------------------------------------- */

/* The bus of that name; they are called by their last component. */
static uint32_t find_bus(const struct qom_sketch *tree, const char *name)
{
    for (uint32_t o = (uint32_t) tree->objects.count; name && o-- > 1; )
        if (strcmp(tree->objects.items[o].name, name) == 0 && !text_starts(name, "device["))
            return o;
    return QOM_NONE;
}

/* A device goes onto its bus behind those that are there. */
static void take_slot(struct qom_sketch *tree, uint32_t bus, const char *path)
{
    long slot = 0;
    char name[32];
    for (size_t l = 0; l < tree->links.count; l++) {
        long taken = tree->links.items[l].object == bus ? qom_bus_slot(tree->links.items[l].name) : -1;
        slot = taken >= slot ? taken + 1 : slot;
    }
    snprintf(name, sizeof name, "child[%ld]", slot);
    qom_sketch_link(tree, bus, name, path);
}

static uint32_t add_top(struct qom_sketch *tree, const struct qom_line_part *p, const char *name,
                        uint32_t properties)
{
    bool itself = strcmp(name, PART_ID) == 0;
    owned_memory char *path = itself ? memory_copy_text(p->path) : memory_printf("%s[0]", name);
    for (unsigned n = 1; !itself && qom_sketch_find(tree, path) != QOM_NONE; n++) {
        free(path);
        path = memory_printf("%s[%u]", name, n);
    }
    char *last = strrchr(path, '/');
    *last = 0;
    uint32_t folder = qom_sketch_find(tree, path);
    return folder == QOM_NONE ? QOM_NONE : qom_sketch_add(tree, folder, last + 1, false, properties);
}

static char *decode_name(const struct qom_line_part *p, const char *name)
{
    bool own = text_starts(name, PART_ID);
    return memory_printf("%s%s", own ? p->id : "", own ? name + strlen(PART_ID) : name);
}

/* Free it; a link to what cannot be told leads to the root. */
static char *decode_target(const struct qom_sketch *tree, const struct qom_line_part *p, const char *target)
{
    if (target[0] == '.')
        return memory_printf("%s%s", p->path, target + 1);
    if (strcmp(target, PART_BUS) != 0)
        return memory_copy_text(strcmp(target, PART_OTHER) == 0 ? "/" : target);
    uint32_t bus = find_bus(tree, p->bus);
    struct buffer path = { 0 };
    if (bus == QOM_NONE)
        return memory_copy_text("/");
    qom_sketch_add_path(tree, bus, &path);
    return buffer_take(&path);
}

static void add_links(struct qom_sketch *tree, const struct qom_sketch *part, const struct qom_line_part *p,
                      const uint32_t *map)
{
    for (size_t l = 0; l < part->links.count; l++) {
        const struct qom_sketch_link *link = &part->links.items[l];
        owned_memory char *target = decode_target(tree, p, link->target);
        qom_sketch_link(tree, map[link->object], link->name, target);
        uint32_t bus = link->object == 0 && strcmp(link->name, "parent_bus") == 0
                           ? qom_sketch_find(tree, target) : QOM_NONE;
        if (bus != QOM_NONE && bus != 0)
            take_slot(tree, bus, p->path);
    }
}

static bool add_part(struct qom_sketch *tree, const struct qom_sketch *part, const struct qom_line_part *p)
{
    owned_memory uint32_t *map = memory_new((part->objects.count + 1) * sizeof *map);
    for (uint32_t o = 0; o < part->objects.count; o++) {
        const struct qom_sketch_object *object = &part->objects.items[o];
        owned_memory char *name = decode_name(p, object->name);
        map[o] = object->parent == o ? add_top(tree, p, object->name, object->properties)
                                     : qom_sketch_add(tree, map[object->parent], name, object->leaf,
                                                      object->properties);
        if (map[o] == QOM_NONE)
            return false;
    }
    add_links(tree, part, p, map);
    return true;
}

struct qom_sketch *qom_parts_compose(const struct qom_parts *parts, const struct qom_line *line)
{
    const struct qom_part *machine = qom_parts_find(parts, line->machine, true);
    owned(qom_sketch) struct qom_sketch *tree = machine ? qom_machine_with_cpus(machine, line->cpus) : NULL;
    for (size_t i = 0; tree && i < line->parts.count; i++) {
        const struct qom_part *part = qom_parts_find(parts, line->parts.items[i].key, false);
        if (!part || !add_part(tree, part->sketch, &line->parts.items[i]))
            return NULL;
    }
    return take(tree);
}
