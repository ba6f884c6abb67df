/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of content that no table knows: dropped with a warning, or kept. */
#include <string.h>

#include "base/buffer.h"
#include "base/own.h"
#include "base/text.h"
#include "xml/context.h"
#include "xml/raw.h"

static bool is_blank(const xmlChar *text)
{
    return !text || text[strspn((const char *) text, " \t\r\n")] == '\0';
}

static const char *qualified(struct xml_context *x, const xmlNs *ns, const xmlChar *name)
{
    if (!ns || !ns->prefix)
        return arena_copy(x->arena, (const char *) name);
    return arena_printf(x->arena, "%s:%s", (const char *) ns->prefix, (const char *) name);
}

struct raw_attributes { VECTOR(struct raw_attribute) list; };

static void add_declaration(struct xml_context *x, const xmlNs *ns, struct raw_attributes *out)
{
    vector_push(&out->list, ((struct raw_attribute) {
        ns->prefix ? arena_printf(x->arena, "xmlns:%s", (const char *) ns->prefix) : "xmlns",
        arena_copy(x->arena, ns->href ? (const char *) ns->href : ""),
    }));
}

static void mark_declarations(xmlNode *node, void *mark)
{
    for (xmlNs *ns = node->nsDef; ns; ns = ns->next)
        ns->_private = mark;
    for (xmlNode *n = node->children; n; n = n->next)
        if (n->type == XML_ELEMENT_NODE)
            mark_declarations(n, mark);
}

static void use_namespace(struct xml_context *x, xmlNs *ns, void *mark, struct raw_attributes *out)
{
    if (!ns || ns->_private == mark || text_equal((const char *) ns->prefix, "xml"))
        return;
    ns->_private = mark;
    add_declaration(x, ns, out);
}

/* Declarations that the subtree uses, and that are made above it. */
static void add_inherited(struct xml_context *x, xmlNode *node, void *mark, struct raw_attributes *out)
{
    use_namespace(x, node->ns, mark, out);
    for (xmlAttr *attr = node->properties; attr; attr = attr->next)
        use_namespace(x, attr->ns, mark, out);
    for (xmlNode *n = node->children; n; n = n->next)
        if (n->type == XML_ELEMENT_NODE)
            add_inherited(x, n, mark, out);
}

static void copy_attributes(struct xml_context *x, xmlNode *node, bool top, struct raw *raw)
{
    struct raw_attributes found = { 0 };
    for (const xmlNs *ns = node->nsDef; ns; ns = ns->next)
        add_declaration(x, ns, &found);
    if (top) {
        mark_declarations(node, node);
        add_inherited(x, node, node, &found);
    }
    for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
        xmlChar *value = context_text((const xmlNode *) attr);
        vector_push(&found.list, ((struct raw_attribute) {
            qualified(x, attr->ns, attr->name), arena_copy(x->arena, (const char *) value),
        }));
        xmlFree(value);
    }
    if (found.list.count) {
        struct raw_attribute *all = arena_alloc(x->arena, found.list.count * sizeof *all);
        raw->attributes = memcpy(all, found.list.items, found.list.count * sizeof *all);
        raw->attributes_count = found.list.count;
    }
    vector_done(&found.list);
}

static bool has_text(const xmlNode *node)
{
    for (const xmlNode *n = node->children; n; n = n->next)
        if ((n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE) && !is_blank(n->content))
            return true;
    return false;
}

static struct raw *keep_node(struct xml_context *x, xmlNode *node, bool verbatim, bool top);

static struct raw *keep_element(struct xml_context *x, xmlNode *node, bool verbatim, bool top)
{
    struct raw *raw = ARENA_NEW(x->arena, struct raw);
    raw->name = qualified(x, node->ns, node->name);
    copy_attributes(x, node, top, raw);
    verbatim = verbatim || has_text(node);
    struct raw **end = &raw->children;
    for (xmlNode *n = node->children; n; n = n->next)
        if ((*end = keep_node(x, n, verbatim, false)))
            end = &(*end)->next;
    return raw;
}

static struct raw *keep_node(struct xml_context *x, xmlNode *node, bool verbatim, bool top)
{
    struct raw *raw;
    switch (node->type) {
    case XML_ELEMENT_NODE:
        return keep_element(x, node, verbatim, top);
    case XML_TEXT_NODE:
    case XML_CDATA_SECTION_NODE:
        if (!verbatim)
            return NULL;
        raw = ARENA_NEW(x->arena, struct raw);
        raw->kind = RAW_TEXT;
        break;
    case XML_COMMENT_NODE:
        raw = ARENA_NEW(x->arena, struct raw);
        raw->kind = RAW_COMMENT;
        break;
    case XML_PI_NODE:
        raw = ARENA_NEW(x->arena, struct raw);
        raw->kind = RAW_INSTRUCTION;
        raw->name = arena_copy(x->arena, (const char *) node->name);
        break;
    default:
        return NULL;
    }
    raw->text = arena_copy(x->arena, node->content ? (const char *) node->content : "");
    return raw;
}

struct raw *keep_subtree(struct xml_context *x, xmlNode *node)
{
    return keep_element(x, node, false, true);
}

static struct extra *add_extra(struct xml_context *x, const struct element *e, xmlNode *node, bool blocks,
                               void *self)
{
    struct extras *extras = (struct extras *) ((char *) self + e->extras);
    struct extra *extra = ARENA_NEW(x->arena, struct extra);
    const char *parent = context_parent_path(x, node);
    extra->in = e;
    extra->path = arena_printf(x->arena, "%s%s%s%s", parent, *parent ? "/" : "",
                               node->type == XML_ATTRIBUTE_NODE ? "@" : "",
                               qualified(x, node->ns, node->name));
    extra->line = context_line(node);
    extra->blocks = blocks;
    if (extras->last)
        extras->last->next = extra;
    else
        extras->first = extra;
    extras->last = extra;
    return extra;
}

static enum xml_verdict judge(struct xml_context *x, xmlNode *node)
{
    if (!x->policy)
        return node->ns ? XML_KEEP : XML_DROP;
    owned_buffer struct buffer name = { 0 };
    if (node->type == XML_ATTRIBUTE_NODE)
        buffer_add_char(&name, '@');
    if (node->ns)
        buffer_printf(&name, "{%s}", (const char *) node->ns->href);
    buffer_add_text(&name, (const char *) node->name);
    return x->policy->judge(context_parent_path(x, node), name.data);
}

/* Is there a row of this name, which another member's value has switched off? */
static bool is_switched_off(const struct element *e, const xmlNode *node)
{
    bool attribute = node->type == XML_ATTRIBUTE_NODE;
    for (const struct field *f = e->fields; f->kind && !node->ns; f++)
        if ((f->kind == FIELD_ATTR) == attribute && (f->name || f->element) &&
            text_equal(f->element ? f->element->name : f->name, (const char *) node->name))
            return true;
    return false;
}

/* The word that was probably meant. */
static const char *nearest(const struct element *e, const xmlNode *node)
{
    const char *words[128];
    size_t count = 0;
    for (const struct field *f = e->fields; f->kind && count < 128; f++)
        if ((f->kind == FIELD_ATTR) == (node->type == XML_ATTRIBUTE_NODE) && (f->name || f->element))
            words[count++] = f->element ? f->element->name : f->name;
    return text_nearest((const char *) node->name, words, count);
}

static void drop(struct xml_context *x, const struct element *e, xmlNode *node)
{
    bool strict = x->flags & XML_STRICT;
    const char *what = node->type == XML_ATTRIBUTE_NODE ? "attribute" : "element";
    const char *parent = (const char *) node->parent->name, *meant = nearest(e, node);
    enum severity severity = strict ? SEVERITY_ERROR : SEVERITY_WARNING;
    enum error_code code = strict ? ERR_XML_SCHEMA : ERR_NONE;
    if (is_switched_off(e, node))
        context_report(x, node, SEVERITY_WARNING, ERR_NONE, NULL,
                       "%s '%s' has no meaning in this kind of <%s> and is dropped", what, node->name,
                       parent);
    else if (meant)
        context_report(x, node, severity, code, meant, "<%s> has no %s '%s'%s; did you mean '%s'?", parent,
                       what, node->name, strict ? "" : ", so it is dropped", meant);
    else
        context_report(x, node, severity, code, NULL, "<%s> has no %s '%s'%s", parent, what, node->name,
                       strict ? "" : ", so it is dropped");
}

static void keep_one(struct xml_context *x, const struct element *e, xmlNode *node, void *self)
{
    enum xml_verdict verdict = is_switched_off(e, node) ? XML_DROP : judge(x, node);
    if (verdict == XML_DROP) {
        drop(x, e, node);
        return;
    }
    struct extra *extra = add_extra(x, e, node, verdict == XML_KEEP_BLOCKING, self);
    if (node->type == XML_ATTRIBUTE_NODE) {
        xmlChar *value = context_text(node);
        extra->name = qualified(x, node->ns, node->name);
        extra->value = arena_copy(x->arena, (const char *) value);
        extra->namespace_uri = node->ns ? arena_copy(x->arena, (const char *) node->ns->href) : NULL;
        xmlFree(value);
    } else {
        extra->raw = keep_subtree(x, node);
    }
    if (!node->ns || extra->blocks)
        context_report(x, node, SEVERITY_WARNING, ERR_NONE, NULL, "is kept, but not supported%s",
                       extra->blocks ? ": a start will be refused" : " and has no effect");
}

/* Rows that took a node have marked it. */
void keep_unknown(struct xml_context *x, const struct element *e, xmlNode *node, void *self)
{
    bool takes_text = false;
    for (const struct field *f = e->fields; f->kind; f++)
        takes_text = takes_text || f->kind == FIELD_TEXT;
    for (xmlAttr *attr = node->properties; attr; attr = attr->next)
        if (!attr->_private)
            keep_one(x, e, (xmlNode *) attr, self);
    for (xmlNode *n = node->children; n; n = n->next) {
        if (n->type == XML_ELEMENT_NODE && !n->_private)
            keep_one(x, e, n, self);
        else if (n->type == XML_TEXT_NODE && !takes_text && !is_blank(n->content))
            context_report(x, n, x->flags & XML_STRICT ? SEVERITY_ERROR : SEVERITY_WARNING,
                           x->flags & XML_STRICT ? ERR_XML_SCHEMA : ERR_NONE, NULL,
                           "text has no meaning in <%s> and is dropped", node->name);
    }
}
