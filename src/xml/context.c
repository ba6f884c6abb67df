/* SPDX-License-Identifier: Apache-2.0 */
#include "xml/context.h"

#include <libxml/xmlmemory.h>
#include <stdarg.h>
#include <string.h>

#include "base/buffer.h"
#include "base/own.h"
#include "base/text.h"

struct arena *xml_arena(struct xml_context *x)
{
    return x->arena;
}

void *xml_user(struct xml_context *x)
{
    return x->user;
}

unsigned xml_flags_of(struct xml_context *x)
{
    return x->flags;
}

bool xml_has_errors(struct xml_context *x)
{
    return x->findings->errors > 0;
}

void context_remember(struct xml_context *x, const void *member, const struct element *e, xmlNode *node)
{
    vector_push(&x->places, ((struct place) { member, e, node, false }));
}

void context_remember_row(struct xml_context *x, const void *member, const struct field *f, xmlNode *node)
{
    vector_push(&x->places, ((struct place) { member, NULL, node, f->secret }));
}

unsigned context_line(const xmlNode *node)
{
    if (node->type == XML_ATTRIBUTE_NODE)
        node = node->parent;
    long line = xmlGetLineNo(node);
    return line > 0 ? (unsigned) line : 0;
}

static void add_step(const xmlNode *node, struct buffer *out)
{
    if (node->type == XML_ATTRIBUTE_NODE)
        buffer_add_char(out, '@');
    if (node->ns && node->ns->prefix)
        buffer_printf(out, "%s:", (const char *) node->ns->prefix);
    buffer_add_text(out, (const char *) node->name);
    if (node->type != XML_ELEMENT_NODE)
        return;
    unsigned position = 1;
    bool alone = true;
    for (const xmlNode *n = node->parent ? node->parent->children : NULL; n; n = n->next) {
        if (n->type != XML_ELEMENT_NODE || n == node || !xmlStrEqual(n->name, node->name))
            continue;
        alone = false;
        break;
    }
    for (const xmlNode *n = node->prev; n && !alone; n = n->prev)
        position += n->type == XML_ELEMENT_NODE && xmlStrEqual(n->name, node->name);
    if (!alone)
        buffer_printf(out, "[%u]", position);
}

char *context_full_path(const xmlNode *node)
{
    const xmlNode *chain[XML_DEPTH_MAX + 2];
    size_t depth = 0;
    if (node->type == XML_TEXT_NODE)
        node = node->parent;
    for (; node && node->type != XML_DOCUMENT_NODE &&
         depth < sizeof chain / sizeof *chain; node = node->parent)
        chain[depth++] = node;
    struct buffer path = { 0 };
    while (depth) {
        add_step(chain[--depth], &path);
        if (depth)
            buffer_add_char(&path, '/');
    }
    return buffer_take(&path);
}

static void add_parents(const xmlNode *node, struct buffer *out)
{
    if (!node->parent || node->parent->type == XML_DOCUMENT_NODE)
        return;
    add_parents(node->parent, out);
    if (out->length)
        buffer_add_char(out, '/');
    buffer_add_text(out, (const char *) node->name);
}

char *context_parent_path(struct xml_context *x, const xmlNode *node)
{
    owned_buffer struct buffer path = { 0 };
    if (node->parent)
        add_parents(node->parent, &path);
    return arena_copy(x->arena, buffer_text(&path));
}

xmlChar *context_text(const xmlNode *node)
{
    if (node->type != XML_ELEMENT_NODE)
        return xmlNodeGetContent(node);
    xmlBuffer *text = xmlBufferCreate();
    for (const xmlNode *n = node->children; n; n = n->next)
        if (n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE)
            xmlBufferCat(text, n->content);
    xmlChar *all = xmlBufferDetach(text);
    xmlBufferFree(text);
    return all ? all : xmlStrdup(BAD_CAST "");
}

static bool is_full(struct xml_context *x, enum severity severity)
{
    return x->findings->count >= FINDINGS_MAX && (severity != SEVERITY_ERROR || x->findings->errors);
}

/* What stood there; NULL if that is a whole subtree, or nobody's business. */
static xmlChar *quote(const struct place *place)
{
    if (!place || place->secret)
        return NULL;
    if (place->node->type != XML_ELEMENT_NODE)
        return context_text(place->node);
    xmlChar *text = xmlFirstElementChild(place->node) ? NULL : context_text(place->node);
    if (text && *text)
        return text;
    xmlFree(text);
    return NULL;
}

__attribute__((format(printf, 6, 0)))
static void report(struct xml_context *x, const struct place *place, enum severity severity,
                   enum error_code code, const char *expected, const char *format, va_list ap)
{
    char *text = NULL;
    if (vasprintf(&text, format, ap) < 0)
        abort();
    owned_memory char *path = place ? context_full_path(place->node) : NULL;
    xmlChar *value = quote(place);
    findings_add(x->findings, &(struct finding) {
        severity, code, place ? context_line(place->node) : 0, path, (char *) value, (char *) expected, text,
    });
    xmlFree(value);
    free(text);
}

/* One that will not be kept is only counted: that spares a long document its quadratic time. */
static bool count_only(struct xml_context *x, enum severity severity, enum error_code code)
{
    if (!is_full(x, severity))
        return false;
    findings_add(x->findings, &(struct finding) { .severity = severity, .code = code });
    return true;
}

void context_report(struct xml_context *x, xmlNode *node, enum severity severity, enum error_code code,
                    const char *expected, const char *format, ...)
{
    const struct place place = { .node = node };
    va_list ap;
    if (count_only(x, severity, code))
        return;
    va_start(ap, format);
    report(x, &place, severity, code, expected, format, ap);
    va_end(ap);
}

static bool is_around(const struct place *place, const char *member)
{
    const char *start = place->member;
    return place->element && member >= start && member < start + place->element->size;
}

/* The last place with this very address is the most particular one; else the smallest struct around it. */
static const struct place *find_place(const struct xml_context *x, const void *member)
{
    const struct place *best = NULL;
    for (size_t i = x->places.count; i-- > 0; ) {
        const struct place *p = &x->places.items[i];
        if (p->member == member && !p->element)
            return p;
        if (is_around(p, member) && (!best || p->element->size <= best->element->size))
            best = p;
    }
    return best;
}

void xml_refuse(struct xml_context *x, const void *member, enum error_code code, const char *expected,
                const char *format, ...)
{
    va_list ap;
    if (count_only(x, SEVERITY_ERROR, code))
        return;
    va_start(ap, format);
    report(x, find_place(x, member), SEVERITY_ERROR, code, expected, format, ap);
    va_end(ap);
}

void xml_warn(struct xml_context *x, const void *member, const char *format, ...)
{
    va_list ap;
    if (count_only(x, SEVERITY_WARNING, ERR_NONE))
        return;
    va_start(ap, format);
    report(x, find_place(x, member), SEVERITY_WARNING, ERR_NONE, NULL, format, ap);
    va_end(ap);
}
