/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/cpu_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "qemu/asked.h"
#include "domain/domain.h"

/* Switches of a processor that say how it is made, not what its guest may use. */
static const char *const switches[] = {
    "realized",
    "hotplugged",
    "hotpluggable",
    "start-powered-off",
    "host-phys-bits",
    "enforce",
    "check",
    "x-*",
    "legacy-*",
    "l3-cache",
    "fill-mtrr-mask",
    "full-width-write",
    "cpuid-0xb",
    "tcg-cpuid",
    "migratable",
    "kvm",
    "vmware-cpuid-freq",
    "hv-passthrough",
    "hv-enforce-cpuid",
    "host-cache-info",
    "xen-vapic",
    "prefer-*",
};

/* Other words for a feature, beside '_' for '-'. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    { "sse3", "pni" }, { "pclmuldq", "pclmulqdq" }, { "sse4-1", "sse4.1" }, { "sse4-2", "sse4.2" },
    { "xd", "nx" },    { "ffxsr", "fxsr-opt" },     { "i64", "lm" },        { "hv-apicv", "hv-avic" },
};

static bool is_switch(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(switches); i++)
        if (text_matches(name, switches[i]))
            return true;
    return false;
}

static char *canonical_name(const char *name)
{
    owned_memory char *copy = memory_copy_text(name);
    for (char *c = copy; *c; c++)
        *c = *c == '_' ? '-' : *c;
    for (size_t i = 0; i < ARRAY_COUNT(aliases); i++)
        if (text_equal(copy, aliases[i].alias))
            return memory_copy_text(aliases[i].name);
    return take(copy);
}

/* --- collecting --- */

struct collection {
    struct cpu_report *report;
    struct map *places; /* name to index + 1 */
};

/* The feature of that name, made if it is new; NULL: there are too many. */
static struct cpu_flag *feature_of(struct collection *c, const char *word)
{
    owned_memory char *name = canonical_name(word);
    uintptr_t place = (uintptr_t) map_find_text(c->places, name);
    if (!place && c->report->features.count == CPU_FEATURES_MAX)
        return NULL;
    if (!place) {
        struct cpu_flag feature = { arena_copy(c->report->arena, name), CPU_NOT_ASKED, CPU_FEATURE_DISABLED };
        vector_push(&c->report->features, feature);
        place = c->report->features.count;
        map_set_text(c->places, name, (void *) place);
    }
    return &c->report->features.items[place - 1];
}

static void set_state(struct collection *c, const char *name, enum cpu_flag_state state)
{
    struct cpu_flag *feature = feature_of(c, name);
    if (feature)
        feature->state = state;
}

static void collect_enabled(struct collection *c, const struct qom_store *store, uint32_t cpu)
{
    for (size_t i = 0; i < qom_store_property_count(store, cpu); i++) {
        const struct qom_property p = qom_store_property(store, cpu, i);
        if (text_equal(p.type, "bool") && text_equal(p.value, "true") && !is_switch(p.name))
            set_state(c, p.name, CPU_FEATURE_ENABLED);
    }
}

static void collect_unavailable(struct collection *c, const struct qom_store *store, uint32_t cpu)
{
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    struct qom_property p;
    const struct json *list = NULL;
    if (qom_store_find_property(store, cpu, "unavailable-features", &p) && p.value)
        list = json_parse(p.value, strlen(p.value), arena, &err);
    for (size_t i = 0; json_at(list, i); i++)
        if (json_text(json_at(list, i)))
            set_state(c, json_text(json_at(list, i)), CPU_FEATURE_UNAVAILABLE);
}

static void collect_asked(struct collection *c, const struct asked_option *option)
{
    for (size_t i = 0; option && i < option->values->length; i++) {
        const struct json_member *m = &option->values->members[i];
        const char *value = json_text(m->value);
        bool on = text_equal(value, "on"), off = text_equal(value, "off");
        struct cpu_flag *feature = (on || off) && !is_switch(m->key) ? feature_of(c, m->key) : NULL;
        if (feature)
            feature->asked = on ? CPU_ASKED_ON : CPU_ASKED_OFF;
    }
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct cpu_flag *) left)->name, ((const struct cpu_flag *) right)->name);
}

/* The first of them: the others are as it is. */
static uint32_t find_cpu(const struct qom_store *store)
{
    static const char *const folders[] = { "/machine/unattached", "/machine/peripheral" };
    for (size_t i = 0; i < ARRAY_COUNT(folders); i++) {
        bool ambiguous;
        uint32_t parent = qom_store_find(store, folders[i], &ambiguous), first;
        uint32_t count = parent == QOM_NONE ? 0 : qom_store_children(store, parent, &first);
        for (uint32_t child = 0; child < count; child++)
            if (text_ends(qom_store_type(store, first + child), "-cpu"))
                return first + child;
    }
    return QOM_NONE;
}

/* The last -cpu counts. */
static const struct asked_option *find_option(const struct asked *asked)
{
    for (size_t i = asked->options.count; i-- > 0;)
        if (text_equal(asked->options.items[i].option, "-cpu"))
            return &asked->options.items[i];
    return NULL;
}

void cpu_report_free(struct cpu_report *report)
{
    if (!report)
        return;
    vector_done(&report->features);
    arena_free(report->arena);
    free(report);
}

static struct cpu_report *collect(const struct qom_store *store, uint32_t cpu, const struct asked *asked)
{
    struct cpu_report *report = NEW(struct cpu_report);
    owned(map) struct map *places = map_new();
    struct collection c = { report, places };
    const struct asked_option *option = find_option(asked);
    report->arena = arena_new();
    report->model = arena_copy(report->arena, option && option->kind ? option->kind : "");
    report->type = arena_copy(report->arena, qom_store_type(store, cpu));
    collect_enabled(&c, store, cpu);
    collect_unavailable(&c, store, cpu);
    collect_asked(&c, option);
    if (report->features.count)
        qsort(report->features.items, report->features.count, sizeof *report->features.items, by_name);
    return report;
}

WAITS struct cpu_report *domain_cpu(struct domain *dom, struct error *err)
{
    const struct qom_store *store;
    owned(asked) struct asked *asked = domain_asked(dom, false, &store, err);
    uint32_t cpu = asked ? find_cpu(store) : QOM_NONE;
    if (asked && cpu == QOM_NONE)
        fail(err, ERR_VMM, "domain '%s': its tree has no processor", dom->name);
    return cpu == QOM_NONE ? NULL : collect(store, cpu, asked);
}
