/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/object.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/chardev.h"
#include "simvmm/compose.h"
#include "simvmm/keyval.h"
#include "simvmm/monitor.h"
#include "simvmm/option.h"
#include "simvmm/property.h"

bool object_is_early(const char *type)
{
    static const char *const late[] = { "memory-backend-", "monitor-",   "rng-egd", "filter-",
                                        "colo-",           "pr-manager", "x-remote" };
    for (size_t i = 0; i < ARRAY_COUNT(late); i++)
        if (type && text_starts(type, late[i]))
            return false;
    return true;
}

static int complete_memory(struct vm *vm, struct qom_node *node, const struct json *given, struct error *err)
{
    uint64_t size = 0;
    if (!json_get(given, "size"))
        return fail(err, ERR_INVALID_ARG, "Parameter 'size' is missing");
    const char *text = keyval_text(given, "size"), *path = keyval_text(given, "mem-path");
    if (!text || !keyval_parse_size(text, 1, &size))
        return fail(err, ERR_INVALID_ARG, "Parameter 'size' expects a size value");
    if (text_equal(node->type, "memory-backend-file") && !path)
        return fail(err, ERR_INVALID_ARG, "Parameter 'mem-path' is missing");
    if (path && access(path, F_OK) != 0 && strrchr(path, '/') == path)
        return fail(err, ERR_INVALID_ARG,
                    "can't open backing store %s for guest RAM: No such file or directory", path);
    for (size_t i = 0; i < node->properties.count; i++)
        if (node->properties.items[i].kind == QOM_CHILD && node->properties.items[i].node)
            qom_set_number(node->properties.items[i].node, "size", size);
    (void) vm;
    return 0;
}

static int complete_secret(struct vm *vm, struct qom_node *node, const struct json *given, struct error *err)
{
    (void) vm;
    (void) node;
    const char *file = keyval_text(given, "file");
    if (!file && !json_get(given, "data"))
        return fail(err, ERR_INVALID_ARG, "Either 'file' or 'data' must be provided"), option_bare(err);
    if (file && access(file, R_OK) != 0)
        return fail(
                   err, ERR_INVALID_ARG,
                   "Unable to read %s: Failed to open file \xe2\x80\x9c%s\xe2\x80\x9d: "
                    "No such file or directory",
                   file, file),
               option_bare(err);
    return 0;
}

static int complete_monitor(struct vm *vm, struct qom_node *node, const struct json *given, struct error *err)
{
    const char *name = keyval_text(given, "chardev");
    struct chardev *chardev = name ? chardev_find(vm, name) : NULL;
    if (!name)
        return fail(err, ERR_INVALID_ARG, "Parameter 'chardev' is missing");
    if (!chardev)
        return fail(err, ERR_INVALID_ARG, "chardev \"%s\" not found", name), option_bare(err);
    if (text_equal(node->type, "monitor-hmp"))
        return fail(err, ERR_NO_SUPPORT,
                    "a human monitor is not simulated; human-monitor-command answers some commands");
    monitor_attach(vm, chardev);
    return 0;
}

static int complete_iothread(struct vm *vm, struct qom_node *node, const struct json *given,
                             struct error *err)
{
    (void) given;
    (void) err;
    vector_push(&vm->iothreads, node->name);
    return 0;
}

static const struct {
    const char *prefix;
    int (*complete)(struct vm *vm, struct qom_node *node, const struct json *given, struct error *err);
} kinds[] = {
    { "memory-backend-", complete_memory }, { "secret", complete_secret }, { "monitor-", complete_monitor },
    { "iothread", complete_iothread },
};

static int fill(struct vm *vm, struct qom_node *node, const struct json *given, struct error *err)
{
    for (size_t i = 0; i < given->length; i++) {
        const struct json_member *m = &given->members[i];
        if (text_equal(m->key, "qom-type") || text_equal(m->key, "id"))
            continue;
        if (!qom_property_find(node, m->key))
            return fail(err, ERR_INVALID_ARG, "Invalid parameter '%s'", m->key);
        uint64_t size;
        const char *text = keyval_text(given, m->key);
        if (text_equal(m->key, "size") && text && keyval_parse_size(text, 1, &size))
            qom_set_number(node, "size", size);
        else if (text_equal(m->key, "size"))
            return fail(err, ERR_INVALID_ARG, "Parameter 'size' expects a size value");
        else if (property_set(vm, node, m->key, m->value, false, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
        if (text_starts(node->type, kinds[i].prefix))
            return kinds[i].complete(vm, node, given, err);
    return 0;
}

struct qom_node *object_create(struct vm *vm, const struct json *given, struct error *err)
{
    const char *type = keyval_text(given, "qom-type"), *id = keyval_text(given, "id");
    struct qom_node *objects = qom_at(vm->tree, "/objects");
    if (!type)
        return fail(err, ERR_INVALID_ARG, "Parameter 'qom-type' is missing"), NULL;
    if (!id)
        return fail(err, ERR_INVALID_ARG, "Parameter 'id' is missing"), NULL;
    const struct part *part = data_part(vm->data, "object", type);
    if (!part)
        return fail(err, ERR_INVALID_ARG, "Parameter 'qom-type' does not accept value '%s'", type), NULL;
    struct qom_property *there = qom_property_find(objects, id);
    if (there && there->node == vm->own_memory) {
        /* -machine memory-backend= names it: ours steps aside. */
        qom_node_remove(vm->tree, there->node);
        vm->own_memory = NULL;
    } else if (there) {
        return fail(err, ERR_INVALID_ARG, "Duplicate ID '%s' for object", id), NULL;
    }
    struct placing place = { .parent = objects,
                             .name = arena_copy(vm->arena, id),
                             .id = arena_copy(vm->arena, id) };
    struct qom_node *node = compose_part(vm, part, &place);
    if (fill(vm, node, given, err) < 0) {
        qom_node_remove(vm->tree, node);
        return NULL;
    }
    return node;
}

int object_delete(struct vm *vm, const char *id, struct error *err)
{
    struct qom_node *node = qom_child(qom_at(vm->tree, "/objects"), id);
    if (!node)
        return fail(err, ERR_INVALID_ARG, "object '%s' not found", id);
    for (size_t i = 0; i < vm->iothreads.count; i++)
        if (text_equal(vm->iothreads.items[i], id)) {
            vector_remove(&vm->iothreads, i);
            break;
        }
    qom_node_remove(vm->tree, node);
    return 0;
}
