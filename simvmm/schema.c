/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/schema.h"

#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/monitor.h"
#include "simvmm/value.h"

struct entity {
    const struct json *value;
    const struct argument *arguments; /* of a command's argument object: those that its row names */
    bool wanted;
};

struct schema {
    struct arena *arena;
    struct map *names;
    struct entity *entities;
    size_t count;
};

static void want(struct schema *s, const char *name);

/* ---- what an entity needs ---- */

static bool row_names(const struct argument *arguments, const char *name)
{
    while (arguments->name && !text_equal(arguments->name, name))
        arguments++;
    return arguments->name != NULL;
}

static void want_types(struct schema *s, const struct json *list, const struct argument *only)
{
    for (size_t i = 0; list && i < list->length; i++)
        if (!only || row_names(only, json_get_text(list->items[i], "name")))
            want(s, json_get_text(list->items[i], "type"));
}

static void want(struct schema *s, const char *name)
{
    struct entity *e = name ? map_find_text(s->names, name) : NULL;
    if (!e || e->wanted)
        return;
    e->wanted = true;
    want(s, json_get_text(e->value, "arg-type"));
    want(s, json_get_text(e->value, "ret-type"));
    want(s, json_get_text(e->value, "element-type"));
    want_types(s, json_get(e->value, "members"), e->arguments);
    want_types(s, json_get(e->value, "variants"), NULL);
}

static bool checks_itself(const struct command *command)
{
    const struct argument *a = command->arguments;
    while (a && a->name && a->type != ARG_REST)
        a++;
    return a && a->name;
}

static void want_command(struct schema *s, const struct command *command)
{
    static const struct argument none[] = { { NULL, 0, false } };
    struct entity *e = map_find_text(s->names, command->name);
    if (!e)
        return;
    const char *type = json_get_text(e->value, "arg-type");
    struct entity *arguments = type ? map_find_text(s->names, type) : NULL;
    if (arguments && !checks_itself(command))
        arguments->arguments = command->arguments ? command->arguments : none;
    want(s, command->name);
}

/* ---- commands that QEMU has not ---- */

static const char *const builtin_words[] = {
    [ARG_TEXT] = "str",  [ARG_NUMBER] = "int", [ARG_BOOL] = "bool",   [ARG_OBJECT] = "any",
    [ARG_ARRAY] = "any", [ARG_ANY] = "any",    [ARG_TEXTS] = "[str]", [ARG_REST] = "any",
};

static const struct json *argument_object(struct schema *s, const struct command *command)
{
    struct arena *a = s->arena;
    struct json *object = value_object(a), *members = value_array(a);
    for (const struct argument *row = command->arguments; row && row->name; row++) {
        struct json *member = value_object(a);
        value_set_text(a, member, "name", row->name);
        value_set_text(a, member, "type", builtin_words[row->type]);
        if (row->optional)
            value_set(a, member, "default", value_null(a));
        value_push(a, members, member);
    }
    value_set_text(a, object, "name", arena_printf(a, "%s-arg", command->name));
    value_set(a, object, "members", members);
    value_set_text(a, object, "meta-type", "object");
    return object;
}

static void add_own(struct schema *s, const struct command *command, struct json *all)
{
    struct json *entity = value_object(s->arena);
    const struct json *arguments = argument_object(s, command);
    value_set_text(s->arena, entity, "name", command->name);
    value_set_text(s->arena, entity, "ret-type", "any");
    value_set_text(s->arena, entity, "meta-type", "command");
    value_set_text(s->arena, entity, "arg-type", json_get_text(arguments, "name"));
    value_push(s->arena, all, entity);
    value_push(s->arena, all, arguments);
    want(s, "any");
    want(s, "str");
}

/* ---- the whole ---- */

static void index_all(struct schema *s, const struct json *harvested)
{
    s->count = harvested->length;
    s->entities = arena_alloc(s->arena, s->count * sizeof *s->entities);
    for (size_t i = 0; i < s->count; i++) {
        s->entities[i] = (struct entity) { harvested->items[i], NULL, false };
        map_set_text(s->names, json_get_text(harvested->items[i], "name"), &s->entities[i]);
    }
}

static const struct json *without_others(struct schema *s, const struct entity *e)
{
    if (!e->arguments)
        return e->value;
    const struct json *members = json_get(e->value, "members");
    struct json *object = value_object(s->arena), *kept = value_array(s->arena);
    for (size_t i = 0; members && i < members->length; i++)
        if (row_names(e->arguments, json_get_text(members->items[i], "name")))
            value_push(s->arena, kept, members->items[i]);
    for (size_t i = 0; i < e->value->length; i++) {
        const struct json_member *m = &e->value->members[i];
        value_set(s->arena, object, m->key, text_equal(m->key, "members") ? kept : m->value);
    }
    return object;
}

static void want_all(struct schema *s, const struct vm *vm, struct json *own)
{
    for (const struct command *const *family = command_families; *family; family++)
        for (const struct command *c = *family; c->name; c++) {
            if (!command_exists(vm, c))
                continue;
            want_command(s, c);
            if (!map_find_text(s->names, c->name))
                add_own(s, c, own);
        }
    for (size_t i = 0; i < s->count; i++)
        if (text_equal(json_get_text(s->entities[i].value, "meta-type"), "event") &&
            event_is_known(json_get_text(s->entities[i].value, "name")))
            want(s, json_get_text(s->entities[i].value, "name"));
}

const struct json *schema_make(const struct vm *vm, struct arena *arena, struct error *err)
{
    const char *text = data_reply(vm->data, "query-qmp-schema");
    const struct json *harvested = json_parse(text, strlen(text), arena, err);
    if (!harvested)
        return NULL;
    struct schema s = { .arena = arena, .names = map_new() };
    struct json *all = value_array(arena), *own = value_array(arena);
    index_all(&s, harvested);
    want_all(&s, vm, own);
    for (size_t i = 0; i < s.count; i++)
        if (s.entities[i].wanted)
            value_push(arena, all, without_others(&s, &s.entities[i]));
    for (size_t i = 0; i < own->length; i++)
        value_push(arena, all, own->items[i]);
    map_free(s.names);
    return all;
}
