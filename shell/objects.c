/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/objects.h"

#include <string.h>
#include <time.h>

#include "base/map.h"
#include "base/text.h"
#include "base/uuid.h"

static const char export_kind[] = "domus-qom";
enum { EXPORT_VERSION = 1 };

struct objects *objects_new(const char *label)
{
    struct objects *objects = NEW(struct objects);
    objects->arena = arena_new();
    objects->label = arena_copy(objects->arena, label);
    return objects;
}

void objects_free(struct objects *objects)
{
    if (!objects)
        return;
    arena_free(objects->arena);
    vector_done(&objects->list);
    free(objects);
}

/* --- adding --- */

/* The first object is the top; each other has its parent before it. */
static int add(struct objects *objects, struct map *places, struct object object, struct error *err)
{
    const char *slash = strrchr(object.path, '/');
    if (!slash || objects->list.count == OBJECTS_MAX)
        return slash ? fail(err, ERR_INVALID_ARG, "it has more than %d objects", OBJECTS_MAX)
                     : fail(err, ERR_INVALID_ARG, "'%.200s' is no path of an object", object.path);
    bool root = slash == object.path && !slash[1];
    object.name = root ? slash : slash + 1;
    object.parent = NO_OBJECT;
    if (objects->list.count) {
        owned_memory char *above =
            memory_copy_bytes(object.path, slash == object.path ? 1 : (size_t) (slash - object.path));
        uintptr_t place = (uintptr_t) map_find_text(places, above);
        if (root || !place)
            return fail(err, ERR_INVALID_ARG, "object '%.200s' comes before the one above it", object.path);
        object.parent = (uint32_t) (place - 1);
    }
    if (map_find_text(places, object.path))
        return fail(err, ERR_INVALID_ARG, "object '%.200s' is there twice", object.path);
    vector_push(&objects->list, object);
    map_set_text(places, object.path, (void *) (uintptr_t) objects->list.count);
    return 0;
}

static const char *copy(struct objects *objects, const char *text)
{
    return text ? arena_copy(objects->arena, text) : NULL;
}

int objects_add_reply(struct objects *objects, const domus_qom_tree_ret *reply, struct error *err)
{
    owned(map) struct map *places = map_new();
    for (u_int i = 0; i < reply->objects.objects_len; i++) {
        const domus_qom_object *from = &reply->objects.objects_val[i];
        size_t count = from->properties.properties_len;
        struct object_property *to = arena_alloc(objects->arena, (count + 1) * sizeof *to);
        for (size_t j = 0; j < count; j++) {
            const domus_qom_property *p = &from->properties.properties_val[j];
            to[j] = (struct object_property) { copy(objects, p->name), copy(objects, p->type),
                                               copy(objects, p->value ? *p->value : NULL) };
        }
        struct object object = { .path = copy(objects, from->path),
                                 .type = copy(objects, from->type),
                                 .properties = to,
                                 .count = count };
        if (add(objects, places, object, err) < 0)
            return fail_in(err, "the daemon's tree of %s", objects->label);
    }
    return 0;
}

/* --- an export --- */

static int read_property(struct objects *objects, const struct json *from, struct object_property *to,
                         struct error *err)
{
    const char *name = json_get_text(from, "name"), *type = json_get_text(from, "type");
    const struct json *value = json_get(from, "value");
    if (!name || !type)
        return fail(err, ERR_INVALID_ARG, "a property has no name or type");
    owned_buffer struct buffer text = { 0 };
    struct json_writer w = { .out = &text };
    if (value)
        json_value(&w, value);
    *to = (struct object_property) { copy(objects, name), copy(objects, type),
                                     value ? copy(objects, buffer_text(&text)) : NULL };
    return 0;
}

static int read_object(struct objects *objects, struct map *places, const struct json *from,
                       struct error *err)
{
    const struct json *properties = json_get(from, "properties");
    const char *path = json_get_text(from, "path"), *type = json_get_text(from, "type");
    if (!path || !type || !properties || properties->type != JSON_ARRAY)
        return fail(err, ERR_INVALID_ARG, "it is no object with path, type and properties");
    struct object_property *to = arena_alloc(objects->arena, (properties->length + 1) * sizeof *to);
    for (size_t i = 0; i < properties->length; i++)
        if (read_property(objects, properties->items[i], &to[i], err) < 0)
            return -1;
    return add(objects, places,
               (struct object) { .path = copy(objects, path),
                                 .type = copy(objects, type),
                                 .properties = to,
                                 .count = properties->length },
               err);
}

static int read_heading(const struct json *from, uint64_t *ret_objects, struct error *err)
{
    uint64_t version;
    if (!text_equal(json_get_text(from, "export"), export_kind) ||
        !json_to_u64(json_get(from, "version"), &version) || version != EXPORT_VERSION ||
        !json_to_u64(json_get(from, "objects"), ret_objects))
        return fail(err, ERR_INVALID_ARG, "it is not the heading of an export (version %d)", EXPORT_VERSION);
    return 0;
}

static int read_line(struct objects *objects, struct map *places, const char *line, size_t length,
                     size_t number, uint64_t *announced, struct error *err)
{
    owned(arena) struct arena *arena = arena_new();
    const struct json *parsed = json_parse(line, length, arena, err);
    if (!parsed)
        return -1;
    return number == 1 ? read_heading(parsed, announced, err) : read_object(objects, places, parsed, err);
}

int objects_add_export(struct objects *objects, const char *text, size_t length, struct error *err)
{
    owned(map) struct map *places = map_new();
    uint64_t announced = 0;
    size_t number = 0;
    for (size_t at = 0; at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t line = end ? (size_t) (end - text) - at : length - at;
        number++;
        if (read_line(objects, places, text + at, line, number, &announced, err) < 0)
            return fail_in(err, "%s: line %zu", objects->label, number);
        at += line + 1;
    }
    if (number == 0 || objects->list.count != announced)
        return fail(err, ERR_INVALID_ARG, "%s: it has %zu objects, and its heading says %llu", objects->label,
                    objects->list.count, (unsigned long long) announced);
    return 0;
}

static void write_heading(struct json_writer *w, const domus_qom_tree_ret *tree,
                          const remote_nonnull_domain *dom)
{
    char uuid[UUID_TEXT_SIZE], date[40];
    time_t now = time(NULL);
    struct tm tm;
    uuid_format((const struct uuid *) dom->uuid, uuid);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    json_open(w, '{');
    json_key(w, "export"), json_string(w, export_kind);
    json_key(w, "version"), json_u64(w, EXPORT_VERSION);
    json_key(w, "domain"), json_string(w, dom->name);
    json_key(w, "uuid"), json_string(w, uuid);
    json_key(w, "time"), json_string(w, date);
    json_key(w, "objects"), json_u64(w, tree->objects.objects_len);
    json_close(w, '}');
}

void objects_write(struct json_writer *w, const domus_qom_object *object)
{
    json_open(w, '{');
    json_key(w, "path"), json_string(w, object->path);
    json_key(w, "type"), json_string(w, object->type);
    json_key(w, "properties"), json_open(w, '[');
    for (u_int i = 0; i < object->properties.properties_len; i++) {
        const domus_qom_property *p = &object->properties.properties_val[i];
        json_open(w, '{');
        json_key(w, "name"), json_string(w, p->name);
        json_key(w, "type"), json_string(w, p->type);
        if (p->value)
            json_key(w, "value"), json_raw(w, *p->value);
        json_close(w, '}');
    }
    json_close(w, ']');
    json_close(w, '}');
}

void objects_export(const domus_qom_tree_ret *tree, const remote_nonnull_domain *dom, struct buffer *out)
{
    struct json_writer heading = { .out = out };
    write_heading(&heading, tree, dom);
    buffer_add_char(out, '\n');
    for (u_int i = 0; i < tree->objects.objects_len; i++) {
        struct json_writer w = { .out = out };
        objects_write(&w, &tree->objects.objects_val[i]);
        buffer_add_char(out, '\n');
    }
}
