/* SPDX-License-Identifier: Apache-2.0 */
/* From structs to XML: attributes, then children, in the order of the rows. */
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "base/vector.h"
#include "xml/element.h"
#include "xml/raw.h"
#include "xml/table.h"

struct writing {
    struct buffer *out;
    unsigned flags;
    struct buffer value;                /* scratch for one scalar */
    const struct field *row;            /* whose child is written next */
};

static void write_element(struct writing *w, const struct element *e, const void *self, unsigned depth);

static bool element_is_shown(const struct writing *w, const struct element *e, const void *self);

static bool is_shown(const struct writing *w, const struct field *f, const void *self)
{
    const void *member = (const char *) self + f->offset;
    if (f->legacy || !field_applies(f, self) || (f->secret && !(w->flags & XML_SECRETS)))
        return false;
    if (f->live_only && !(w->flags & XML_LIVE) && !(f->lasts && f->lasts(member)))
        return false;
    if (f->unless_same && memcmp(member, (const char *) self + f->same_as, f->codec->size) == 0)
        return false;
    if (f->kind == FIELD_INLINE)
        return f->required || f->always || element_is_shown(w, f->element, self);
    if (f->kind == FIELD_NESTED)
        return f->required || element_is_shown(w, f->element, member);
    return field_is_set(f, self);
}

static const struct extra *next_extra(const struct extra *x, const struct element *e)
{
    while (x && x->in != e)
        x = x->next;
    return x;
}

static const struct extra *first_extra(const struct element *e, const void *self)
{
    const struct extras *extras = (const void *) ((const char *) self + e->extras);
    return next_extra(extras->first, e);
}

static bool element_is_shown(const struct writing *w, const struct element *e, const void *self)
{
    for (const struct field *f = e->fields; f->kind; f++)
        if (is_shown(w, f, self))
            return true;
    return first_extra(e, self) != NULL;
}

/* The text of a scalar, in w->value. */
static const char *scalar(struct writing *w, const struct field *f, const void *self)
{
    w->value.length = 0;
    buffer_add_text(&w->value, "");
    f->codec->format(f->codec, &w->value, (const char *) self + f->offset);
    return buffer_text(&w->value);
}

static bool is_written_attribute(const struct writing *w, const struct field *f, const void *self)
{
    return f->kind == FIELD_ATTR && (is_shown(w, f, self) || (f->always && field_applies(f, self)));
}

static bool is_child(const struct field *f)
{
    return f->kind > FIELD_PRESENT;
}

/* The prefix of "foo:bar" is declared where it is used, unless a sibling attribute did so already. */
static void write_extra_attribute(struct writing *w, const struct element *e, const struct extra *first,
                                  const struct extra *x)
{
    const char *colon = x->namespace_uri ? strchr(x->name, ':') : NULL;
    bool declared = !colon;
    for (; !declared && first != x; first = next_extra(first->next, e))
        declared = !first->raw && first->namespace_uri &&
                   strncmp(first->name, x->name, (size_t) (colon - x->name) + 1) == 0;
    if (!declared && strncmp(x->name, "xml:", 4) != 0) {
        buffer_printf(w->out, " xmlns:%.*s='", (int) (colon - x->name), x->name);
        xml_add_text(w->out, x->namespace_uri);
        buffer_add_char(w->out, '\'');
    }
    xml_add_attribute(w->out, x->name, x->value);
}

/* The root declares the prefixes of what is kept directly below it, as people write it; returns their names.
 * */
static const char **hoist_declarations(struct writing *w, const struct element *e, const void *self)
{
    VECTOR(const char *) names = { 0 };
    VECTOR(const char *) values = { 0 };
    for (const struct extra *x = first_extra(e, self); x; x = next_extra(x->next, e))
        for (size_t i = 0; x->raw && i < x->raw->attributes_count && names.count < 16; i++) {
            const struct raw_attribute *a = &x->raw->attributes[i];
            bool known = !text_starts(a->name, "xmlns:");
            for (size_t k = 0; k < names.count && !known; k++)
                known = strcmp(names.items[k], a->name) == 0;
            if (known)
                continue;
            xml_add_attribute(w->out, a->name, a->value);
            vector_push(&names, a->name);
            vector_push(&values, a->value);
        }
    vector_push(&names, NULL);
    vector_done(&values);
    return names.items;
}

static void write_start(struct writing *w, const struct element *e, const void *self)
{
    xml_add_name(w->out, "<", e->name, "");
    if (w->row && w->row->role)
        xml_add_attribute(w->out, w->row->role, w->row->role_value);
    w->row = NULL;
    for (const struct field *f = e->fields; f->kind; f++)
        if (is_written_attribute(w, f, self))
            xml_add_attribute(w->out, f->name, scalar(w, f, self));
    const struct extra *first = first_extra(e, self);
    for (const struct extra *x = first; x; x = next_extra(x->next, e))
        if (!x->raw)
            write_extra_attribute(w, e, first, x);
}

static void write_child(struct writing *w, const struct field *f, const void *self, unsigned depth)
{
    const void *member = (const char *) self + f->offset;
    const struct any_list *list = member;
    w->row = f;
    switch (f->kind) {
    case FIELD_FLAG:
        xml_add_indent(w->out, depth);
        xml_add_name(w->out, "<", f->name, "/>\n");
        break;
    case FIELD_LEAF:
        xml_add_indent(w->out, depth);
        xml_add_name(w->out, "<", f->name, ">");
        xml_add_text(w->out, scalar(w, f, self));
        xml_add_name(w->out, "</", f->name, ">\n");
        break;
    case FIELD_INLINE: write_element(w, f->element, self, depth); break;
    case FIELD_NESTED: write_element(w, f->element, member, depth); break;
    case FIELD_CHILD: write_element(w, f->element, *(void *const *) member, depth); break;
    case FIELD_LIST:
        for (size_t i = 0; i < list->count; i++, w->row = f)
            write_element(w, f->element, list->items[i], depth);
        break;
    default: raw_format(*(const struct raw *const *) member, NULL, depth, w->out); break;
    }
}

static bool has_children(const struct writing *w, const struct element *e, const void *self)
{
    for (const struct field *f = e->fields; f->kind; f++)
        if (is_child(f) && is_shown(w, f, self))
            return true;
    for (const struct extra *x = first_extra(e, self); x; x = next_extra(x->next, e))
        if (x->raw)
            return true;
    return false;
}

static void write_element(struct writing *w, const struct element *e, const void *self, unsigned depth)
{
    const char **declared = NULL;
    xml_add_indent(w->out, depth);
    write_start(w, e, self);
    if (depth == 0)
        declared = hoist_declarations(w, e, self);
    const struct field *text = e->fields;
    while (text->kind && !(text->kind == FIELD_TEXT && is_shown(w, text, self)))
        text++;
    bool children = has_children(w, e, self);
    if (!children && !text->kind) {
        buffer_add_text(w->out, "/>\n");
        free(declared);
        return;
    }
    buffer_add_char(w->out, '>');
    if (text->kind)
        xml_add_text(w->out, scalar(w, text, self));
    if (children) {
        buffer_add_char(w->out, '\n');
        for (const struct field *f = e->fields; f->kind; f++)
            if (is_child(f) && is_shown(w, f, self))
                write_child(w, f, self, depth + 1);
        for (const struct extra *x = first_extra(e, self); x; x = next_extra(x->next, e))
            if (x->raw)
                raw_format(x->raw, declared, depth + 1, w->out);
        xml_add_indent(w->out, depth);
    }
    xml_add_name(w->out, "</", e->name, ">\n");
    free(declared);
}

void xml_write(const struct element *e, const void *self, unsigned flags, struct buffer *out)
{
    struct writing w = { .out = out, .flags = flags };
    write_element(&w, e, self, 0);
    buffer_done(&w.value);
}
