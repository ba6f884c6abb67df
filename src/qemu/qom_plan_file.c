/* SPDX-License-Identifier: Apache-2.0 */
/* {"version": 2, "key": "...", "objects": [[parent, start, "name", "request", properties], ...]}, without the
 * root. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "json/json.h"
#include "qemu/qom_plan_private.h"

enum { PLAN_VERSION = 2, PLAN_BYTES_MAX = 32 << 20, PLANS_MAX = 500 };

uint64_t qom_plan_hash(const char *key)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *c = key; *c; c++)
        hash = (hash ^ (unsigned char) *c) * 1099511628211u;
    return hash;
}

static char *plan_path(const char *folder, const char *key)
{
    return memory_printf("%s/%016" PRIx64 ".json", folder, qom_plan_hash(key));
}

/* --- loading: nothing in the file is believed ------------------------------------------------- */

static bool read_index(const struct json *value, size_t limit, uint32_t *ret_index)
{
    uint64_t index;
    if (!json_to_u64(value, &index) || index >= limit)
        return false;
    *ret_index = (uint32_t) index;
    return true;
}

static const char *read_name(const struct json *value)
{
    const char *text = json_text(value);
    bool fine = text && value->length && value->length <= QOM_NAME_MAX && strlen(text) == value->length;
    return fine ? text : NULL;
}

static unsigned depth_of(const struct qom_plan *plan, uint32_t object)
{
    unsigned depth = 0;
    for (; object != 0; object = plan->objects.items[object].parent)
        depth++;
    return depth;
}

static int read_object(struct qom_plan *plan, const struct json *row, struct error *err)
{
    uint32_t parent, start, properties;
    const char *name = read_name(json_at(row, 2)), *request = read_name(json_at(row, 3));
    size_t count = plan->objects.count;
    if (!read_index(json_at(row, 0), count, &parent) || !read_index(json_at(row, 1), count, &start) ||
        !name || !request || !read_index(json_at(row, 4), QOM_PROPERTIES_MAX, &properties))
        return fail(err, ERR_INVALID_ARG, "object %zu is not [parent, start, name, request, properties]",
                    count);
    if (strchr(name, '/') || depth_of(plan, parent) >= QOM_DEPTH_MAX - 1)
        return fail(err, ERR_INVALID_ARG, "object %zu has no place in a tree", count);
    qom_plan_add(plan, parent, start, name, request, properties);
    if (request[0] != '/')
        return 0;
    owned_buffer struct buffer path = { 0 };
    qom_plan_path(plan, (uint32_t) count, &path);
    if (start != 0 || strcmp(path.data, request) != 0)
        return fail(err, ERR_INVALID_ARG, "object %zu is asked for as something else", count);
    return 0;
}

static int read_plan(struct qom_plan *plan, const struct json *file, struct error *err)
{
    uint64_t version;
    const struct json *objects = json_get(file, "objects");
    if (!json_to_u64(json_get(file, "version"), &version) || version != PLAN_VERSION)
        return fail(err, ERR_INVALID_ARG, "not version %d of a plan", PLAN_VERSION);
    if (!text_equal(json_get_text(file, "key"), plan->key))
        return fail(err, ERR_INVALID_ARG, "it belongs to another guest");
    if (!objects || objects->type != JSON_ARRAY || objects->length >= QOM_OBJECTS_MAX)
        return fail(err, ERR_INVALID_ARG, "no list of at most %d objects", QOM_OBJECTS_MAX);
    for (size_t i = 0; i < objects->length; i++)
        if (read_object(plan, objects->items[i], err) < 0)
            return -1;
    return 0;
}

struct qom_plan *qom_plan_load(const char *folder, const char *key, struct error *err)
{
    owned_memory char *path = plan_path(folder, key);
    struct stat st;
    if (stat(path, &st) < 0)
        return NULL;
    owned_buffer struct buffer text = { 0 };
    owned(arena) struct arena *arena = arena_new();
    owned(qom_plan) struct qom_plan *plan = qom_plan_new(key);
    const struct json *file;
    if (file_read_regular(path, PLAN_BYTES_MAX, &text, err) < 0 ||
        !(file = json_parse(text.data, text.length, arena, err)) || read_plan(plan, file, err) < 0) {
        fail_in(err, "%s", path);
        return NULL;
    }
    return take(plan);
}

/* --- saving ----------------------------------------------------------------------------------- */

static void write_plan(const struct qom_plan *plan, struct buffer *out)
{
    struct json_writer w = { .out = out };
    json_open(&w, '{');
    json_key(&w, "version"), json_u64(&w, PLAN_VERSION);
    json_key(&w, "key"), json_string(&w, plan->key);
    json_key(&w, "objects"), json_open(&w, '[');
    for (size_t i = 1; i < plan->objects.count; i++) {
        const struct qom_plan_object *o = &plan->objects.items[i];
        json_open(&w, '[');
        json_u64(&w, o->parent), json_u64(&w, o->start);
        json_string(&w, o->name), json_string(&w, o->request), json_u64(&w, o->properties);
        json_close(&w, ']');
    }
    json_close(&w, ']');
    json_close(&w, '}');
    buffer_add_char(out, '\n');
}

/* Removes the oldest file when there are too many.  Failing to is not worth a word. */
static void forget_oldest(const char *folder)
{
    char **names = NULL;
    size_t count = 0;
    error_scope(err);
    if (folder_list(folder, &names, &count, &err) < 0)
        return;
    owned_memory char *oldest = NULL;
    time_t age = 0;
    for (size_t i = 0; count > PLANS_MAX && i < count; i++) {
        struct stat st;
        owned_memory char *path = memory_printf("%s/%s", folder, names[i]);
        if (!text_ends(names[i], ".json") || text_starts(names[i], "parts-") || stat(path, &st) < 0 ||
            (oldest && st.st_mtime >= age))
            continue;
        free(oldest);
        oldest = take(path);
        age = st.st_mtime;
    }
    if (oldest)
        file_drop(oldest, &err);
    folder_names_free(names, count);
}

int qom_plan_save(const struct qom_plan *plan, const char *folder, struct error *err)
{
    owned_memory char *path = plan_path(folder, plan->key);
    owned_buffer struct buffer text = { 0 };
    write_plan(plan, &text);
    if (text.length > PLAN_BYTES_MAX)
        return fail(err, ERR_INTERNAL, "the plan for the object tree is larger than %d bytes",
                    PLAN_BYTES_MAX);
    if (folder_make(folder, 0700, err) < 0 || file_swap(path, text.data, text.length, 0600, err) < 0)
        return -1;
    forget_oldest(folder);
    return 0;
}
