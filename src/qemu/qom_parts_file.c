/* SPDX-License-Identifier: Apache-2.0 */
/* {"version": 2, "emulator": "...", "parts": [{"key": "...", "cpus": N,
 *   "objects": [[parent, "name", kind, properties], ...], "links": [[object, "name", "target"], ...]}, ...]};
 * kind is 0, or 1 for a leaf, or 2 for a processor. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "json/json.h"
#include "qemu/qom_parts_private.h"
#include "qemu/qom_plan_private.h"

enum { PARTS_VERSION = 2, PARTS_BYTES_MAX = 32 << 20, KIND_LEAF = 1, KIND_CPU = 2 };

static char *parts_path(const char *folder, const char *emulator_key)
{
    return memory_printf("%s/parts-%016" PRIx64 ".json", folder, qom_plan_hash(emulator_key));
}

/* --- loading: nothing in the file is believed ---------------------------------------------------- */

static const char *read_text(const struct json *value)
{
    const char *text = json_text(value);
    bool fine = text && value->length && value->length <= QOM_NAME_MAX && strlen(text) == value->length;
    return fine ? text : NULL;
}

static int read_object(struct qom_sketch *sketch, const struct json *row, struct error *err)
{
    uint64_t parent, kind, properties;
    const char *name = read_text(json_at(row, 1));
    size_t index = sketch->objects.count;
    if (!json_to_u64(json_at(row, 0), &parent) || parent > index || !name ||
        !json_to_u64(json_at(row, 2), &kind) || kind > (KIND_LEAF | KIND_CPU) ||
        !json_to_u64(json_at(row, 3), &properties) || properties > QOM_PROPERTIES_MAX)
        return fail(err, ERR_INVALID_ARG, "object %zu is not [parent, name, kind, properties]", index);
    if (strchr(name, '/') && parent != index)
        return fail(err, ERR_INVALID_ARG, "object %zu has a slash in its name", index);
    qom_sketch_add(sketch, (uint32_t) parent, name, kind & KIND_LEAF, (uint32_t) properties);
    sketch->objects.items[index].cpu = kind & KIND_CPU;
    return 0;
}

static int read_link(struct qom_sketch *sketch, const struct json *row, struct error *err)
{
    uint64_t object;
    const char *name = read_text(json_at(row, 1)), *target = read_text(json_at(row, 2));
    if (!json_to_u64(json_at(row, 0), &object) || object >= sketch->objects.count || !name || !target)
        return fail(err, ERR_INVALID_ARG, "a link is not [object, name, target]");
    qom_sketch_link(sketch, (uint32_t) object, name, target);
    return 0;
}

/* A part's first top is itself, and others stand in a folder; a machine's only one is the root. */
static int check_tops(const struct qom_sketch *sketch, bool machine, struct error *err)
{
    for (uint32_t o = 0; o < sketch->objects.count; o++) {
        const struct qom_sketch_object *object = &sketch->objects.items[o];
        bool fine = object->parent != o || strcmp(object->name, o ? "" : machine ? "/" : PART_ID) == 0 ||
                    (o && !machine && text_starts(object->name, EXTRAS_FOLDER "/"));
        if (!fine)
            return fail(err, ERR_INVALID_ARG, "object %u has no place", o);
    }
    return 0;
}

static int read_sketch(struct qom_sketch *sketch, const struct json *part, bool machine, struct error *err)
{
    const struct json *objects = json_get(part, "objects"), *links = json_get(part, "links");
    if (objects && objects->length > QOM_OBJECTS_MAX)
        return fail(err, ERR_INVALID_ARG, "it has more than %d objects", QOM_OBJECTS_MAX);
    for (size_t i = 0; json_at(objects, i); i++)
        if (read_object(sketch, json_at(objects, i), err) < 0)
            return -1;
    for (size_t i = 0; json_at(links, i); i++)
        if (read_link(sketch, json_at(links, i), err) < 0)
            return -1;
    return check_tops(sketch, machine, err);
}

static int read_part(struct qom_parts *parts, const struct json *row, struct error *err)
{
    uint64_t cpus;
    const char *key = json_get_text(row, "key");
    owned(qom_sketch) struct qom_sketch *sketch = qom_sketch_new();
    if (!key || !json_to_u64(json_get(row, "cpus"), &cpus) || cpus > QOM_LINE_CPUS_MAX)
        return fail(err, ERR_INVALID_ARG, "a part has no key or number of processors");
    if (read_sketch(sketch, row, cpus != 0, err) < 0)
        return fail_in(err, "part '%.100s'", key);
    vector_push(&parts->list, qom_part_new(key, (unsigned) cpus, take(sketch)));
    return 0;
}

static int read_parts(struct qom_parts *parts, const struct json *file, struct error *err)
{
    uint64_t version;
    const struct json *list = json_get(file, "parts");
    if (!json_to_u64(json_get(file, "version"), &version) || version != PARTS_VERSION)
        return fail(err, ERR_INVALID_ARG, "not version %d of an emulator's parts", PARTS_VERSION);
    if (!text_equal(json_get_text(file, "emulator"), parts->emulator_key))
        return fail(err, ERR_INVALID_ARG, "it belongs to another emulator");
    for (size_t i = 0; json_at(list, i) && i < PARTS_MAX; i++)
        if (read_part(parts, json_at(list, i), err) < 0)
            return -1;
    return 0;
}

struct qom_parts *qom_parts_load(const char *folder, const char *emulator_key, struct error *err)
{
    owned_memory char *path = parts_path(folder, emulator_key);
    struct stat st;
    if (stat(path, &st) < 0)
        return NULL;
    owned_buffer struct buffer text = { 0 };
    owned(arena) struct arena *arena = arena_new();
    owned(qom_parts) struct qom_parts *parts = qom_parts_new(emulator_key);
    const struct json *file;
    if (file_read_regular(path, PARTS_BYTES_MAX, &text, err) < 0 ||
        !(file = json_parse(text.data, text.length, arena, err)) || read_parts(parts, file, err) < 0) {
        fail_in(err, "%s", path);
        return NULL;
    }
    return take(parts);
}

/* --- saving -------------------------------------------------------------------------------------- */

static void write_part(const struct qom_part *part, struct json_writer *w)
{
    json_open(w, '{');
    json_key(w, "key"), json_string(w, part->key);
    json_key(w, "cpus"), json_u64(w, part->cpus);
    json_key(w, "objects"), json_open(w, '[');
    for (size_t i = 0; i < part->sketch->objects.count; i++) {
        const struct qom_sketch_object *o = &part->sketch->objects.items[i];
        json_open(w, '[');
        json_u64(w, o->parent), json_string(w, o->name);
        json_u64(w, (o->leaf ? KIND_LEAF : 0) | (o->cpu ? KIND_CPU : 0)), json_u64(w, o->properties);
        json_close(w, ']');
    }
    json_close(w, ']');
    json_key(w, "links"), json_open(w, '[');
    for (size_t i = 0; i < part->sketch->links.count; i++) {
        const struct qom_sketch_link *l = &part->sketch->links.items[i];
        json_open(w, '[');
        json_u64(w, l->object), json_string(w, l->name), json_string(w, l->target);
        json_close(w, ']');
    }
    json_close(w, ']');
    json_close(w, '}');
}

int qom_parts_save(const struct qom_parts *parts, const char *folder, struct error *err)
{
    owned_memory char *path = parts_path(folder, parts->emulator_key);
    owned_buffer struct buffer text = { 0 };
    struct json_writer w = { .out = &text };
    json_open(&w, '{');
    json_key(&w, "version"), json_u64(&w, PARTS_VERSION);
    json_key(&w, "emulator"), json_string(&w, parts->emulator_key);
    json_key(&w, "parts"), json_open(&w, '[');
    for (size_t i = 0; i < parts->list.count; i++)
        write_part(parts->list.items[i], &w);
    json_close(&w, ']');
    json_close(&w, '}');
    buffer_add_char(&text, '\n');
    if (text.length > PARTS_BYTES_MAX)
        return fail(err, ERR_INTERNAL, "an emulator's parts take more than %d bytes", PARTS_BYTES_MAX);
    if (folder_make(folder, 0700, err) < 0)
        return -1;
    return file_swap(path, text.data, text.length, 0600, err);
}
