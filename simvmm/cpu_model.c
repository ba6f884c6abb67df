/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/cpu_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/keyval.h"
#include "simvmm/option.h"
#include "simvmm/value.h"

/* ---- feature-words ---- */

/* Sets or clears a bit of the n-th word of feature-words. */
static void set_bit(struct qom_node *cpu, size_t word, unsigned bit, bool on)
{
    const struct qom_property *p = qom_property_find(cpu, "feature-words");
    error_scope(err);
    owned(arena) struct arena *a = arena_new();
    const struct json *words = p && p->value ? json_parse(p->value, strlen(p->value), a, &err) : NULL;
    const struct json *entry = json_at(words, word);
    uint64_t features = 0;
    if (!entry || !json_to_u64(json_get(entry, "features"), &features))
        return;
    features = on ? features | 1ull << bit : features & ~(1ull << bit);
    for (size_t i = 0; i < entry->length; i++)
        if (text_equal(entry->members[i].key, "features"))
            ((struct json_member *) entry->members)[i].value =
                value_digits(a, arena_printf(a, "%llu", (unsigned long long) features));
    owned_buffer struct buffer b = { 0 };
    value_print(&b, words);
    qom_set(cpu, "feature-words", buffer_text(&b));
}

/* The word that a CPUID leaf fills. */
static size_t word_of(const struct qom_node *cpu, uint64_t leaf, const char *cpuid_register)
{
    const struct qom_property *p = qom_property_find(cpu, "feature-words");
    error_scope(err);
    owned(arena) struct arena *a = arena_new();
    const struct json *words = p && p->value ? json_parse(p->value, strlen(p->value), a, &err) : NULL;
    for (size_t i = 0; words && i < words->length; i++) {
        uint64_t input = 0;
        if (json_to_u64(json_get(words->items[i], "cpuid-input-eax"), &input) && input == leaf
            && text_equal(json_get_text(words->items[i], "cpuid-register"), cpuid_register))
            return i;
    }
    return SIZE_MAX;
}

static void set_words(struct qom_node *cpu, const char *property, const char *numbers)
{
    const struct qom_property *p = qom_property_find(cpu, property);
    error_scope(err);
    owned(arena) struct arena *a = arena_new();
    const struct json *words = p && p->value ? json_parse(p->value, strlen(p->value), a, &err) : NULL;
    for (size_t i = 0; words && i < words->length && *numbers; i++) {
        size_t length = strcspn(numbers, " ");
        char *digits = arena_copy_bytes(a, numbers, length);
        numbers += length + (numbers[length] == ' ');
        for (size_t k = 0; k < words->items[i]->length; k++)
            if (text_equal(words->items[i]->members[k].key, "features"))
                ((struct json_member *) words->items[i]->members)[k].value = value_digits(a, digits);
    }
    if (!words)
        return;
    owned_buffer struct buffer b = { 0 };
    value_print(&b, words);
    qom_set(cpu, property, buffer_text(&b));
}

/* ---- the model ---- */

/* Some models have switches that the others do not have at all. */
static void set_all(struct vm *vm, struct qom_node *cpu, const char *names, bool on)
{
    while (*names) {
        size_t length = strcspn(names, " ");
        const char *name = arena_copy_bytes(vm->arena, names, length);
        if (!qom_property_find(cpu, name))
            qom_add(
                vm->tree, cpu,
                &(struct qom_property) { .name = name, .type = "bool", .kind = QOM_VALUE, .value = "false" });
        qom_set_bool(cpu, name, on);
        names += length + (names[length] == ' ');
    }
}

static void apply_model(struct vm *vm, struct qom_node *cpu)
{
    const struct part *part = data_part(vm->data, "model", vm->cpu_model);
    for (size_t i = 0; part && i < part->lines_count; i++) {
        const struct part_line *line = &part->lines[i];
        if (text_equal(line->word, "on") || text_equal(line->word, "off"))
            set_all(vm, cpu, line->fields[0], line->word[1] == 'n');
        else if (text_equal(line->word, "words"))
            set_words(cpu, line->fields[0], line->fields[1]);
        else if (text_equal(line->word, "value"))
            qom_set(cpu, line->fields[0], line->fields[1]);
    }
    owned_memory char *type = memory_printf("%s-x86_64-cpu", vm->cpu_model);
    struct qom_property *child = qom_property_find(cpu->parent, cpu->name);
    cpu->type = data_intern(vm->data, type);
    if (child)
        child->type = data_intern(vm->data, arena_printf(vm->arena, "child<%s>", type));
}

/* ---- features ---- */

struct wish { char name[64]; bool on; const char *value; };

/* The next of "a=on,+b,-c,d=5"; false at the end. */
static bool next_wish(const char **at, struct wish *ret_wish, struct arena *a)
{
    size_t length = strcspn(*at, ",");
    if (!**at)
        return false;
    char *text = arena_copy_bytes(a, *at, length);
    *at += length + ((*at)[length] == ',');
    char *equals = strchr(text, '=');
    ret_wish->value = equals ? equals + 1 : *text == '-' ? "off" : "on";
    if (equals)
        *equals = '\0';
    ret_wish->on = false;
    (void) keyval_parse_bool(ret_wish->value, &ret_wish->on);
    text += *text == '+' || *text == '-';
    snprintf(ret_wish->name, sizeof ret_wish->name, "%s", text);
    return true;
}

int cpu_model_check(struct vm *vm, const struct qom_node *cpu, struct error *err)
{
    struct wish wish;
    for (const char *at = vm->cpu_features ? vm->cpu_features : ""; next_wish(&at, &wish, vm->arena);) {
        if (qom_property_find(cpu, wish.name))
            continue;
        if (strchr(vm->cpu_features, '='))
            fail(err, ERR_INVALID_ARG,
                 "can't apply global %s-x86_64-cpu.%s=%s: Property '%s-x86_64-cpu.%s' not found",
                 vm->cpu_model, wish.name, wish.value, vm->cpu_model, wish.name);
        else
            fail(err, ERR_INVALID_ARG, "Property '%s-x86_64-cpu.%s' not found", vm->cpu_model, wish.name);
        return option_bare(err);
    }
    return 0;
}

/* QEMU has each feature under its name with hyphens and with underscores. */
static void set_feature(struct qom_node *cpu, const char *name, bool on)
{
    static const char pairs[][2] = { { '-', '_' }, { '_', '-' }, { '.', '-' }, { '.', '_' } };
    qom_set_bool(cpu, name, on);
    for (size_t i = 0; i < ARRAY_COUNT(pairs); i++) {
        owned_memory char *other = memory_copy_text(name);
        for (char *c = other; *c; c++)
            if (*c == pairs[i][0])
                *c = pairs[i][1];
        qom_set_bool(cpu, other, on);
    }
}

/* Its bits: one in the word that its name stands for, more where others follow from it. How many there
 * are. */
static unsigned set_bits(struct vm *vm, struct qom_node *cpu, const char *name, bool on)
{
    const struct part *part = data_part(vm->data, "features", "tcg");
    unsigned found = 0;
    for (size_t i = 0; part && i < part->lines_count; i++) {
        const struct part_line *line = &part->lines[i];
        if (!text_equal(line->fields[0], name))
            continue;
        set_bit(cpu, (size_t) atoi(line->fields[1]), (unsigned) atoi(line->fields[2]), on);
        found++;
    }
    return found;
}

static void apply_features(struct vm *vm, struct qom_node *cpu)
{
    struct wish wish;
    for (const char *at = vm->cpu_features ? vm->cpu_features : ""; next_wish(&at, &wish, vm->arena);) {
        const struct qom_property *p = qom_property_find(cpu, wish.name);
        if (!p)
            continue;
        if (!text_equal(p->type, "bool"))
            qom_set_text(cpu, wish.name, wish.value);
        else if (set_bits(vm, cpu, wish.name, wish.on) || !wish.on)
            set_feature(cpu, wish.name, wish.on);
    }
}

static bool is_intel(const struct qom_node *cpu)
{
    const struct qom_property *vendor = qom_property_find(cpu, "vendor");
    return vendor && text_equal(vendor->value, "\"GenuineIntel\"");
}

void cpu_model_apply(struct vm *vm, struct qom_node *cpu, unsigned together)
{
    if (vm->cpu_model)
        apply_model(vm, cpu);
    apply_features(vm, cpu);
    if (together < 2 || !vm_is(vm, 11))
        return;                         /* before, the guest sees it, but not the tree */
    set_feature(cpu, "ht", true);
    set_bit(cpu, word_of(cpu, 1, "EDX"), 28, true);
    if (is_intel(cpu))
        return;
    set_feature(cpu, "cmp-legacy", true);
    set_bit(cpu, word_of(cpu, 0x80000001, "ECX"), 1, true);
}

/* ---- expansion ---- */

static const struct json *reply_json(const struct vm *vm, const char *name, struct arena *arena)
{
    error_scope(ignored);
    const char *text = data_reply(vm->data, name);
    return text ? json_parse(text, strlen(text), arena, &ignored) : NULL;
}

static bool replace(struct json *object, const char *key, const struct json *value)
{
    for (size_t i = 0; i < object->length; i++)
        if (text_equal(object->members[i].key, key)) {
            ((struct json_member *) object->members)[i].value = value;
            return true;
        }
    return false;
}

static void put(struct json *object, const char *key, const struct json *value, struct arena *arena)
{
    if (!replace(object, key, value))
        value_set(arena, object, key, value);
}

/* Of names with a space between: each gets the value; NULL: it is taken out. */
static void put_all(struct json *props, const char *names, const struct json *value, struct arena *arena)
{
    while (names && *names) {
        size_t length = strcspn(names, " ");
        put(props, arena_copy_bytes(arena, names, length), value, arena);
        names += length + (names[length] == ' ');
    }
}

/* As harvested: the difference from another model, which is such a difference itself. False if there is no
 * such model. */
static bool put_model(struct vm *vm, struct json *props, const char *name, struct arena *arena)
{
    const struct json *change = reply_json(vm, arena_printf(arena, "expanded:%s", name), arena);
    const struct json *other = json_get(change, "other");
    if (!change)
        return false;
    if (json_get_text(change, "from"))
        put_model(vm, props, json_get_text(change, "from"), arena);
    put_all(props, json_get_text(change, "on"), value_bool(arena, true), arena);
    put_all(props, json_get_text(change, "off"), value_bool(arena, false), arena);
    put_all(props, json_get_text(change, "gone"), NULL, arena);
    for (size_t i = 0; other && i < other->length; i++)
        put(props, other->members[i].key, other->members[i].value, arena);
    return true;
}

/* Those of the names (a space between) that are there. The names are in the order of QEMU's reply: set in the
 * reverse of it, those that share a bucket come out the same. */
static const struct json *chosen(const struct json *props, const char *names, struct arena *arena)
{
    struct json *object = value_object(arena);
    const char *end = names + strlen(names), *start;
    for (; end > names; end = start > names ? start - 1 : start) {
        for (start = end; start > names && start[-1] != ' ';)
            start--;
        const char *name = arena_copy_bytes(arena, start, (size_t) (end - start));
        value_set(arena, object, name, json_get(props, name));
    }
    return object;
}

const struct json *cpu_model_expand(struct vm *vm, const struct json *model, bool only_static,
                                    struct arena *arena, struct error *err)
{
    const char *name = json_get_text(model, "name");
    const struct json *wishes = json_get(model, "props");
    struct json *props = value_object(arena), *expanded = value_object(arena);
    if (!name)
        return fail(err, ERR_INVALID_ARG, "Parameter 'model.name' is missing"), NULL;
    if (!put_model(vm, props, name, arena))
        return fail(err, ERR_INVALID_ARG, "CPU model '%s' not found", name), NULL;
    for (size_t i = 0; wishes && i < wishes->length; i++)
        if (!replace(props, wishes->members[i].key, wishes->members[i].value))
            return fail(err, ERR_INVALID_ARG, "Property '%s-x86_64-cpu.%s' not found", name,
                        wishes->members[i].key),
                   NULL;
    const char *order = only_static ? "static-properties" : "full-properties";
    const char *names = json_text(reply_json(vm, order, arena));
    value_set_text(arena, expanded, "name", only_static ? "base" : name);
    value_set(arena, expanded, "props", chosen(props, names, arena));
    return expanded;
}
