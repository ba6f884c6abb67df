/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/pretty.h"

#include <string.h>

#include "json/json.h"

static void add(const struct json *value, unsigned level, struct buffer *out);

static void new_line(unsigned level, struct buffer *out)
{
    buffer_printf(out, "\n%*s", (int) level * 2, "");
}

static void add_scalar(const struct json *value, struct buffer *out)
{
    struct json_writer w = { .out = out };
    json_value(&w, value);
}

static void add_members(const struct json *object, unsigned level, struct buffer *out)
{
    for (size_t i = 0; i < object->length; i++) {
        struct json_writer w = { .out = out };
        new_line(level + 1, out);
        json_string(&w, object->members[i].key);
        buffer_add_text(out, ": ");
        add(object->members[i].value, level + 1, out);
        buffer_add_text(out, i + 1 < object->length ? "," : "");
    }
}

static void add_items(const struct json *array, unsigned level, struct buffer *out)
{
    for (size_t i = 0; i < array->length; i++) {
        new_line(level + 1, out);
        add(array->items[i], level + 1, out);
        buffer_add_text(out, i + 1 < array->length ? "," : "");
    }
}

static void add(const struct json *value, unsigned level, struct buffer *out)
{
    bool object = value->type == JSON_OBJECT;
    if (!object && value->type != JSON_ARRAY) {
        add_scalar(value, out);
        return;
    }
    buffer_add_char(out, object ? '{' : '[');
    if (object)
        add_members(value, level, out);
    else
        add_items(value, level, out);
    new_line(level, out);
    buffer_add_char(out, object ? '}' : ']');
}

int pretty_json(const char *text, struct buffer *out, struct error *err)
{
    owned(arena) struct arena *arena = arena_new();
    const struct json *value = json_parse(text, strlen(text), arena, err);
    if (!value)
        return -1;
    add(value, 0, out);
    return 0;
}
