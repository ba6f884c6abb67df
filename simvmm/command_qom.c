/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/device.h"
#include "simvmm/guest_stats.h"
#include "simvmm/property.h"
#include "simvmm/value.h"

/* An unknown path is DeviceNotFound everywhere; an ambiguous one is so only where `plain` says so. */
static struct qom_node *node_at(struct call *call, const char *path, bool plain, struct error *err)
{
    bool ambiguous;
    struct qom_node *node = qom_resolve(call->vm->tree, path, &ambiguous);
    if (node)
        return node;
    if (ambiguous && !plain)
        return fail(err, ERR_INVALID_ARG, "Path '%s' is ambiguous", path), NULL;
    return fail(err, ERR_DEVICE_MISSING, "Device '%s' not found", path), NULL;
}

static char *put(char *at, const char *text, size_t length)
{
    return mempcpy(at, text, length);
}

/* A name: of what JSON would escape, only a backslash occurs. */
static char *put_name(char *at, const char *name)
{
    size_t plain = strcspn(name, "\\");
    at = put(at, name, plain);
    for (name += plain; *name; name++) {
        if (*name == '\\')
            *at++ = '\\';
        *at++ = *name;
    }
    return at;
}

#define PUT(at, literal) put(at, literal, sizeof literal - 1)

/* {"name": N, "value": V, "type": T}, the value only if asked for and there is one. This is nearly all
 * that a large reply consists of, hence the haste. */
static void add_property(const struct qom_property *p, bool first, bool value, struct buffer *out)
{
    size_t name = strlen(p->name), type = strlen(p->type);
    char *start = buffer_room(out, 2 * name + 64), *at = first ? start : PUT(start, ", ");
    at = PUT(at, "{\"name\": \"");
    at = put_name(at, p->name);
    at = PUT(at, "\"");
    out->length += (size_t) (at - start);
    if (value) {
        size_t mark = out->length;
        buffer_add(out, ", \"value\": ", 11);
        if (!qom_print_value(p, out))
            out->length = mark;
    }
    start = buffer_room(out, type + 32);
    at = PUT(start, ", \"type\": \"");
    at = put(at, p->type, type);
    at = PUT(at, "\"}");
    out->length += (size_t) (at - start);
    out->data[out->length] = '\0';
}

static int list(struct call *call, struct error *err)
{
    struct qom_node *node = node_at(call, json_get_text(call->arguments, "path"), false, err);
    if (!node)
        return -1;
    buffer_add_char(&call->out, '[');
    for (size_t i = 0; i < node->properties.count; i++)
        add_property(&node->properties.items[i], i == 0, false, &call->out);
    buffer_add_char(&call->out, ']');
    return 0;
}

static int get(struct call *call, struct error *err)
{
    const char *name = json_get_text(call->arguments, "property");
    struct qom_node *node = node_at(call, json_get_text(call->arguments, "path"), true, err);
    if (!node)
        return -1;
    const struct qom_property *p = qom_property_find(node, name);
    if (!p)
        return fail(err, ERR_INVALID_ARG, "Property '%s.%s' not found", node->type, name);
    if (qom_print_value(p, &call->out))
        return 0;
    return fail(err, ERR_INVALID_ARG,
                text_equal(name, "crash-information") ? "No crash occurred"
                                                      : "Property '%s.%s' is not readable",
                node->type, name);
}

/* Whether it is one of those that a device is made from, and that do not change any more once it is there. */
static bool is_fixed(struct call *call, const struct qom_node *node, const char *owner, const char *name)
{
    size_t count;
    const char *refusal;
    const struct qom_property *realized = qom_property_find(node, "realized");
    const char *const *rows =
        data_properties(call->vm->data, "device-list-properties", owner, &count, &refusal);
    owned_memory char *start = memory_printf("\"name\": \"%s\"", name);
    for (size_t i = 0; realized && i < count; i++)
        if (strstr(rows[i], start))
            return strstr(rows[i], "\"default-value\"") || strstr(rows[i], "\"type\": \"str\"");
    return false;
}

static int refuse_fixed(const struct qom_node *node, const char *owner, const char *name, struct error *err)
{
    const struct device *device = text_equal(owner, node->type) ? node->device : NULL;
    if (device && device->id)
        return fail(err, ERR_INVALID_ARG,
                    "Attempt to set property '%s' on device '%s' (type '%s') after it was realized", name,
                    device->id, owner);
    return fail(err, ERR_INVALID_ARG,
                "Attempt to set property '%s' on anonymous device (type '%s') after it was realized", name,
                owner);
}

/* What QEMU does about it, besides. */
static int set_value(struct call *call, struct qom_node *node, const char *name, struct error *err)
{
    const struct json *value = json_get(call->arguments, "value");
    bool polling = text_equal(name, "guest-stats-polling-interval");
    uint64_t seconds = 0;
    if (polling && guest_stats_check(value, err) < 0)
        return -1;
    if (property_set(call->vm, node, name, value, true, err) < 0)
        return -1;
    if (polling && json_to_u64(value, &seconds))
        guest_stats_poll(call->vm, node, seconds);
    return 0;
}

static int set(struct call *call, struct error *err)
{
    const char *name = json_get_text(call->arguments, "property");
    struct qom_node *node = node_at(call, json_get_text(call->arguments, "path"), true, err);
    if (!node)
        return -1;
    const struct qom_property *p = qom_property_find(node, name);
    if (!p)
        return fail(err, ERR_INVALID_ARG, "Property '%s.%s' not found", node->type, name);
    if (p->kind == QOM_CHILD || p->kind == QOM_CLOCK || text_equal(name, "type") || !p->value)
        return fail(err, ERR_INVALID_ARG, "Property '%s.%s' is not writable", node->type, name);
    const char *owner = property_owner(node, name);
    if (is_fixed(call, node, owner, name))
        return refuse_fixed(node, owner, name, err);
    return set_value(call, node, name, err);
}

/* ---- many at once ---- */

static void add_properties(struct qom_node *node, struct buffer *out)
{
    buffer_add_text(out, "{\"properties\": [");
    for (size_t i = 0; i < node->properties.count; i++)
        add_property(&node->properties.items[i], i == 0, true, out);
    buffer_add_text(out, "]}");
}

static int list_get(struct call *call, struct error *err)
{
    const struct json *paths = json_get(call->arguments, "paths");
    buffer_add_char(&call->out, '[');
    for (size_t i = 0; i < paths->length; i++) {
        struct qom_node *node = node_at(call, json_text(paths->items[i]), false, err);
        if (!node) {
            call->out.length = 0;
            return -1;
        }
        if (i)
            buffer_add_text(&call->out, ", ");
        add_properties(node, &call->out);
    }
    buffer_add_char(&call->out, ']');
    return 0;
}

/* The seed's command: children only as children, all other properties as such; the root is called "/". */
static void add_tree(struct qom_node *node, struct buffer *out)
{
    bool first = true;
    buffer_add_text(out, "{\"name\": \"");
    char *room = buffer_room(out, 2 * strlen(node->name) + 2);
    out->length += (size_t) (put_name(room, node->parent ? node->name : "/") - room);
    buffer_add_text(out, "\", \"children\": [");
    for (size_t i = 0; i < node->properties.count; i++) {
        const struct qom_property *p = &node->properties.items[i];
        if (p->kind != QOM_CHILD || !p->node)
            continue;
        buffer_add_text(out, first ? "" : ", ");
        first = false;
        add_tree(p->node, out);
    }
    buffer_add_text(out, "], \"properties\": [");
    first = true;
    for (size_t i = 0; i < node->properties.count; i++)
        if (node->properties.items[i].kind != QOM_CHILD) {
            add_property(&node->properties.items[i], first, true, out);
            first = false;
        }
    buffer_add_text(out, "]}");
}

static int tree_get(struct call *call, struct error *err)
{
    struct qom_node *node = node_at(call, json_get_text(call->arguments, "path"), false, err);
    if (!node)
        return -1;
    add_tree(node, &call->out);
    return 0;
}

static const struct argument path_only[] = { { "path", ARG_TEXT, false }, { NULL, 0, false } };
static const struct argument path_property[] = { { "path", ARG_TEXT, false },
                                                 { "property", ARG_TEXT, false },
                                                 { NULL, 0, false } };
static const struct argument path_property_value[] = {
    { "path", ARG_TEXT, false },
    { "property", ARG_TEXT, false },
    { "value", ARG_ANY, false },
    { NULL, 0, false },
};
static const struct argument paths_only[] = { { "paths", ARG_TEXTS, false }, { NULL, 0, false } };

const struct command qom_commands[] = {
    { "qom-list", ALWAYS, list, path_only },
    { "qom-get", ALWAYS, get, path_property },
    { "qom-set", ALWAYS, set, path_property_value },
    { "qom-list-get", BULK_LIST_GET, list_get, paths_only },
    { "qom-list-getv", BULK_LIST_GETV, list_get, paths_only },
    { "qom-tree-get", BULK_TREE_GET, tree_get, path_only },
    { NULL, ALWAYS, NULL, NULL },
};
