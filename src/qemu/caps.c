/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/caps.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "json/json.h"
#include "qemu/caps_probe.h"

/* A cache file of another format is not read, but asked for again. */
enum { CAPS_FORMAT = 2 };

struct caps *caps_ref(struct caps *caps)
{
    caps->references++;
    return caps;
}

void caps_free(struct caps *caps)
{
    if (!caps || --caps->references > 0)
        return;
    arena_free(caps->arena);
    free(caps);
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

bool caps_has_type(const struct caps *caps, const char *type)
{
    return caps->types_count &&
           bsearch(&type, caps->types, caps->types_count, sizeof *caps->types, compare_words);
}

const struct caps_machine *caps_machine_find(const struct caps *caps, const char *name)
{
    for (size_t i = 0; i < caps->machines_count; i++)
        if (text_equal(caps->machines[i].name, name) || text_equal(caps->machines[i].alias, name))
            return &caps->machines[i];
    return NULL;
}

const struct caps_machine *caps_default_machine(const struct caps *caps)
{
    for (size_t i = 0; i < caps->machines_count; i++)
        if (caps->machines[i].is_default)
            return &caps->machines[i];
    return NULL;
}

static struct caps *caps_new(void)
{
    struct caps *caps = NEW(struct caps);
    caps->arena = arena_new();
    caps->references = 1;
    return caps;
}

static const char *copy_text(struct caps *caps, const struct json *object, const char *key)
{
    return arena_copy(caps->arena, json_get_text(object, key));
}

static bool get_bool(const struct json *object, const char *key)
{
    bool value = false;
    json_to_bool(json_get(object, key), &value);
    return value;
}

static unsigned get_unsigned(const struct json *object, const char *key)
{
    uint64_t value = 0;
    json_to_u64(json_get(object, key), &value);
    return value > 0xffffffff ? 0xffffffff : (unsigned) value;
}

static size_t array_length(const struct json *array)
{
    return array && array->type == JSON_ARRAY ? array->length : 0;
}

static void read_machines(struct caps *caps, const struct json *list)
{
    size_t count = array_length(list);
    struct caps_machine *machines = arena_alloc(caps->arena, count * sizeof *machines + 1);
    for (size_t i = 0; i < count; i++) {
        const struct json *from = json_at(list, i);
        struct caps_machine *to = &machines[caps->machines_count];
        if (!(to->name = copy_text(caps, from, "name")))
            continue;
        to->alias = copy_text(caps, from, "alias");
        to->cpus_max = get_unsigned(from, "cpu-max");
        to->is_default = get_bool(from, "is-default");
        to->deprecated = get_bool(from, "deprecated");
        to->hotpluggable_cpus = get_bool(from, "hotpluggable-cpus");
        to->default_cpu = copy_text(caps, from, "default-cpu-type");
        to->default_ram = copy_text(caps, from, "default-ram-id");
        caps->machines_count++;
    }
    caps->machines = machines;
}

static void read_cpus(struct caps *caps, const struct json *list)
{
    size_t count = array_length(list);
    struct caps_cpu *cpus = arena_alloc(caps->arena, count * sizeof *cpus + 1);
    for (size_t i = 0; i < count; i++) {
        const struct json *from = json_at(list, i);
        struct caps_cpu *to = &cpus[caps->cpus_count];
        if (!(to->name = copy_text(caps, from, "name")))
            continue;
        to->usable = array_length(json_get(from, "unavailable-features")) == 0;
        to->deprecated = get_bool(from, "deprecated");
        caps->cpus_count++;
    }
    caps->cpus = cpus;
}

/* Names: the items themselves, or their "name". */
static void read_types(struct caps *caps, const struct json *list)
{
    size_t count = array_length(list);
    const char **types = arena_alloc(caps->arena, count * sizeof *types + 1);
    for (size_t i = 0; i < count; i++) {
        const struct json *item = json_at(list, i);
        const char *name = json_text(item) ? json_text(item) : json_get_text(item, "name");
        if (name)
            types[caps->types_count++] = arena_copy(caps->arena, name);
    }
    qsort(types, caps->types_count, sizeof *types, compare_words);
    caps->types = types;
}

static bool has_command(const struct json *commands, const char *name)
{
    for (size_t i = 0; i < array_length(commands); i++)
        if (text_equal(json_get_text(json_at(commands, i), "name"), name))
            return true;
    return false;
}

/* What only the version tells (a look into the 250 kB schema costs 200 ms, for the same answer), what is a
 * command, and what is a type. */
static const struct {
    enum caps_feature feature;
    unsigned since;
    const char *command, *type;
} features[] = {
    { CAPS_BLOCKDEV, 4002000, NULL, NULL },
    { CAPS_JSON_DEVICE, 6002000, NULL, NULL },
    { CAPS_JSON_BACKENDS, 7002000, NULL, NULL },
    { CAPS_RAW_WITHOUT_FORMAT, 9000000, NULL, NULL },
    { CAPS_MONITOR_OBJECT, 0, NULL, "monitor-qmp" },
    { CAPS_SET_ACTION, 0, "set-action", NULL },
    { CAPS_QOM_LIST_GET, 0, "qom-list-get", NULL },
    { CAPS_QOM_LIST_GETV, 0, "qom-list-getv", NULL },
    { CAPS_QOM_TREE_GET, 0, "qom-tree-get", NULL },
};

static unsigned find_features(const struct caps *caps, const struct json *commands)
{
    unsigned found = 0;
    for (size_t i = 0; i < ARRAY_COUNT(features); i++)
        if (caps->version >= features[i].since &&
            (!features[i].command || has_command(commands, features[i].command)) &&
            (!features[i].type || caps_has_type(caps, features[i].type)))
            found |= 1U << features[i].feature;
    return found;
}

static unsigned read_version(const struct json *version)
{
    const struct json *qemu = json_get(version, "qemu");
    unsigned major = get_unsigned(qemu, "major");
    unsigned minor = get_unsigned(qemu, "minor"), micro = get_unsigned(qemu, "micro");
    if (!major || major > 999 || minor > 999 || micro > 999)
        return 0;
    return major * 1000000 + minor * 1000 + micro;
}

struct caps *caps_from_replies(const char *emulator, const char *key, const struct json *const *replies,
                               struct error *err)
{
    owned(caps) struct caps *caps = caps_new();
    caps->emulator = arena_copy(caps->arena, emulator);
    caps->key = arena_copy(caps->arena, key);
    caps->version = read_version(replies[ASK_VERSION]);
    caps->package = copy_text(caps, replies[ASK_VERSION], "package");
    caps->arch = copy_text(caps, replies[ASK_TARGET], "arch");
    caps->kvm_present = get_bool(replies[ASK_KVM], "present");
    caps->kvm_usable = get_bool(replies[ASK_KVM], "enabled");
    read_machines(caps, replies[ASK_MACHINES]);
    read_cpus(caps, replies[ASK_CPUS]);
    read_types(caps, replies[ASK_TYPES]);
    if (!caps->version || !caps->arch || !caps->machines_count || !caps->types_count) {
        fail(err, ERR_VMM, "emulator '%s' answers like no QEMU: no version, target, machines or types",
             emulator);
        return NULL;
    }
    if (!caps->package)
        caps->package = "";
    caps->features = find_features(caps, replies[ASK_COMMANDS]);
    if (array_length(replies[ASK_SANDBOX]) > 0)
        caps->features |= 1U << CAPS_SANDBOX;
    return take(caps);
}

struct caps *caps_from_text(const char *text, size_t length, struct error *err)
{
    owned(arena) struct arena *arena = arena_new();
    const struct json *from = json_parse(text, length, arena, err);
    if (!from)
        return NULL;
    owned(caps) struct caps *caps = caps_new();
    caps->emulator = copy_text(caps, from, "emulator");
    caps->key = copy_text(caps, from, "key");
    caps->arch = copy_text(caps, from, "arch");
    caps->package = copy_text(caps, from, "package");
    caps->version = get_unsigned(from, "version");
    caps->features = get_unsigned(from, "features");
    caps->kvm_present = get_bool(from, "kvm-present");
    caps->kvm_usable = get_bool(from, "kvm-usable");
    read_machines(caps, json_get(from, "machines"));
    read_cpus(caps, json_get(from, "cpus"));
    read_types(caps, json_get(from, "types"));
    if (get_unsigned(from, "format") != CAPS_FORMAT || !caps->emulator || !caps->key || !caps->arch ||
        !caps->package || !caps->version || !caps->machines_count || !caps->types_count) {
        fail(err, ERR_INTERNAL, "not a capabilities file of format %d", CAPS_FORMAT);
        return NULL;
    }
    return take(caps);
}

static void write_text(struct json_writer *w, const char *key, const char *value)
{
    if (value)
        json_key(w, key), json_string(w, value);
}

static void write_number(struct json_writer *w, const char *key, unsigned value)
{
    json_key(w, key), json_u64(w, value);
}

static void write_bool(struct json_writer *w, const char *key, bool value)
{
    if (value)
        json_key(w, key), json_bool(w, true);
}

static void format_machine(struct json_writer *w, const struct caps_machine *machine)
{
    json_open(w, '{');
    write_text(w, "name", machine->name);
    write_text(w, "alias", machine->alias);
    write_number(w, "cpu-max", machine->cpus_max);
    write_bool(w, "is-default", machine->is_default);
    write_bool(w, "deprecated", machine->deprecated);
    write_bool(w, "hotpluggable-cpus", machine->hotpluggable_cpus);
    write_text(w, "default-cpu-type", machine->default_cpu);
    write_text(w, "default-ram-id", machine->default_ram);
    json_close(w, '}');
}

static void format_cpu(struct json_writer *w, const struct caps_cpu *cpu)
{
    json_open(w, '{');
    write_text(w, "name", cpu->name);
    write_bool(w, "deprecated", cpu->deprecated);
    if (!cpu->usable) {
        json_key(w, "unavailable-features"), json_open(w, '[');
        json_null(w);
        json_close(w, ']');
    }
    json_close(w, '}');
}

void caps_format(const struct caps *caps, struct buffer *out)
{
    struct json_writer w = { .out = out };
    json_open(&w, '{');
    write_number(&w, "format", CAPS_FORMAT);
    write_text(&w, "key", caps->key);
    write_text(&w, "emulator", caps->emulator);
    write_text(&w, "arch", caps->arch);
    write_text(&w, "package", caps->package);
    write_number(&w, "version", caps->version);
    write_number(&w, "features", caps->features);
    write_bool(&w, "kvm-present", caps->kvm_present);
    write_bool(&w, "kvm-usable", caps->kvm_usable);
    json_key(&w, "machines"), json_open(&w, '[');
    for (size_t i = 0; i < caps->machines_count; i++)
        format_machine(&w, &caps->machines[i]);
    json_close(&w, ']');
    json_key(&w, "cpus"), json_open(&w, '[');
    for (size_t i = 0; i < caps->cpus_count; i++)
        format_cpu(&w, &caps->cpus[i]);
    json_close(&w, ']');
    json_key(&w, "types"), json_open(&w, '[');
    for (size_t i = 0; i < caps->types_count; i++)
        json_string(&w, caps->types[i]);
    json_close(&w, ']');
    json_close(&w, '}');
}
