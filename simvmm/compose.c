/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/compose.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "simvmm/bus.h"
#include "simvmm/property.h"
#include "simvmm/value.h"

/* A part being placed: its paths -> our nodes. */
struct work {
    struct vm *vm;
    const struct part *part;
    const struct placing *place;
    struct map *nodes;
};

/* ---- names ---- */

const char *compose_free_name(struct vm *vm, const struct qom_node *parent, const char *stem)
{
    for (unsigned n = 0;; n++) {
        owned_memory char *name = memory_printf("%s[%u]", stem, n);
        const struct qom_property *p = qom_property_find(parent, name);
        if (!p || !p->node)
            return arena_copy(vm->arena, name);
    }
}

/* What QEMU calls a bus whose device has no id: its type in small letters and a number. */
struct bus_count { struct vm *vm; const char *type; const char *stem; unsigned next; };

static void count_bus(struct qom_node *node, void *arg)
{
    struct bus_count *c = arg;
    size_t length = strlen(c->stem);
    if (strcmp(node->type, c->type) == 0 && strncmp(node->name, c->stem, length) == 0 &&
        node->name[length] == '.')
        c->next++;
}

static const char *automatic_bus_name(struct vm *vm, const char *type)
{
    char *stem = arena_copy(vm->arena, type);
    for (char *c = stem; *c; c++)
        *c = (char) tolower((unsigned char) *c);
    struct bus_count count = { vm, type, stem, 0 };
    qom_walk(qom_root(vm->tree), count_bus, &count);
    return arena_printf(vm->arena, "%s.%u", stem, count.next);
}

/* "@id.0" with our id; buses of devices without one get a name of their own. */
static const char *own_name(struct work *work, const char *name, const char *type)
{
    const char *mark = strstr(name, "@id");
    if (!mark)
        return name;
    if (work->place->id)
        return arena_printf(work->vm->arena, "%.*s%s%s", (int) (mark - name), name, work->place->id,
                            mark + 3);
    if (data_type_is(work->vm->data, type, "bus"))
        return automatic_bus_name(work->vm, type);
    return arena_printf(work->vm->arena, "%.*s%s", (int) (mark - name), name, mark + 3);
}

/* ---- nodes ---- */

static struct qom_node *node_for(struct work *work, const char *path)
{
    struct qom_node *node = map_find_text(work->nodes, path);
    return node ? node : map_find_text(work->vm->places, path);
}

/* The node of a part's path, made with the properties' names but for what only later can be known. */
static struct qom_node *place_node(struct work *work, const struct part_node *from, bool *ret_new)
{
    *ret_new = true;
    const char *type = from->properties[0].value;               /* always "type", a plain word in quotes */
    type = arena_copy_bytes(work->vm->arena, type + 1, strlen(type) - 2);
    const char *slash = strrchr(from->path, '/');
    struct qom_node *node;
    if (text_equal(from->path, "/")) {
        node = qom_root(work->vm->tree);
    } else if (!slash) {
        node = qom_node_add(work->vm->tree, work->place->parent, work->place->name, type);
    } else {
        owned_memory char *above =
            memory_copy_bytes(from->path, slash == from->path ? 1 : (size_t) (slash - from->path));
        struct qom_node *parent = node_for(work, above);
        if (!parent)
            return NULL;                /* on another machine than it was harvested on */
        const char *name = own_name(work, slash + 1, type);
        const char *bracket = strrchr(name, '[');
        if (work->place && *from->path == '/' && bracket)
            name = compose_free_name(work->vm, parent,
                                     arena_copy_bytes(work->vm->arena, name, (size_t) (bracket - name)));
        node = work->place && *from->path == '/' ? qom_child(parent, name) : NULL;
        *ret_new = node == NULL;        /* a container that an earlier part of that kind brought along */
        if (!node)
            node = qom_node_add(work->vm->tree, parent, name, type);
    }
    node->hashed = data_type_is(work->vm->data, type, "bus") || text_equal(from->path, "/backend") ? 1 : 0;
    map_set_text(work->nodes, from->path, node);
    return node;
}

static void add_properties(struct work *work, struct qom_node *node, const struct part_node *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct part_property *p = &from->properties[i];
        struct qom_property property = {
            .name = p->name, .type = p->type, .kind = QOM_VALUE, .value = p->value
        };
        if (text_starts(p->type, "child<")) {
            property.kind = QOM_CHILD;
            property.value = NULL;
            char *type = arena_copy_bytes(work->vm->arena, p->type + 6, strlen(p->type) - 7);
            property.name = own_name(work, p->name, type);
        } else if (text_starts(p->type, "link<") && p->value) {
            property.kind = QOM_LINK;
        } else if (text_equal(p->type, "struct tm")) {
            property.kind = QOM_CLOCK;
        } else if (p->value && strstr(p->value, "@id") && work->place) {
            const char *mark = strstr(p->value, "@id");
            property.value = arena_printf(work->vm->arena, "%.*s%s%s", (int) (mark - p->value), p->value,
                                          work->place->id ? work->place->id : "", mark + 3);
        }
        qom_add(work->vm->tree, node, &property);
    }
}

/* In which order they were made is not known; that they are listed backwards makes the reverse the best
 * guess. */
static void hash_from(struct vm *vm, struct qom_node *node, size_t start)
{
    node->hashed = start;
    for (size_t i = start; i < node->properties.count; i++)
        node->properties.items[i].age = (unsigned) (node->properties.count - i);
    qom_changed(vm->tree);
}

/* Properties named after the device make the order its own: from its first child on they are in the hash
 * table. */
static void hash_children(struct work *work, struct qom_node *node, const struct part_node *from)
{
    bool named = false;
    size_t start = 0;
    for (size_t i = 0; i < from->count; i++) {
        named |= strstr(from->properties[i].name, "@id") != NULL;
        if (!start && node->properties.items[i].kind == QOM_CHILD)
            start = i;
    }
    if (!named || !start)
        return;
    hash_from(work->vm, node, start);
}

/* A path in a value, as JSON text with its quotes. */
static struct qom_node *link_target(struct work *work, const char *type, const char *json)
{
    if (!json || strlen(json) <= 2)
        return NULL;
    owned_memory char *path = memory_copy_bytes(json + 1, strlen(json) - 2);
    struct qom_node *node = map_find_text(work->nodes, path);
    bool numbered = text_starts(path, "/machine/unattached/device[");
    bool same_board = !work->place || text_equal(work->part->machine, work->vm->family);
    if (!node && (same_board || !numbered))
        node = map_find_text(work->vm->places, path);
    if (node || same_board)
        return node;
    /* Another machine than the part's: what has the same role there, or the same name if only one has it. */
    bool ambiguous;
    struct qom_node *machine = qom_at(work->vm->tree, "/machine");
    const struct qom_property *acpi = machine ? qom_property_find(machine, "acpi-device") : NULL;
    if (text_equal(type, "link<hotplug-handler>") && acpi && acpi->kind == QOM_LINK)
        return acpi->node;
    return qom_resolve(work->vm->tree, strrchr(path, '/') + 1, &ambiguous);
}

static void add_links(struct work *work, struct qom_node *node)
{
    for (size_t i = 0; i < node->properties.count; i++) {
        struct qom_property *p = &node->properties.items[i];
        if (p->kind != QOM_LINK || !p->value)
            continue;
        p->node = link_target(work, p->type, p->value);
        p->value = NULL;
    }
}

static struct qom_node *place_all(struct work *work)
{
    struct qom_node *first = NULL;
    for (size_t i = 0; i < work->part->nodes_count; i++) {
        bool new;
        struct qom_node *node = place_node(work, &work->part->nodes[i], &new);
        if (!node)
            continue;
        first = first ? first : node;
        if (!new)
            continue;
        add_properties(work, node, &work->part->nodes[i]);
        if (work->place)
            hash_children(work, node, &work->part->nodes[i]);
    }
    qom_changed(work->vm->tree);
    for (size_t i = 0; i < work->part->nodes_count; i++) {
        struct qom_node *node = map_find_text(work->nodes, work->part->nodes[i].path);
        if (node)
            add_links(work, node);
    }
    qom_changed(work->vm->tree);
    return first;
}

static void apply_change(struct work *work, const struct part_change *change)
{
    struct qom_node *node = node_for(work, change->path);
    if (!node)
        return;
    struct qom_property *p = qom_property_find(node, change->property.name);
    if (!p) {
        struct qom_property property = { .name = change->property.name, .type = change->property.type };
        property.kind = text_starts(property.type, "link<") ? QOM_LINK : QOM_VALUE;
        qom_add(work->vm->tree, node, &property);
        p = qom_property_find(node, change->property.name);
    }
    if (p->kind == QOM_LINK)
        qom_link(work->vm->tree, node, p->name, link_target(work, p->type, change->property.value));
    else if (change->property.value)
        qom_set(node, p->name, change->property.value);
}

/* ---- -global ---- */

static void apply_globals(struct qom_node *node, void *arg)
{
    struct vm *vm = arg;
    for (size_t i = 0; i < vm->globals.count; i++) {
        const struct global *g = &vm->globals.items[i];
        if (!data_type_is(vm->data, node->type, g->driver))
            continue;
        error_scope(silent);            /* as QEMU is about a property that is not there */
        (void) property_set(vm, node, g->property, value_text(vm->arena, g->value), false, &silent);
    }
}

void compose_globals(struct vm *vm, struct qom_node *from)
{
    if (vm->globals.count)
        qom_walk(from, apply_globals, vm);
}

/* ---- switches ---- */

void compose_variant(struct vm *vm, const struct part *part)
{
    struct work work = { vm, part, NULL, vm->places };
    for (size_t i = 0; i < part->lines_count; i++) {
        const struct part_line *line = &part->lines[i];
        struct qom_node *node = map_find_text(vm->places, line->fields[0]);
        if (!node)
            continue;                   /* another switch took it out */
        if (text_equal(line->word, "gone")) {
            qom_node_remove(vm->tree, node);
            map_remove_text(vm->places, line->fields[0]);
        } else if (text_equal(line->word, "lost")) {
            qom_property_remove(vm->tree, node, line->fields[1]);
        }
    }
    place_all(&work);
    for (size_t i = 0; i < part->nodes_count; i++) {
        struct qom_node *node = map_find_text(vm->places, part->nodes[i].path);
        struct qom_property *bus = node ? qom_property_find(node, "parent_bus") : NULL;
        if (bus && bus->node)
            bus_attach(vm, bus->node, node);
    }
    for (size_t i = 0; i < part->changes_count; i++)
        apply_change(&work, &part->changes[i]);
}

static int by_number(const void *a, const void *b)
{
    const struct qom_property *const *x = a, *const *y = b;
    unsigned m = 0, n = 0;
    sscanf(strrchr((*x)->name, '[') + 1, "%u", &m);
    sscanf(strrchr((*y)->name, '[') + 1, "%u", &n);
    return m < n ? -1 : m > n;
}

static unsigned close_up(struct vm *vm, struct qom_node *node, const char *stem)
{
    VECTOR(struct qom_property *) found = { 0 };
    size_t length = strlen(stem);
    for (size_t i = 0; i < node->properties.count; i++) {
        struct qom_property *p = &node->properties.items[i];
        if (strncmp(p->name, stem, length) == 0 && p->name[length] == '[')
            vector_push(&found, p);
    }
    unsigned count = (unsigned) found.count;
    if (count)
        qsort(found.items, count, sizeof *found.items, by_number);
    for (unsigned i = 0; i < count; i++) {
        found.items[i]->name = data_intern(vm->data, arena_printf(vm->arena, "%s[%u]", stem, i));
        if (found.items[i]->kind == QOM_CHILD)
            found.items[i]->node->name = found.items[i]->name;
    }
    vector_done(&found);
    return count;
}

static void close_bus(struct qom_node *node, void *arg)
{
    struct vm *vm = arg;
    if (data_type_is(vm->data, node->type, "bus"))
        node->next_child = close_up(vm, node, "child");
}

void compose_close_numbers(struct vm *vm)
{
    struct qom_node *unattached = qom_at(vm->tree, "/machine/unattached");
    close_up(vm, unattached, "device");
    close_up(vm, unattached, "non-qdev-gpio");
    qom_walk(qom_root(vm->tree), close_bus, vm);
    qom_changed(vm->tree);
}

struct qom_node *compose_part(struct vm *vm, const struct part *part, const struct placing *place)
{
    owned(map) struct map *nodes = map_new();
    struct work work = { vm, part, place, nodes };
    struct qom_node *node = place_all(&work);
    if (place->bus)
        qom_link(vm->tree, node, "parent_bus", place->bus);
    for (size_t i = 0; i < part->changes_count; i++)
        apply_change(&work, &part->changes[i]);
    return node;
}

/* ---- the machine ---- */

/* Where the next device on a bus is counted from. */
static void count_children(struct qom_node *node, void *arg)
{
    for (size_t i = 0; i < node->properties.count; i++) {
        unsigned n;
        if (sscanf(node->properties.items[i].name, "child[%u]", &n) == 1 && n >= node->next_child)
            node->next_child = n + 1;
    }
}

int compose_machine(struct vm *vm, const char *family, struct error *err)
{
    const struct part *part = data_part(vm->data, "machine", family);
    if (!part)
        return fail(err, ERR_NO_SUPPORT, "machine family '%s' of QEMU %s has not been harvested", family,
                    vm->version);
    vm->places = map_new();
    struct work work = { vm, part, NULL, vm->places };
    place_all(&work);
    qom_walk(qom_root(vm->tree), count_children, NULL);
    static const char *const hashed[] = { "/objects", "/chardevs",           "/audiodevs",
                                          "/backend", "/machine/peripheral", "/machine/peripheral-anon" };
    for (size_t i = 0; i < ARRAY_COUNT(hashed); i++)
        if (qom_at(vm->tree, hashed[i]))
            qom_at(vm->tree, hashed[i])->hashed = 1;
    if (!qom_at(vm->tree, "/backend"))
        hash_from(vm, qom_root(vm->tree), 1);           /* it will come with the first screen */
    static const char *const buses[] = { "/machine/i440fx/pci.0", "/machine/q35/pcie.0" };
    for (size_t i = 0; i < ARRAY_COUNT(buses) && !vm->main_bus; i++)
        vm->main_bus = qom_at(vm->tree, buses[i]);
    return 0;
}
