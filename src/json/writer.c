/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <inttypes.h>
#include <string.h>

#include "base/vector.h"

static void begin_item(struct json_writer *w)
{
    if (w->comma)
        buffer_add(w->out, ", ", w->spaced ? 2 : 1);
    w->comma = true;
}

void json_open(struct json_writer *w, char bracket)
{
    begin_item(w);
    buffer_add_char(w->out, bracket);
    w->comma = false;
}

void json_close(struct json_writer *w, char bracket)
{
    buffer_add_char(w->out, bracket);
    w->comma = true;
}

void json_key(struct json_writer *w, const char *key)
{
    json_string(w, key);
    buffer_add(w->out, ": ", w->spaced ? 2 : 1);
    w->comma = false;
}

void json_raw(struct json_writer *w, const char *text)
{
    begin_item(w);
    buffer_add_text(w->out, text);
}

void json_bool(struct json_writer *w, bool value)
{
    json_raw(w, value ? "true" : "false");
}

void json_null(struct json_writer *w)
{
    json_raw(w, "null");
}

void json_u64(struct json_writer *w, uint64_t value)
{
    begin_item(w);
    buffer_printf(w->out, "%" PRIu64, value);
}

void json_i64(struct json_writer *w, int64_t value)
{
    begin_item(w);
    buffer_printf(w->out, "%" PRId64, value);
}

/* --- strings ---------------------------------------------------------------------------------- */

/* The code point at `text` and the bytes it takes; U+FFFD and one byte for what is not UTF-8. */
static unsigned decode(const unsigned char *text, size_t length, size_t *ret_taken)
{
    static const unsigned smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    unsigned first = text[0];
    size_t size = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : (first & 0xF0) == 0xE0 ? 3 :
                  first >= 0xF0 && first < 0xF5 ? 4 : 0;
    *ret_taken = 1;
    if (size == 1)
        return first;
    if (size == 0 || size > length)
        return 0xFFFD;
    unsigned code = first & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0xFFFD;
        code = code << 6 | (text[i] & 0x3F);
    }
    if (code < smallest[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return 0xFFFD;
    *ret_taken = size;
    return code;
}

static const char *short_escape(unsigned code)
{
    switch (code) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return NULL;
    }
}

static void add_code(struct json_writer *w, unsigned code, const unsigned char *bytes, size_t size)
{
    const char *escape = short_escape(code);
    if (escape)
        buffer_add_text(w->out, escape);
    else if (code > 0xFFFF && w->ascii)
        buffer_printf(w->out, "\\u%04X\\u%04X", 0xD800 + ((code - 0x10000) >> 10),
                      0xDC00 + ((code - 0x10000) & 0x3FF));
    else if (code < 0x20 || (code > 0x7E && w->ascii))
        buffer_printf(w->out, "\\u%04X", code);
    else if (code == 0xFFFD)
        buffer_add_text(w->out, "\xEF\xBF\xBD");
    else
        buffer_add(w->out, bytes, size);
}

void json_string_bytes(struct json_writer *w, const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *) text;
    begin_item(w);
    buffer_add_char(w->out, '"');
    while (length) {
        size_t plain = 0;
        while (plain < length && bytes[plain] >= 0x20 && bytes[plain] < 0x7F && bytes[plain] != '"' &&
               bytes[plain] != '\\')
            plain++;
        buffer_add(w->out, bytes, plain);
        bytes += plain;
        length -= plain;
        if (length) {
            size_t size;
            unsigned code = decode(bytes, length, &size);
            add_code(w, code, bytes, size);
            bytes += size;
            length -= size;
        }
    }
    buffer_add_char(w->out, '"');
}

void json_string(struct json_writer *w, const char *text)
{
    json_string_bytes(w, text, strlen(text));
}

/* --- whole values: a stack of our own, as depth is the sender's choice and stacks are small --- */

struct open_value { const struct json *value; size_t next; };
struct open_values { VECTOR(struct open_value) stack; };

static void write_scalar(struct json_writer *w, const struct json *v)
{
    if (!v || v->type == JSON_NULL)
        json_null(w);
    else if (v->type == JSON_BOOL)
        json_bool(w, v->boolean);
    else if (v->type == JSON_NUMBER)
        json_raw(w, v->text);
    else
        json_string_bytes(w, v->text, v->length);
}

static void begin_value(struct json_writer *w, struct open_values *open, const struct json *v)
{
    if (!v || v->type < JSON_ARRAY) {
        write_scalar(w, v);
        return;
    }
    struct open_value opened = { v, 0 };
    vector_push(&open->stack, opened);
    json_open(w, v->type == JSON_ARRAY ? '[' : '{');
}

void json_value(struct json_writer *w, const struct json *value)
{
    struct open_values open = { 0 };
    begin_value(w, &open, value);
    while (open.stack.count) {
        struct open_value *top = &open.stack.items[open.stack.count - 1];
        const struct json *in = top->value;
        if (top->next == in->length) {
            json_close(w, in->type == JSON_ARRAY ? ']' : '}');
            open.stack.count--;
        } else if (in->type == JSON_OBJECT) {
            const struct json_member *member = &in->members[top->next++];
            json_key(w, member->key);
            begin_value(w, &open, member->value);
        } else {
            begin_value(w, &open, in->items[top->next++]);
        }
    }
    vector_done(&open.stack);
}

void json_heard(struct json_writer *w, enum json_event event, const char *text, size_t length)
{
    switch (event) {
    case JSON_HEARD_NULL:
        json_null(w);
        break;
    case JSON_HEARD_FALSE:
    case JSON_HEARD_TRUE:
        json_bool(w, event == JSON_HEARD_TRUE);
        break;
    case JSON_HEARD_NUMBER:
        begin_item(w);
        buffer_add(w->out, text, length);
        break;
    case JSON_HEARD_STRING:
        json_string_bytes(w, text, length);
        break;
    case JSON_HEARD_NAME:
        json_string_bytes(w, text, length);
        buffer_add(w->out, ": ", w->spaced ? 2 : 1);
        w->comma = false;
        break;
    case JSON_HEARD_OBJECT:
    case JSON_HEARD_ARRAY:
        json_open(w, event == JSON_HEARD_OBJECT ? '{' : '[');
        break;
    case JSON_HEARD_END_OBJECT:
    case JSON_HEARD_END_ARRAY:
        json_close(w, event == JSON_HEARD_END_OBJECT ? '}' : ']');
        break;
    }
}
