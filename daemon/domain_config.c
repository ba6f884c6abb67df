/* SPDX-License-Identifier: Apache-2.0 */
/* Changing parts of a definition without writing it anew: amounts, processors, words about it, its name. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "conf/metadata.h"
#include "daemon/affect.h"
#include "daemon/daemon.h"
#include "daemon/edit.h"
#include "daemon/pins.h"
#include "domain/definitions.h"
#include "domain/events.h"
#include "qemu/hotplug.h"
#include "qemu/power.h"

/* --- memory
 * -------------------------------------------------------------------------------------------------------- */

enum { MEMORY_MAXIMUM = 4 };            /* VIR_DOMAIN_MEM_*, beside the bits of affect.h */

static WAITS int set_maximum(struct request *request, uint64_t kib, unsigned affected, struct error *err)
{
    if (affected & AFFECT_LIVE)
        return fail(err, ERR_OPERATION_INVALID, "cannot resize the maximum memory on an active domain");
    owned(domain_def) struct domain_def *copy = domain_def_copy(request->dom->def);
    copy->memory.kib = kib;
    if (copy->current_memory.kib > kib)
        copy->current_memory.kib = kib;
    return edit_config(request, copy, err);
}

static int check_amount(const struct domain_def *def, uint64_t kib, struct error *err)
{
    if (kib > def->memory.kib)
        return fail(err, ERR_INVALID_ARG,
                    "cannot set memory higher than max memory: %llu KiB are asked for, and the "
                    "most are %llu",
                    (unsigned long long) kib, (unsigned long long) def->memory.kib);
    return 0;
}

static WAITS int set_memory(struct request *request, uint64_t kib, unsigned flags, struct error *err)
{
    struct domain *dom = request->dom;
    unsigned affected = 0;
    if (affect_resolve(dom, flags, &affected, err) < 0)
        return -1;
    if (kib == 0 || kib > UINT64_MAX / 1024)
        return fail(err, ERR_INVALID_ARG, "%llu KiB cannot be a domain's memory", (unsigned long long) kib);
    if (flags & MEMORY_MAXIMUM)
        return set_maximum(request, kib, affected, err);
    if ((affected & AFFECT_LIVE && check_amount(dom->live, kib, err) < 0) ||
        (affected & AFFECT_CONFIG && check_amount(dom->def, kib, err) < 0))
        return -1;
    if (affected & AFFECT_LIVE && domain_set_balloon(dom, kib, err) < 0)
        return -1;
    if (!(affected & AFFECT_CONFIG))
        return 0;
    owned(domain_def) struct domain_def *copy = domain_def_copy(dom->def);
    copy->current_memory.kib = kib;
    return edit_config(request, copy, err);
}

int on_domain_set_memory_flags(struct request *request, const remote_domain_set_memory_flags_args *args,
                               nothing *ret, struct error *err)
{
    return check_flags(args->flags, AFFECT_BOTH | MEMORY_MAXIMUM, err) < 0
               ? -1 : set_memory(request, args->memory, args->flags, err);
}

int on_domain_set_memory(struct request *request, const remote_domain_set_memory_args *args, nothing *ret,
                         struct error *err)
{
    return set_memory(request, args->memory, AFFECT_LIVE, err);
}

int on_domain_set_max_memory(struct request *request, const remote_domain_set_max_memory_args *args,
                             nothing *ret, struct error *err)
{
    return set_memory(request, args->memory, MEMORY_MAXIMUM, err);
}

int on_domain_set_memory_stats_period(struct request *request,
                                      const remote_domain_set_memory_stats_period_args *args, nothing *ret,
                                      struct error *err)
{
    struct domain *dom = request->dom;
    unsigned affected = 0;
    if (check_flags(args->flags, AFFECT_BOTH, err) < 0 ||
        affect_resolve(dom, args->flags, &affected, err) < 0)
        return -1;
    if (args->period < 0)
        return fail(err, ERR_INVALID_ARG, "a period of %d seconds is none", args->period);
    if (affected & AFFECT_LIVE) {
        owned(domain_def) struct domain_def *copy = domain_def_copy(dom->live);
        if (domain_set_memory_period(dom, (unsigned) args->period, err) < 0)
            return -1;
        copy->memballoon->stats_period = (uint32_t) args->period;
        if (edit_live(request, copy, err) < 0)
            return -1;
    }
    if (!(affected & AFFECT_CONFIG))
        return 0;
    owned(domain_def) struct domain_def *copy = domain_def_copy(dom->def);
    if (!copy->memballoon || copy->memballoon->model == MEMBALLOON_NONE)
        return fail(err, ERR_OPERATION_INVALID,
                    "No memory balloon device configured, can not set the collection period");
    copy->memballoon->stats_period = (uint32_t) args->period;
    return edit_config(request, copy, err);
}

/* --- processors
 * ---------------------------------------------------------------------------------------------------- */

enum { VCPU_MAXIMUM = 4, VCPU_GUEST = 8, VCPU_HOTPLUGGABLE = 16 };      /* VIR_DOMAIN_VCPU_* */

static WAITS int set_most_vcpus(struct request *request, unsigned count, unsigned affected, struct error *err)
{
    if (affected & AFFECT_LIVE)
        return fail(err, ERR_OPERATION_INVALID, "maximum vcpu count of a live domain can't be modified");
    owned(domain_def) struct domain_def *copy = domain_def_copy(request->dom->def);
    copy->max_vcpus = count;
    copy->vcpu_list.count = 0;          /* which of them are there follows from the numbers again */
    if (copy->vcpus > count)
        copy->vcpus = count;
    copy->vcpu_list.count = 0;
    return edit_config(request, copy, err);
}

static int check_vcpus(const struct domain_def *def, unsigned count, const char *which, struct error *err)
{
    if (count > def->max_vcpus)
        return fail(err, ERR_INVALID_ARG,
                    "requested vcpus is greater than max allowable vcpus for the %s domain: %u > %u", which,
                    count, def->max_vcpus);
    return 0;
}

static WAITS int set_vcpus(struct request *request, unsigned count, unsigned flags, struct error *err)
{
    struct domain *dom = request->dom;
    unsigned affected = 0;
    if (affect_resolve(dom, flags, &affected, err) < 0)
        return -1;
    if (count == 0)
        return fail(err, ERR_INVALID_ARG, "a domain has at least one vcpu");
    if (flags & VCPU_GUEST)
        return fail(err, ERR_AGENT, "QEMU guest agent is not connected");
    if (flags & VCPU_MAXIMUM)
        return set_most_vcpus(request, count, affected, err);
    if ((affected & AFFECT_LIVE && check_vcpus(dom->live, count, "live", err) < 0) ||
        (affected & AFFECT_CONFIG && check_vcpus(dom->def, count, "persistent", err) < 0))
        return -1;
    unsigned before = affected & AFFECT_LIVE ? dom->live->vcpus : count;
    if (affected & AFFECT_LIVE && (domain_set_live_vcpus(dom, count, err) < 0 ||
                                   pins_apply_to_new(dom, before, count, err) < 0))
        return -1;
    if (!(affected & AFFECT_CONFIG))
        return 0;
    owned(domain_def) struct domain_def *copy = domain_def_copy(dom->def);
    copy->vcpus = count;
    copy->vcpu_list.count = 0;
    return edit_config(request, copy, err);
}

int on_domain_set_vcpus(struct request *request, const remote_domain_set_vcpus_args *args, nothing *ret,
                        struct error *err)
{
    return set_vcpus(request, args->nvcpus, AFFECT_LIVE, err);
}

int on_domain_set_vcpus_flags(struct request *request, const remote_domain_set_vcpus_flags_args *args,
                              nothing *ret, struct error *err)
{
    return check_flags(args->flags, AFFECT_BOTH | VCPU_MAXIMUM | VCPU_GUEST | VCPU_HOTPLUGGABLE, err) < 0
               ? -1 : set_vcpus(request, args->nvcpus, args->flags, err);
}

/* --- words
 * ---------------------------------------------------------------------------------------------------------
 */

enum { METADATA_DESCRIPTION, METADATA_TITLE, METADATA_ELEMENT };        /* VIR_DOMAIN_METADATA_* */

static const char *or_null(remote_string text)
{
    return text ? *text : NULL;
}

static int change_words(struct domain_def *copy, const remote_domain_set_metadata_args *args,
                        struct error *err)
{
    const char *text = or_null(args->metadata);
    switch (args->type) {
    case METADATA_DESCRIPTION:
        copy->description = text && *text ? arena_copy(copy->arena, text) : NULL;
        return 0;
    case METADATA_TITLE:
        if (text && strchr(text, '\n'))
            return fail(err, ERR_INVALID_ARG, "metadata title can't contain newlines");
        copy->title = text && *text ? arena_copy(copy->arena, text) : NULL;
        return 0;
    case METADATA_ELEMENT:
        if (!or_null(args->uri))
            return fail(err, ERR_INVALID_ARG, "an element of metadata needs the URI of its namespace");
        return metadata_set(copy, *args->uri, or_null(args->key), text, err);
    default:
        return fail(err, ERR_INVALID_ARG, "unknown metadata type %d", args->type);
    }
}

int on_domain_set_metadata(struct request *request, const remote_domain_set_metadata_args *args, nothing *ret,
                           struct error *err)
{
    struct domain *dom = request->dom;
    unsigned affected = 0;
    if (check_flags(args->flags, AFFECT_BOTH, err) < 0 ||
        affect_resolve(dom, args->flags, &affected, err) < 0)
        return -1;
    if (affected & AFFECT_CONFIG) {
        owned(domain_def) struct domain_def *copy = domain_def_copy(dom->def);
        if (change_words(copy, args, err) < 0 || edit_config(request, copy, err) < 0)
            return -1;
    }
    if (affected & AFFECT_LIVE) {
        owned(domain_def) struct domain_def *copy = domain_def_copy(dom->live);
        if (change_words(copy, args, err) < 0 || edit_live(request, copy, err) < 0)
            return -1;
    }
    const struct domain_event event = { .id = DOMAIN_EVENT_METADATA_CHANGE,
                                        .type = args->type,
                                        .uri = or_null(args->uri) };
    domain_emit(dom, &event);
    return 0;
}

/* --- its name
 * ------------------------------------------------------------------------------------------------------ */

static int check_rename(const struct domain *dom, const char *name, struct error *err)
{
    if (domain_is_active(dom))
        return fail(err, ERR_OPERATION_INVALID, "cannot rename active domain");
    if (!dom->persistent)
        return fail(err, ERR_OPERATION_INVALID, "cannot rename a transient domain");
    if (registry_find_name(dom->registry, name))
        return fail(err, ERR_OPERATION_INVALID, "domain with name '%s' already exists", name);
    return 0;
}

/* The new name could be taken while the file is written, so it is looked at again.  The names of files hold
 * uuids. */
int on_domain_rename(struct request *request, const remote_domain_rename_args *args,
                     remote_domain_rename_ret *ret, struct error *err)
{
    struct domain *dom = request->dom;
    const char *name = or_null(args->new_name);
    if (check_flags(args->flags, 0, err) < 0)
        return -1;
    if (!name || !*name)
        return fail(err, ERR_INVALID_ARG, "a domain needs a name");
    if (check_rename(dom, name, err) < 0)
        return -1;
    owned(domain_def) struct domain_def *old = domain_def_ref(dom->def);
    owned(domain_def) struct domain_def *copy = domain_def_copy(old);
    copy->name = arena_copy(copy->arena, name);
    if (edit_config(request, copy, err) < 0)
        return -1;
    if (check_rename(dom, name, err) < 0) {
        error_scope(lost);
        if (definition_save(dom->registry, old, &lost) == 0)
            domain_set_def(dom, old);
        return -1;
    }
    domain_emit_lifecycle(dom, EVENT_UNDEFINED, UNDEFINED_RENAMED);
    registry_rename(dom, name);
    domain_emit_lifecycle(dom, EVENT_DEFINED, DEFINED_RENAMED);
    return 0;
}
