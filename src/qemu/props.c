/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/props.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void props_open(struct props *props)
{
    *props = (struct props){ 0 };
    props->writer.out = &props->text;
    json_open(&props->writer, '{');
}

void props_begin(struct props *props, const char *kind, const char *value)
{
    props_open(props);
    props_text(props, kind, value);
}

void props_done(struct props *props)
{
    buffer_done(&props->text);
}

/* The text begins {"driver":"virtio-blk-pci" and no kind holds a quote. */
void props_change_kind(struct props *props, const char *from, const char *to)
{
    owned_memory char *text = memory_copy_text(buffer_text(&props->text));
    char *value = strchr(text, ':');
    char *end = value && value[1] == '"' ? strchr(value + 2, '"') : NULL;
    size_t length = strlen(from);
    if (!end || (size_t) (end - value) < length + 2 || strncmp(end - length, from, length) != 0)
        return;
    buffer_drop(&props->text, props->text.length);
    buffer_add(&props->text, text, (size_t) (end - length - text));
    buffer_add_text(&props->text, to);
    buffer_add_text(&props->text, end);
}

void props_text(struct props *props, const char *key, const char *value)
{
    if (value)
        json_key(&props->writer, key), json_string(&props->writer, value);
}

void props_printf(struct props *props, const char *key, const char *format, ...)
{
    char *value = NULL;
    va_list ap;
    va_start(ap, format);
    if (vasprintf(&value, format, ap) < 0)
        abort();
    va_end(ap);
    props_text(props, key, value);
    free(value);
}

void props_u64(struct props *props, const char *key, uint64_t value)
{
    json_key(&props->writer, key), json_u64(&props->writer, value);
}

void props_positive(struct props *props, const char *key, uint64_t value)
{
    if (value)
        props_u64(props, key, value);
}

void props_opt_u32(struct props *props, const char *key, struct opt_u32 value)
{
    if (value.set)
        props_u64(props, key, value.value);
}

void props_bool(struct props *props, const char *key, bool value)
{
    json_key(&props->writer, key), json_bool(&props->writer, value);
}

void props_true(struct props *props, const char *key, bool value)
{
    if (value)
        props_bool(props, key, true);
}

void props_on_off(struct props *props, const char *key, enum on_off value)
{
    if (value != ON_OFF_ABSENT)
        props_bool(props, key, value == ON);
}

void props_null(struct props *props, const char *key)
{
    json_key(&props->writer, key), json_null(&props->writer);
}

void props_object(struct props *props, const char *key)
{
    json_key(&props->writer, key);
    json_open(&props->writer, '{');
}

void props_close_object(struct props *props)
{
    json_close(&props->writer, '}');
}

void props_array(struct props *props, const char *key)
{
    json_key(&props->writer, key);
    json_open(&props->writer, '[');
}

void props_array_object(struct props *props)
{
    json_open(&props->writer, '{');
}

void props_array_u64(struct props *props, uint64_t value)
{
    json_u64(&props->writer, value);
}

void props_close_array(struct props *props)
{
    json_close(&props->writer, ']');
}

/* "host-nodes.0=3" */
static void flatten_array(struct buffer *out, const char *key, const struct json *array)
{
    const struct json *item;
    for (size_t i = 0; (item = json_at(array, i)) != NULL; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s.%zu", key, i);
        if (item->type == JSON_NUMBER || item->type == JSON_STRING)
            option_add(out, name, item->text);
    }
}

/* Our own lists nest once. */
static void flatten(struct buffer *out, const char *outer, const struct json *object)
{
    for (size_t i = 0; i < object->length; i++) {
        const struct json *value = object->members[i].value;
        char key[128];
        snprintf(key, sizeof key, "%s%s%s", outer ? outer : "", outer ? "." : "", object->members[i].key);
        if (value->type == JSON_OBJECT)
            flatten(out, key, value);
        else if (value->type == JSON_ARRAY)
            flatten_array(out, key, value);
        else if (value->type == JSON_BOOL)
            option_add_bool(out, key, value->boolean);
        else if (value->type == JSON_STRING || value->type == JSON_NUMBER)
            option_add(out, out->length ? key : NULL, value->text);
    }
}

const char *props_end(struct props *props)
{
    json_close(&props->writer, '}');
    return props->text.data;
}

void props_add_to(struct props *props, struct argv *argv, const char *option, bool json)
{
    const char *text = props_end(props);
    if (json) {
        argv_add_pair(argv, option, text);
        return;
    }
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    const struct json *object = json_parse(text, props->text.length, arena, &err);
    owned_buffer struct buffer flat = { 0 };
    if (object)
        flatten(&flat, NULL, object);
    argv_add_pair(argv, option, buffer_text(&flat));
}
