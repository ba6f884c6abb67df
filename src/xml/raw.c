/* SPDX-License-Identifier: Apache-2.0 */
#include "xml/raw.h"

#include <string.h>

#include "base/text.h"

/* Bytes that stand for themselves are copied in runs. */
static void add_escaped(struct buffer *out, const char *text, const char *special)
{
    for (;;) {
        size_t plain = strcspn(text, special);
        buffer_add(out, text, plain);
        text += plain;
        switch (*text++) {
        case '\0': return;
        case '<': buffer_add_text(out, "&lt;"); break;
        case '>': buffer_add_text(out, "&gt;"); break;
        case '&': buffer_add_text(out, "&amp;"); break;
        case '\'': buffer_add_text(out, "&apos;"); break;
        case '"': buffer_add_text(out, "&quot;"); break;
        default: buffer_printf(out, "&#%d;", text[-1]); break;
        }
    }
}

void xml_add_text(struct buffer *out, const char *text)
{
    add_escaped(out, text, "<>&'\"\r");
}

void xml_add_name(struct buffer *out, const char *before, const char *name, const char *after)
{
    buffer_add_text(out, before);
    buffer_add_text(out, name);
    buffer_add_text(out, after);
}

/* A reader turns white space in an attribute into blanks unless it is written as a reference. */
void xml_add_attribute(struct buffer *out, const char *name, const char *value)
{
    xml_add_name(out, " ", name, "='");
    add_escaped(out, value, "<>&'\"\r\n\t");
    buffer_add_char(out, '\'');
}

void xml_add_indent(struct buffer *out, unsigned depth)
{
    for (; depth; depth--)
        buffer_add(out, "  ", 2);
}

static bool is_declared(const char *attribute, const char *const *declared)
{
    for (; declared && *declared; declared++)
        if (text_equal(attribute, *declared))
            return true;
    return false;
}

static bool has_text(const struct raw *raw)
{
    for (const struct raw *c = raw->children; c; c = c->next)
        if (c->kind == RAW_TEXT)
            return true;
    return false;
}

static void format_node(const struct raw *raw, const char *const *declared, bool verbatim, unsigned depth,
                        struct buffer *out);

static void format_element(const struct raw *raw, const char *const *declared, bool verbatim, unsigned depth,
                           struct buffer *out)
{
    xml_add_name(out, "<", raw->name, "");
    for (size_t i = 0; i < raw->attributes_count; i++)
        if (!is_declared(raw->attributes[i].name, declared))
            xml_add_attribute(out, raw->attributes[i].name, raw->attributes[i].value);
    if (!raw->children) {
        buffer_add_text(out, "/>");
        return;
    }
    buffer_add_char(out, '>');
    verbatim = verbatim || has_text(raw);
    for (const struct raw *c = raw->children; c; c = c->next)
        format_node(c, NULL, verbatim, depth + 1, out);
    if (!verbatim) {
        buffer_add_char(out, '\n');
        xml_add_indent(out, depth);
    }
    xml_add_name(out, "</", raw->name, ">");
}

static void format_node(const struct raw *raw, const char *const *declared, bool verbatim, unsigned depth,
                        struct buffer *out)
{
    if (!verbatim) {
        buffer_add_char(out, '\n');
        xml_add_indent(out, depth);
    }
    switch (raw->kind) {
    case RAW_ELEMENT: format_element(raw, declared, verbatim, depth, out); break;
    case RAW_TEXT: xml_add_text(out, raw->text); break;
    case RAW_COMMENT: buffer_printf(out, "<!--%s-->", raw->text); break;
    case RAW_INSTRUCTION: buffer_printf(out, "<?%s %s?>", raw->name, raw->text ? raw->text : ""); break;
    }
}

void raw_format(const struct raw *raw, const char *const *declared, unsigned depth, struct buffer *out)
{
    xml_add_indent(out, depth);
    format_element(raw, declared, false, depth, out);
    buffer_add_char(out, '\n');
}

const struct raw *raw_copy(const struct raw *raw, struct arena *a)
{
    if (!raw)
        return NULL;
    struct raw *copy = ARENA_NEW(a, struct raw);
    copy->kind = raw->kind;
    copy->name = arena_copy(a, raw->name);
    copy->text = arena_copy(a, raw->text);
    if (raw->attributes_count) {
        struct raw_attribute *attributes = arena_alloc(a, raw->attributes_count * sizeof *attributes);
        for (size_t i = 0; i < raw->attributes_count; i++)
            attributes[i] = (struct raw_attribute) {
                arena_copy(a, raw->attributes[i].name), arena_copy(a, raw->attributes[i].value),
            };
        copy->attributes = attributes;
        copy->attributes_count = raw->attributes_count;
    }
    struct raw **end = &copy->children;
    for (const struct raw *c = raw->children; c; c = c->next) {
        *end = (struct raw *) raw_copy(c, a);
        end = &(*end)->next;
    }
    return copy;
}

void extras_copy(struct extras *extras, struct arena *a)
{
    const struct extra *from = extras->first;
    *extras = (struct extras) { 0 };
    for (; from; from = from->next) {
        struct extra *to = ARENA_NEW(a, struct extra);
        *to = (struct extra) {
            NULL, from->in, arena_copy(a, from->path), from->line, from->blocks, raw_copy(from->raw, a),
            arena_copy(a, from->name), arena_copy(a, from->value), arena_copy(a, from->namespace_uri),
        };
        if (extras->last)
            extras->last->next = to;
        else
            extras->first = to;
        extras->last = to;
    }
}
