/* SPDX-License-Identifier: Apache-2.0 */
/* Our own program: the emulator's object tree, to be read, searched and changed. */
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/vector.h"
#include "daemon/request.h"
#include "qemu/operations.h"
#include "qemu/qom_pull.h"
#include "qemu/qom_search.h"
#include "qemu/qom_store.h"

/* What a reply holds (domus.x). */
enum {
    TREE_OBJECTS_MAX = 65536,
    TREE_PROPERTIES_MAX = 4096,
    MATCHES_MAX = 65536,
    MATCHES_BYTES_MAX = 16 << 20
};

static int reply_properties(const struct qom_store *store, uint32_t object, domus_qom_object *ret,
                            struct error *err)
{
    size_t count = qom_store_property_count(store, object);
    if (count > TREE_PROPERTIES_MAX)
        return fail(err, ERR_INTERNAL, "object %s has %zu properties; a reply holds %d", ret->path, count,
                    TREE_PROPERTIES_MAX);
    ret->properties.properties_val = memory_new((count + 1) * sizeof *ret->properties.properties_val);
    for (size_t i = 0; i < count; i++) {
        struct qom_property property = qom_store_property(store, object, i);
        ret->properties.properties_val[i] =
            (domus_qom_property) { memory_copy_text(property.name), memory_copy_text(property.type),
                                   remote_string_new(property.value) };
        ret->properties.properties_len++;
    }
    return 0;
}

static int reply_object(const struct qom_store *store, uint32_t object, domus_qom_tree_ret *ret,
                        struct error *err)
{
    owned_buffer struct buffer path = { 0 };
    uint32_t first, children = qom_store_children(store, object, &first);
    if (ret->objects.objects_len == TREE_OBJECTS_MAX)
        return fail(err, ERR_INTERNAL, "the tree has more than %d objects; ask for a part of it",
                    TREE_OBJECTS_MAX);

    domus_qom_object *to = &ret->objects.objects_val[ret->objects.objects_len++];
    qom_store_add_path(store, object, &path);
    to->path = buffer_take(&path);
    to->type = memory_copy_text(qom_store_type(store, object));
    if (reply_properties(store, object, to, err) < 0)
        return -1;
    for (uint32_t i = 0; i < children; i++) {
        if (reply_object(store, first + i, ret, err) < 0)
            return -1;
    }
    return 0;
}

static int check_tree_flags(unsigned flags, struct error *err)
{
    if (check_flags(flags, DOMUS_QOM_REFRESH | DOMUS_QOM_START | DOMUS_QOM_PREVIOUS, err) < 0)
        return -1;
    return flags & (flags - 1)
               ? fail(err, ERR_INVALID_ARG, "only one of the flags REFRESH, START and PREVIOUS can be meant")
               : 0;
}

/* Borrowed, or the caller's in *ret_saved; NULL with an error. */
static WAITS const struct qom_store *find_tree(struct domain *dom, unsigned flags,
                                               struct qom_store **ret_saved, struct error *err)
{
    if (flags & (DOMUS_QOM_START | DOMUS_QOM_PREVIOUS))
        return *ret_saved = domain_qom_saved(dom, flags & DOMUS_QOM_PREVIOUS, err);
    return domain_check_active(dom, err) < 0 ? NULL : domain_qom_tree(dom, flags & DOMUS_QOM_REFRESH, err);
}

int on_domus_qom_tree(struct request *request, const domus_qom_tree_args *args, domus_qom_tree_ret *ret,
                      struct error *err)
{
    bool ambiguous = false;
    owned(qom_store) struct qom_store *saved = NULL;
    if (check_tree_flags(args->flags, err) < 0)
        return -1;
    const struct qom_store *store = find_tree(request->dom, args->flags, &saved, err);
    if (!store)
        return -1;
    const char *path = args->path ? *args->path : "/";
    uint32_t root = qom_store_find(store, path, &ambiguous);
    if (root == QOM_NONE)
        return fail(err, ERR_INVALID_ARG,
                    ambiguous ? "path '%s' leads to more than one object"
                              : "there is no object '%s' in this guest's tree",
                    path);
    uint32_t room = qom_store_count(store);
    ret->objects.objects_val =
        memory_new((room < TREE_OBJECTS_MAX ? room : TREE_OBJECTS_MAX) * sizeof *ret->objects.objects_val);
    return reply_object(store, root, ret, err);
}

int on_domus_qom_get(struct request *request, const domus_qom_get_args *args, domus_qom_get_ret *ret,
                     struct error *err)
{
    if (domain_check_active(request->dom, err) < 0)
        return -1;
    return domain_qom_get(request->dom, args->path, args->property, &ret->value, err);
}

int on_domus_qom_stats(struct request *request, const domus_qom_stats_args *args, domus_qom_stats_ret *ret,
                       struct error *err)
{
    if (domain_check_active(request->dom, err) < 0)
        return -1;
    const struct qom_stats *stats = domain_qom_stats(request->dom, err);
    if (!stats)
        return -1;
    *ret = (domus_qom_stats_ret) {
        .objects = stats->objects,
        .properties = stats->properties,
        .calls = stats->calls,
        .round_trips = stats->round_trips,
        .request_bytes = stats->request_bytes,
        .reply_bytes = stats->reply_bytes,
        .milliseconds = stats->milliseconds,
        .plan = memory_copy_text(stats->plan),
        .method = memory_copy_text(stats->method),
    };
    return 0;
}

/* --- finding --- */

struct found {
    const struct qom_store *store;
    VECTOR(domus_qom_match) matches;
    size_t total, bytes;
};

static void add_match(void *arg, uint32_t object, const struct qom_property *property)
{
    struct found *found = arg;
    owned_buffer struct buffer path = { 0 };
    qom_store_add_path(found->store, object, &path);
    size_t bytes = path.length + 100 + (property && property->value ? strlen(property->value) : 0);
    found->total++;
    if (found->matches.count == MATCHES_MAX || found->bytes + bytes > MATCHES_BYTES_MAX)
        return;
    domus_qom_match match = {
        .path = buffer_take(&path),
        .type = memory_copy_text(qom_store_type(found->store, object)),
        .property = property ? remote_string_new(property->name) : NULL,
        .property_type = property ? remote_string_new(property->type) : NULL,
        .value = property ? remote_string_new(property->value) : NULL,
    };
    vector_push(&found->matches, match);
    found->bytes += bytes;
}

static int check_pattern(const remote_string pattern, const char *of, struct error *err)
{
    if (pattern && strlen(*pattern) > QOM_PATTERN_MAX)
        return fail(err, ERR_INVALID_ARG, "the pattern for the %s has more than %d bytes", of,
                    QOM_PATTERN_MAX);
    return 0;
}

int on_domus_qom_find(struct request *request, const domus_qom_find_args *args, domus_qom_find_ret *ret,
                      struct error *err)
{
    if (check_flags(args->flags, DOMUS_QOM_REFRESH, err) < 0 || domain_check_active(request->dom, err) < 0 ||
        check_pattern(args->path, "path", err) < 0 || check_pattern(args->type, "type", err) < 0 ||
        check_pattern(args->property, "property", err) < 0 || check_pattern(args->value, "value", err) < 0)
        return -1;
    const struct qom_search search = {
        args->path ? *args->path : NULL,
        args->type ? *args->type : NULL,
        args->property ? *args->property : NULL,
        args->value ? *args->value : NULL,
    };
    struct found found = { .store = domain_qom_tree(request->dom, args->flags & DOMUS_QOM_REFRESH, err) };
    if (!found.store)
        return -1;
    qom_search(found.store, &search, add_match, &found);
    ret->matches.matches_val = found.matches.items;
    ret->matches.matches_len = (unsigned) found.matches.count;
    ret->total = found.total;
    return 0;
}

/* --- setting --- */

int on_domus_qom_set(struct request *request, const domus_qom_set_args *args, domus_qom_set_ret *ret,
                     struct error *err)
{
    struct qom_change change;
    if (check_flags(args->flags, DOMUS_QOM_SET_FORCE | DOMUS_QOM_SET_WORD, err) < 0 ||
        domain_check_active(request->dom, err) < 0)
        return -1;
    unsigned flags = (args->flags & DOMUS_QOM_SET_FORCE ? QOM_SET_FORCE : 0) |
                     (args->flags & DOMUS_QOM_SET_WORD ? QOM_SET_WORD : 0);
    if (domain_qom_set(request->dom, args->path, args->property, args->value, flags, &change, err) < 0)
        return -1;
    log_info("domain '%s': '%s' of '%s' was set to %s by %s", request->dom->name, args->property, args->path,
             change.sent, request->caller);
    ret->type = take(change.type);
    ret->sent = take(change.sent);
    ret->before = remote_string_new(change.before);
    ret->after = remote_string_new(change.after);
    qom_change_done(&change);
    return 0;
}
