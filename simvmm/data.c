/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/data.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

/* The files, as bytes of the program. */
#define EMBED(symbol, file) \
    __asm__(".section .rodata\n" \
            ".global " #symbol "\n" #symbol ":\n.incbin \"" SIMVMM_DATA "/" file "\"\n.byte 0\n" \
            ".global " #symbol "_end\n" #symbol "_end:\n.previous\n"); \
    extern const char symbol[], symbol##_end[]
EMBED(simvmm_data_tree_11_1, "11.1.tree");
EMBED(simvmm_data_replies_11_1, "11.1.replies");
EMBED(simvmm_data_tree_7_2, "7.2.tree");
EMBED(simvmm_data_replies_7_2, "7.2.replies");

static const struct { const char *version, *tree, *replies; } versions[] = {
    { "11.1", simvmm_data_tree_11_1, simvmm_data_replies_11_1 },
    { "7.2", simvmm_data_tree_7_2, simvmm_data_replies_7_2 },
};

struct shape { const struct part_property *rows; size_t count; };
struct type { const char *parent; bool abstract; };

struct data {
    struct arena *arena;
    struct map *words, *parts, *part_lines, *replies, *types, *properties;
    VECTOR(const char *) shape_lines;   /* where each is, in the file */
    struct shape **shapes;              /* those already read */
    VECTOR(const char *) rows;          /* of property lists */
    const char *none[1];
};

/* ---- lines and fields ---- */

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

enum { FIELDS_MAX = 6 };

/* Copies the line's fields out; a line that begins with a tab has an empty first field. */
static size_t fields(struct data *d, const char *line, const char *ret_fields[FIELDS_MAX])
{
    char *copy = arena_copy_bytes(d->arena, line, strcspn(line, "\n"));
    size_t count = 0;
    while (count < FIELDS_MAX) {
        ret_fields[count++] = copy;
        char *tab = count < FIELDS_MAX ? strchr(copy, '\t') : NULL;
        if (!tab)
            break;
        *tab = '\0';
        copy = tab + 1;
    }
    for (size_t i = count; i < FIELDS_MAX; i++)
        ret_fields[i] = NULL;
    return count;
}

const char *data_intern(struct data *d, const char *word)
{
    char *known = map_find_text(d->words, word);
    if (!known) {
        known = arena_copy(d->arena, word);
        map_set_text(d->words, known, known);
    }
    return known;
}

/* ---- index ---- */

static void index_tree(struct data *d, const char *text)
{
    for (const char *line = text; *line; line = next_line(line)) {
        if (text_starts(line, "shape\t")) {
            vector_push(&d->shape_lines, line);
        } else if (text_starts(line, "part\t")) {
            const char *f[FIELDS_MAX];
            fields(d, line, f);
            map_set_text(d->part_lines, arena_printf(d->arena, "%s %s", f[1], f[2]), (void *) line);
        }
    }
    d->shapes = memory_new(d->shape_lines.count * sizeof *d->shapes);
}

/* The text of a string member of a flat object, or NULL. */
static char *member(struct data *d, const char *object, const char *key)
{
    const char *at = strstr(object, key);
    if (!at)
        return NULL;
    at += strlen(key);
    return arena_copy_bytes(d->arena, at, strcspn(at, "\""));
}

/* [{"name": "x", "abstract": true, "parent": "y"}, ...], the last two optional, in any order. */
static void index_types(struct data *d, const char *json)
{
    for (const char *at = json; (at = strchr(at, '{')) != NULL;) {
        size_t length = strcspn(at, "}");
        owned_memory char *object = memory_copy_bytes(at, length);
        struct type *type = ARENA_NEW(d->arena, struct type);
        const char *name = member(d, object, "\"name\": \"");
        type->parent = member(d, object, "\"parent\": \"");
        type->abstract = strstr(object, "\"abstract\": true") != NULL;
        if (name)
            map_set_text(d->types, name, type);
        at += length;
    }
}

static void index_replies(struct data *d, const char *text)
{
    for (const char *line = text; *line; line = next_line(line)) {
        if (text_starts(line, "row\t")) {
            vector_push(&d->rows, line + 4);
            continue;
        }
        const char *tab = strchr(line, '\t');
        const char *second = tab + 1;
        size_t length = strcspn(second, "\t");
        if (text_starts(line, "reply\t")) {
            map_set(d->replies, second, length, (void *) (second + length + 1));
        } else {
            const char *end = second + length;
            if (text_starts(line, "refusal\t"))
                end += 1 + strcspn(end + 1, "\t");
            else
                second = line;
            map_set(d->properties, second, (size_t) (end - second), (void *) line);
        }
    }
}

struct data *data_open(const char *version)
{
    for (size_t i = 0; i < ARRAY_COUNT(versions); i++) {
        if (!text_equal(versions[i].version, version))
            continue;
        struct data *d = NEW(struct data);
        d->arena = arena_new();
        d->words = map_new();
        d->parts = map_new();
        d->part_lines = map_new();
        d->replies = map_new();
        d->types = map_new();
        d->properties = map_new();
        index_tree(d, versions[i].tree);
        index_replies(d, versions[i].replies);
        return d;
    }
    return NULL;
}

void data_free(struct data *d)
{
    if (!d)
        return;
    map_free(d->words);
    map_free(d->parts);
    map_free(d->part_lines);
    map_free(d->replies);
    map_free(d->types);
    map_free(d->properties);
    vector_done(&d->shape_lines);
    vector_done(&d->rows);
    free(d->shapes);
    arena_free(d->arena);
    free(d);
}

/* ---- shapes and parts ---- */

static const struct shape *shape_get(struct data *d, size_t number)
{
    if (d->shapes[number])
        return d->shapes[number];
    const char *f[FIELDS_MAX];
    const char *line = d->shape_lines.items[number];
    fields(d, line, f);
    size_t shared = (size_t) atoi(f[3]), own = 0;
    const struct shape *from = shared ? shape_get(d, (size_t) atoi(f[2])) : NULL;
    for (const char *l = next_line(line); *l == '\t'; l = next_line(l))
        own++;

    struct part_property *rows = arena_alloc(d->arena, (shared + own) * sizeof *rows);
    for (size_t i = 0; i < shared; i++)
        rows[i] = from->rows[i];
    line = next_line(line);
    for (size_t i = 0; i < own; i++, line = next_line(line)) {
        fields(d, line, f);
        rows[shared + i] = (struct part_property) { data_intern(d, f[1]), data_intern(d, f[2]), f[3] };
    }
    d->shapes[number] = ARENA_NEW(d->arena, struct shape);
    *d->shapes[number] = (struct shape) { rows, shared + own };
    return d->shapes[number];
}

/* Reads a node's line and its own values below it; returns the line after. */
static const char *node_read(struct data *d, const char *line, struct part_node *node)
{
    const char *f[FIELDS_MAX];
    fields(d, line, f);
    const struct shape *shape = shape_get(d, (size_t) atoi(f[2]));
    struct part_property *rows = arena_alloc(d->arena, shape->count * sizeof *rows);
    memcpy(rows, shape->rows, shape->count * sizeof *rows);
    node->path = f[1];
    node->properties = rows;
    node->count = shape->count;
    size_t at = 0;
    for (line = next_line(line); *line == '\t'; line = next_line(line)) {
        fields(d, line, f);
        const char *name = data_intern(d, f[1]);
        while (rows[at].name != name)
            at++;                       /* they stand in the shape's order */
        rows[at++].value = f[2];
    }
    return line;
}

static void *keep(struct data *d, const void *items, size_t count, size_t size)
{
    return count ? memcpy(arena_alloc(d->arena, count * size), items, count * size) : NULL;
}

static const struct part *part_read(struct data *d, const char *line)
{
    const char *f[FIELDS_MAX];
    fields(d, line, f);
    struct part *part = ARENA_NEW(d->arena, struct part);
    *part = (struct part) { .kind = f[1], .name = f[2], .bus = f[3], .machine = f[4] };
    VECTOR(struct part_node) nodes = { 0 };
    VECTOR(struct part_change) changes = { 0 };
    VECTOR(struct part_line) others = { 0 };
    line = next_line(line);
    while (*line && !text_starts(line, "part\t") && !text_starts(line, "shape\t")) {
        if (text_starts(line, "node\t")) {
            struct part_node node;
            line = node_read(d, line, &node);
            vector_push(&nodes, node);
            continue;
        }
        fields(d, line, f);
        if (text_equal(f[0], "change"))
            vector_push(&changes, ((struct part_change) {
                                      f[1], { data_intern(d, f[2]), data_intern(d, f[3]), f[4] } }));
        else
            vector_push(&others, ((struct part_line) { f[0], { f[1], f[2], f[3], f[4] } }));
        line = next_line(line);
    }
    part->nodes = keep(d, nodes.items, part->nodes_count = nodes.count, sizeof *nodes.items);
    part->changes = keep(d, changes.items, part->changes_count = changes.count, sizeof *changes.items);
    part->lines = keep(d, others.items, part->lines_count = others.count, sizeof *others.items);
    vector_done(&nodes);
    vector_done(&changes);
    vector_done(&others);
    return part;
}

const struct part_line *part_line_find(const struct part *part, const char *word)
{
    for (size_t i = 0; part && i < part->lines_count; i++)
        if (text_equal(part->lines[i].word, word))
            return &part->lines[i];
    return NULL;
}

const struct part *data_part(struct data *d, const char *kind, const char *name)
{
    owned_memory char *key = memory_printf("%s %s", kind, name);
    struct part *part = map_find_text(d->parts, key);
    if (part)
        return part;
    const char *line = map_find_text(d->part_lines, key);
    if (!line)
        return NULL;
    part = (struct part *) part_read(d, line);
    map_set_text(d->parts, key, part);
    return part;
}

/* ---- replies and types ---- */

const char *data_reply(const struct data *d, const char *name)
{
    const char *text = map_find_text(d->replies, name);
    if (!text)
        return NULL;
    size_t length = strcspn(text, "\n");
    return arena_copy_bytes(d->arena, text, length);
}

static const struct type *type_find(const struct data *d, const char *type)
{
    if (!map_count(d->types)) {
        const char *all = data_reply(d, "all-types");
        if (all)
            index_types((struct data *) d, all);
    }
    return map_find_text(d->types, type);
}

const char *data_type_parent(const struct data *d, const char *type)
{
    const struct type *t = type_find(d, type);
    return t ? t->parent : NULL;
}

bool data_type_is(const struct data *d, const char *type, const char *ancestor)
{
    for (; type; type = data_type_parent(d, type))
        if (text_equal(type, ancestor))
            return true;
    return false;
}

bool data_type_is_abstract(const struct data *d, const char *type)
{
    const struct type *t = type_find(d, type);
    return t && t->abstract;
}

bool data_type_exists(const struct data *d, const char *type)
{
    return type_find(d, type) != NULL;
}

static void add_rows(struct data *d, const char *list, const char **rows, size_t *count)
{
    for (const char *at = list; *at && *at != '\n';) {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (unsigned long n = first; n <= last && n < d->rows.count; n++) {
            if (rows)
                rows[*count] = arena_copy_bytes(d->arena, d->rows.items[n], strcspn(d->rows.items[n], "\n"));
            ++*count;
        }
        at = *end == ' ' ? end + 1 : end;
    }
}

const char *const *data_properties(struct data *d, const char *command, const char *type, size_t *ret_count,
                                   const char **ret_error)
{
    *ret_count = 0;
    *ret_error = NULL;
    owned_memory char *key = memory_printf("%s\t%s", command, type);
    const char *line = map_find_text(d->properties, key);
    if (!line)
        return NULL;
    if (text_starts(line, "refusal\t")) {
        const char *f[FIELDS_MAX];
        fields(d, line, f);
        *ret_error = f[3];
        return NULL;
    }
    const char *list = line + strlen(key);
    list += *list == '\t';
    size_t count = 0;
    add_rows(d, list, NULL, &count);
    const char **rows = arena_alloc(d->arena, (count + 1) * sizeof *rows);
    add_rows(d, list, rows, ret_count);
    return rows;
}
