/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/drift.h"

#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "conf/device.h"
#include "domain/domain.h"
#include "qemu/asked.h"
#include "qemu/caps.h"

const char *drift_word(enum drift_kind kind)
{
#define WORD(symbol, word) word,
    static const char *const words[] = { DRIFT_KINDS(WORD) };
#undef WORD
    return words[kind];
}

/* What looks like a difference, and is none. */
static const struct {
    const char *type, *key, *effective, *reason;
} exceptions[] = {
    { "*", "drive", "\"drive-*", "a drive of the classic syntax has another name" },
    { "usb-storage", "drive", "\"\"", "it hands its drive on to the disk below it" },
    { "*", "fd", "*", "a descriptor's number means nothing after it was handed over" },
    { "*", "*fds", "*", "descriptors' numbers mean nothing after they were handed over" },
    { "*", "opened", "*", "it says that something happened, not how it is set" },
};

struct comparison {
    const struct domain_def *def;
    const struct qom_store *store;
    const struct asked *asked;
    struct drift *drift;
};

static void tell(struct drift *drift, struct drift_item item)
{
    if (drift->items.count < DRIFTS_MAX)
        vector_push(&drift->items, item);
    else
        drift->more = true;
}

/* --- names --- */

static const char *path_of(const struct comparison *c, uint32_t object)
{
    owned_buffer struct buffer path = { 0 };
    qom_store_add_path(c->store, object, &path);
    return arena_copy(c->drift->arena, buffer_text(&path));
}

static bool is_machine(const struct asked_option *option)
{
    return text_equal(option->option, "-machine");
}

/* "disk 'vda'" if the definition has it, else "device 'x'", "object 'x'". */
static const char *subject_of(const struct comparison *c, const char *option, const char *id)
{
    struct device_place place;
    error_scope(none);
    if (text_equal(option, "-machine"))
        return "machine";
    if (id && text_equal(option, "-device") && device_find_alias(c->def, id, &place, &none) == 0) {
        owned_memory char *description = device_describe(c->def, place);
        return arena_copy(c->drift->arena, description);
    }
    return arena_printf(c->drift->arena, "%s '%s'", text_equal(option, "-device") ? "device" : "object",
                        id ? id : "");
}

/* --- properties --- */

bool drift_is_exception(const struct asked_option *option, const char *key, const char *effective)
{
    for (size_t i = 0; i < ARRAY_COUNT(exceptions); i++)
        if (text_matches(option->kind ? option->kind : "", exceptions[i].type) &&
            text_matches(key, exceptions[i].key) && text_matches(effective, exceptions[i].effective))
            return true;
    return false;
}

/* A key that is given twice counts as it was given last. */
static bool is_overridden(const struct json *values, size_t at)
{
    for (size_t i = at + 1; i < values->length; i++)
        if (text_equal(values->members[i].key, values->members[at].key))
            return true;
    return false;
}

static const char *json_copy(struct arena *arena, const struct json *value)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out };
    json_value(&w, value);
    return arena_copy(arena, buffer_text(&out));
}

static void compare_values(struct comparison *c, const struct asked_option *option, uint32_t object)
{
    struct arena *arena = c->drift->arena;
    for (size_t i = 0; i < option->values->length; i++) {
        const struct json_member *m = &option->values->members[i];
        struct qom_property p;
        if (text_equal(m->key, "id") || text_equal(m->key, option->kind_key) ||
            is_overridden(option->values, i))
            continue;
        enum agreement agreement = asked_compare(c->store, object, m->key, m->value, &p);
        c->drift->compared += agreement != UNCOMPARED;
        if (agreement != DIFFERS || drift_is_exception(option, m->key, p.value))
            continue;
        tell(c->drift, (struct drift_item) {
                           .kind = DRIFT_PROPERTY,
                           .subject = subject_of(c, option->option, option->id),
                           .alias = arena_copy(arena, option->id),
                           .path = path_of(c, object),
                           .type = arena_copy(arena, qom_store_type(c->store, object)),
                           .property = arena_copy(arena, m->key),
                           .asked = json_copy(arena, m->value),
                           .effective = arena_copy(arena, p.value),
                       });
    }
}

/* Somebody may have taken it out and put another one in its place.  A kind that is no type's name is another
 * word for one. */
static void compare_kind(struct comparison *c, const struct asked_option *option, uint32_t object)
{
    struct arena *arena = c->drift->arena;
    const char *type = qom_store_type(c->store, object);
    if (is_machine(option) || !option->kind || !caps_has_type(c->asked->caps, option->kind))
        return;
    c->drift->compared++;
    if (text_equal(type, option->kind))
        return;
    tell(c->drift, (struct drift_item) {
                       .kind = DRIFT_PROPERTY,
                       .subject = subject_of(c, option->option, option->id),
                       .alias = arena_copy(arena, option->id),
                       .path = path_of(c, object),
                       .type = arena_copy(arena, type),
                       .property = arena_copy(arena, option->kind_key),
                       .asked = arena_printf(arena, "\"%s\"", option->kind),
                       .effective = arena_printf(arena, "\"%s\"", type),
                   });
}

static void compare_option(struct comparison *c, const struct asked_option *option)
{
    bool device = text_equal(option->option, "-device"), object = text_equal(option->option, "-object");
    uint32_t there = asked_object(c->store, option);
    if (!(device || object || is_machine(option)) || (!option->id && !is_machine(option)))
        return;
    if (there != QOM_NONE) {
        compare_kind(c, option, there);
        compare_values(c, option, there);
        return;
    }
    tell(c->drift, (struct drift_item) {
                       .kind = DRIFT_MISSING,
                       .subject = subject_of(c, option->option, option->id),
                       .alias = arena_copy(c->drift->arena, option->id),
                       .path = arena_printf(c->drift->arena, "%s/%s",
                                            device ? "/machine/peripheral" : "/objects", option->id),
                       .type = arena_copy(c->drift->arena, option->kind),
                   });
}

/* --- what nobody asked for --- */

static void tell_added(struct comparison *c, const char *option, uint32_t object, bool named)
{
    const char *id = named ? qom_store_name(c->store, object) : NULL;
    tell(c->drift, (struct drift_item) {
                       .kind = DRIFT_ADDED,
                       .subject = id ? subject_of(c, option, id) : "device without an id",
                       .alias = arena_copy(c->drift->arena, id),
                       .path = path_of(c, object),
                       .type = arena_copy(c->drift->arena, qom_store_type(c->store, object)),
                   });
}

/* What comes by itself, or is counted and not named: processors. */
static bool comes_by_itself(const char *option, const char *name, const char *type)
{
    static const struct {
        const char *option, *name, *type;
    } rows[] = {
        { "-object", "compat_monitor*", "*" }, /* -mon, since 11.1 */
        { "-device", "*", "*-cpu" },           /* setvcpus */
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (text_equal(option, rows[i].option) && text_matches(name, rows[i].name) &&
            text_matches(type, rows[i].type))
            return true;
    return false;
}

static void find_added(struct comparison *c, const char *folder, const char *option)
{
    bool ambiguous;
    uint32_t parent = qom_store_find(c->store, folder, &ambiguous), first;
    uint32_t count = parent == QOM_NONE ? 0 : qom_store_children(c->store, parent, &first);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = qom_store_name(c->store, first + i);
        const char *type = qom_store_type(c->store, first + i);
        if (!asked_find(c->asked, option, name) && !comes_by_itself(option, name, type))
            tell_added(c, option, first + i, true);
    }
}

/* Options that bring a device without an id, whose type they do not say. */
static bool brings_device(const struct asked_option *option)
{
    return text_equal(option->option, "-drive") && text_equal(json_get_text(option->values, "if"), "virtio");
}

static bool is_anonymous(const struct asked_option *option)
{
    return text_equal(option->option, "-device") && !option->id && option->kind;
}

/* Counts the devices without an id that were asked for: by type; and those, returned, of an unknown type,
 * since an option may have another word for it, or none. */
static size_t count_anonymous(const struct comparison *c, struct map *types)
{
    size_t unknown = 0;
    for (size_t i = 0; i < c->asked->options.count; i++) {
        const struct asked_option *option = &c->asked->options.items[i];
        bool known = is_anonymous(option) && caps_has_type(c->asked->caps, option->kind);
        if (known)
            map_set_text(types, option->kind, (void *) ((uintptr_t) map_find_text(types, option->kind) + 1));
        else
            unknown += is_anonymous(option) || brings_device(option);
    }
    return unknown;
}

/* Takes one of that type off what was asked for; false if there is none left. */
static bool take_type(struct map *types, const char *type)
{
    uintptr_t left = (uintptr_t) map_find_text(types, type);
    if (left > 1)
        map_set_text(types, type, (void *) (left - 1));
    else if (left == 1)
        map_remove_text(types, type);
    return left > 0;
}

static void compare_anonymous(struct comparison *c)
{
    bool ambiguous;
    uint32_t parent = qom_store_find(c->store, "/machine/peripheral-anon", &ambiguous), first;
    uint32_t count = parent == QOM_NONE ? 0 : qom_store_children(c->store, parent, &first);
    owned(map) struct map *types = map_new();
    size_t unknown = count_anonymous(c, types);
    for (uint32_t i = 0; i < count; i++) {
        if (take_type(types, qom_store_type(c->store, first + i)))
            continue;
        if (unknown > 0)
            unknown--;
        else
            tell_added(c, "-device", first + i, false);
    }
    for (size_t i = 0; i < c->asked->options.count; i++) {
        const struct asked_option *option = &c->asked->options.items[i];
        if (is_anonymous(option) && take_type(types, option->kind))
            tell(c->drift, (struct drift_item) {
                               .kind = DRIFT_MISSING,
                               .subject = "device without an id",
                               .path = "/machine/peripheral-anon",
                               .type = arena_copy(c->drift->arena, option->kind),
                           });
    }
}

/* --- memory and processors --- */

static void compare_number(struct comparison *c, enum drift_kind kind, const char *subject, uint64_t asked,
                           uint64_t effective)
{
    c->drift->compared++;
    if (asked == effective)
        return;
    tell(c->drift, (struct drift_item) {
                       .kind = kind,
                       .subject = subject,
                       .path = "/machine",
                       .asked = arena_printf(c->drift->arena, "%" PRIu64, asked),
                       .effective = arena_printf(c->drift->arena, "%" PRIu64, effective),
                   });
}

static void compare_memory(struct comparison *c)
{
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    bool ambiguous;
    struct qom_property p;
    uint64_t bytes;
    uint32_t machine = qom_store_find(c->store, "/machine", &ambiguous);
    if (machine == QOM_NONE || !qom_store_find_property(c->store, machine, "memory", &p) || !p.value ||
        !json_to_u64(json_get(json_parse(p.value, strlen(p.value), arena, &err), "size"), &bytes))
        return;
    compare_number(c, DRIFT_MEMORY, "memory, in KiB", c->def->memory.kib, bytes >> 10);
}

static uint64_t count_cpus(const struct qom_store *store, const char *folder)
{
    bool ambiguous;
    uint64_t cpus = 0;
    uint32_t parent = qom_store_find(store, folder, &ambiguous), first;
    uint32_t count = parent == QOM_NONE ? 0 : qom_store_children(store, parent, &first);
    for (uint32_t i = 0; i < count; i++)
        cpus += text_ends(qom_store_type(store, first + i), "-cpu");
    return cpus;
}

static void compare_vcpus(struct comparison *c)
{
    static const char *const folders[] = { "/machine/unattached", "/machine/peripheral",
                                           "/machine/peripheral-anon" };
    uint64_t cpus = 0;
    for (size_t i = 0; i < ARRAY_COUNT(folders); i++)
        cpus += count_cpus(c->store, folders[i]);
    compare_number(c, DRIFT_VCPUS, "processors", c->def->vcpus, cpus);
}

/* --- */

void drift_free(struct drift *drift)
{
    if (!drift)
        return;
    vector_done(&drift->items);
    arena_free(drift->arena);
    free(drift);
}

WAITS struct drift *domain_drift(struct domain *dom, struct error *err)
{
    const struct qom_store *store;
    owned(asked) struct asked *asked = domain_asked(dom, true, &store, err);
    if (!asked)
        return NULL;
    struct drift *drift = NEW(struct drift);
    drift->arena = arena_new();
    struct comparison c = { dom->live, store, asked, drift };
    for (size_t i = 0; i < asked->options.count; i++)
        compare_option(&c, &asked->options.items[i]);
    find_added(&c, "/machine/peripheral", "-device");
    find_added(&c, "/objects", "-object");
    compare_anonymous(&c);
    compare_memory(&c);
    compare_vcpus(&c);
    return drift;
}
