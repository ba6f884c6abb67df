/* SPDX-License-Identifier: Apache-2.0 */
/* How a VMM resolves paths, done on the kept tree. */
#include <string.h>

#include "base/text.h"
#include "qemu/qom_store.h"

static bool same_name(const char *name, const char *part, size_t length)
{
    return strncmp(name, part, length) == 0 && name[length] == 0;
}

uint32_t qom_store_child(const struct qom_store *s, uint32_t object, const char *name)
{
    return qom_store_child_named(s, object, name, strlen(name));
}

/* The next component of a path, or NULL at its end; empty ones are skipped. */
static const char *next_part(const char **path, size_t *ret_length)
{
    const char *part = *path + strspn(*path, "/");
    *ret_length = strcspn(part, "/");
    *path = part + *ret_length;
    return *ret_length ? part : NULL;
}

/* Where a link's value, a canonical path as JSON text, leads. */
static uint32_t link_target(const struct qom_store *s, const char *value)
{
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    const char *path = json_text(json_parse(value, strlen(value), arena, &err)), *part;
    if (!path || path[0] != '/')
        return QOM_NONE;
    uint32_t object = QOM_ROOT;
    for (size_t length; object != QOM_NONE && (part = next_part(&path, &length)) != NULL; )
        object = qom_store_child_named(s, object, part, length);
    return object;
}

uint32_t qom_store_follow(const struct qom_store *s, const struct qom_property *p)
{
    return p->value && text_starts(p->type, "link<") ? link_target(s, p->value) : QOM_NONE;
}

uint32_t qom_store_step(const struct qom_store *s, uint32_t object, const char *name, size_t length)
{
    uint32_t child = qom_store_child_named(s, object, name, length);
    if (child != QOM_NONE)
        return child;
    for (size_t i = 0; i < qom_store_property_count(s, object); i++) {
        struct qom_property p = qom_store_property(s, object, i);
        if (same_name(p.name, name, length))
            return qom_store_follow(s, &p);
    }
    return QOM_NONE;
}

uint32_t qom_store_walk(const struct qom_store *s, uint32_t object, const char *path)
{
    const char *part;
    for (size_t length; object != QOM_NONE && (part = next_part(&path, &length)) != NULL; )
        object = qom_store_step(s, object, part, length);
    return object;
}

uint32_t qom_store_find(const struct qom_store *s, const char *path, bool *ret_ambiguous)
{
    *ret_ambiguous = false;
    if (path[0] == '/')
        return qom_store_walk(s, QOM_ROOT, path);
    uint32_t found = QOM_NONE;
    for (uint32_t start = 0; start < qom_store_count(s); start++) {
        uint32_t object = qom_store_walk(s, start, path);
        if (object == QOM_NONE)
            continue;
        if (found != QOM_NONE) {
            *ret_ambiguous = true;
            return QOM_NONE;
        }
        found = object;
    }
    return found;
}

bool qom_store_hides(const struct qom_store *s, const char *path, const char *property)
{
    bool ambiguous;
    uint32_t object = qom_store_find(s, path, &ambiguous);
    if (object != QOM_NONE)
        return qom_type_hides(qom_store_type(s, object), property);
    return qom_type_hides("secret", property);
}

void qom_store_write(const struct qom_store *s, uint32_t object, struct json_writer *w)
{
    owned_buffer struct buffer path = { 0 };
    qom_store_add_path(s, object, &path);
    json_open(w, '{');
    json_key(w, "path"), json_string(w, path.data);
    json_key(w, "type"), json_string(w, qom_store_type(s, object));
    json_key(w, "properties"), json_open(w, '[');
    for (size_t i = 0; i < qom_store_property_count(s, object); i++) {
        struct qom_property p = qom_store_property(s, object, i);
        json_open(w, '{');
        json_key(w, "name"), json_string(w, p.name);
        json_key(w, "type"), json_string(w, p.type);
        if (p.value)
            json_key(w, "value"), json_raw(w, p.value);
        if (p.secret)
            json_key(w, "secret"), json_bool(w, true);
        json_close(w, '}');
    }
    uint32_t first, count = qom_store_children(s, object, &first);
    for (uint32_t child = first; child < first + count; child++) {
        owned_buffer struct buffer type = { 0 };
        buffer_printf(&type, "child<%s>", qom_store_type(s, child));
        path.length = 0;
        qom_store_add_path(s, child, &path);
        json_open(w, '{');
        json_key(w, "name"), json_string(w, qom_store_name(s, child));
        json_key(w, "type"), json_string(w, type.data);
        json_key(w, "value"), json_string(w, path.data);
        json_close(w, '}');
    }
    json_close(w, ']');
    json_close(w, '}');
}
