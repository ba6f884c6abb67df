/* SPDX-License-Identifier: Apache-2.0 */
/* Our own program: the emulator's tree, what a start took, definitions with everything that was found in
 * them. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "config.h"
#include "daemon/daemon.h"
#include "daemon/define.h"
#include "qemu/operations.h"
#include "qemu/qom_pull.h"
#include "qemu/qom_store.h"
#include "rpc/errors.h"

enum { TREE_OBJECTS_MAX = 65536, TREE_PROPERTIES_MAX = 4096 };

int on_domus_version(struct request *request, const nothing *args, domus_version_ret *ret, struct error *err)
{
    const struct emulators *e = &request->daemon->emulators;
    ret->project_version = memory_copy_text(PACKAGE_VERSION);
    ret->emulator = remote_string_new(e->given);
    ret->override_emulator = remote_string_new(e->override);
    return 0;
}

/* --- define with findings --- */

static void reply_findings(domus_define_ret *ret, const struct findings *findings)
{
    ret->findings.findings_val = memory_new((findings->count + 1) * sizeof *ret->findings.findings_val);
    ret->findings.findings_len = (unsigned) findings->count;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *from = &findings->items[i];
        ret->findings.findings_val[i] = (domus_finding) {
            .severity = from->severity == SEVERITY_ERROR ? DOMUS_FINDING_ERROR : DOMUS_FINDING_WARNING,
            .line = from->line,
            .path = memory_copy_text(from->path ? from->path : ""),
            .value = remote_string_new(from->value),
            .expected = remote_string_new(from->expected),
            .message = memory_copy_text(from->text ? from->text : ""),
        };
    }
}

int on_domus_define(struct request *request, const domus_define_args *args, domus_define_ret *ret,
                    struct error *err)
{
    owned_findings struct findings findings = { 0 };
    error_scope(refusal);
    if (check_flags(args->flags, DOMUS_DEFINE_VALIDATE, err) < 0)
        return -1;
    remote_nonnull_domain *dom = NEW(remote_nonnull_domain);
    if (define(request, args->xml, args->flags & DOMUS_DEFINE_VALIDATE, &findings, dom, &refusal) == 0) {
        ret->dom = dom;
    } else {
        free(dom);
        if (refusal.code == ERR_ABORTED || refusal.code == ERR_TIMEOUT) {
            error_move(err, &refusal);
            return -1;
        }
        owned_memory char *message = errors_message(&refusal);
        ret->code = errors_number(refusal.code);
        ret->message = remote_string_new(message);
    }
    reply_findings(ret, &findings);
    return 0;
}

/* --- the tree --- */

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

int on_domus_qom_tree(struct request *request, const domus_qom_tree_args *args, domus_qom_tree_ret *ret,
                      struct error *err)
{
    bool ambiguous = false;
    if (check_flags(args->flags, DOMUS_QOM_REFRESH, err) < 0 || domain_check_active(request->dom, err) < 0)
        return -1;
    const struct qom_store *store = domain_qom_tree(request->dom, args->flags & DOMUS_QOM_REFRESH, err);
    if (!store)
        return -1;
    const char *path = args->path ? *args->path : "/";
    uint32_t root = qom_store_find(store, path, &ambiguous);
    if (root == QOM_NONE)
        return fail(err, ERR_INVALID_ARG, ambiguous ? "path '%s' leads to more than one object"
                                                    : "there is no object '%s' in this guest's tree", path);
    uint32_t room = qom_store_count(store);
    ret->objects.objects_val = memory_new((room < TREE_OBJECTS_MAX ? room : TREE_OBJECTS_MAX) *
                                          sizeof *ret->objects.objects_val);
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

int on_domus_timings(struct request *request, const domus_timings_args *args, domus_timings_ret *ret,
                     struct error *err)
{
    if (domain_check_active(request->dom, err) < 0)
        return -1;
    const struct start_timings *timings = domain_start_timings(request->dom);
    if (!timings)
        return fail(err, ERR_OPERATION_INVALID,
                    "domain '%s' was started by an earlier domusd; its timings are not known",
                    request->dom->name);
    ret->phases.phases_val = memory_new((timings->count + 1) * sizeof *ret->phases.phases_val);
    ret->phases.phases_len = (unsigned) timings->count;
    ret->calls = timings->calls;
    ret->request_bytes = timings->request_bytes;
    ret->reply_bytes = timings->reply_bytes;
    for (size_t i = 0; i < timings->count; i++)
        ret->phases.phases_val[i] = (domus_phase) { memory_copy_text(timings->phases[i].name),
                                                    timings->phases[i].milliseconds };
    return 0;
}
