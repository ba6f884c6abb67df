/* SPDX-License-Identifier: Apache-2.0 */
/* From libxml2's tree into structs, row by row. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"
#include "xml/context.h"
#include "xml/table.h"

static void parse_element(struct xml_context *x, const struct element *e, xmlNode *node, void *self);

/* "one of a, b, c", or what the codec says. */
static char *describe_expected(const struct field *f)
{
    struct buffer b = { 0 };
    if (f->ranged) {
        buffer_printf(&b, "a number from %" PRIu64 " to %" PRIu64, f->low, f->high);
    } else if (f->codec->expected) {
        buffer_add_text(&b, f->codec->expected);
    } else {
        for (size_t i = 1; i < f->codec->names->count; i++)
            buffer_printf(&b, "%s%s", i > 1 ? ", " : "one of ", f->codec->names->words[i]);
    }
    return buffer_take(&b);
}

static void refuse_value(struct xml_context *x, const struct field *f, xmlNode *node, const char *text)
{
    owned_memory char *expected = describe_expected(f);
    const char *meant = NULL;
    if (f->codec->names)
        meant = text_nearest(text, f->codec->names->words, f->codec->names->count);
    context_report(x, node, SEVERITY_ERROR, f->code ? f->code : ERR_XML, expected,
                   "invalid value '%.200s': %s is expected%s%s%s", text, expected, meant ? "; did you mean '"
                   : "", meant ? meant : "", meant ? "'?" : "");
}

/* In place; returns the first byte that counts. */
static char *trim(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static void parse_text(struct xml_context *x, const struct field *f, xmlNode *node, char *text, void *self)
{
    void *member = (char *) self + f->offset;
    union { struct uuid uuid; uint64_t number; const char *text; struct opt_i64 opt; } value;
    uint64_t number;
    if (!f->codec->verbatim)
        text = trim(text);
    assert(f->codec->size <= sizeof value && (!f->ranged || f->codec->number));
    memset(&value, 0, sizeof value);
    if (!f->codec->parse(f->codec, x->arena, text, &value) ||
        (f->ranged && f->codec->number(&value, &number) &&
         (number < f->low || number > f->high))) { if (node) refuse_value(x, f, node, text); return; }
    memcpy(member, &value, f->codec->size);
    if (node)
        context_remember_row(x, member, f, node);
}

static void take_default(struct xml_context *x, const struct field *f, void *self)
{
    if (!f->fallback)
        return;
    owned_memory char *text = memory_copy_text(f->fallback);
    parse_text(x, f, NULL, text, self);
}

static void parse_attribute(struct xml_context *x, const struct field *f, xmlNode *node, void *self)
{
    xmlAttr *attr = xmlHasNsProp(node, BAD_CAST f->name, NULL);
    if (attr) {
        xmlChar *text = context_text((xmlNode *) attr);
        attr->_private = (void *) f;
        parse_text(x, f, (xmlNode *) attr, (char *) text, self);
        xmlFree(text);
    } else if (f->required) {
        context_report(x, node, SEVERITY_ERROR, f->code ? f->code : ERR_XML, NULL,
                       "<%s> lacks the attribute '%s'", node->name, f->name);
    } else {
        take_default(x, f, self);
    }
}

/* An empty text is an absent one.  Blanks around child elements are no text either. */
static void parse_content(struct xml_context *x, const struct field *f, xmlNode *node, void *self)
{
    xmlChar *all = context_text(node);
    char *text = xmlFirstElementChild(node) ? trim((char *) all) : (char *) all;
    if (*text)
        parse_text(x, f, node, text, self);
    else if (f->required)
        context_report(x, node, SEVERITY_ERROR, f->code ? f->code : ERR_XML, NULL, "<%s> is empty",
                       node->name);
    else
        take_default(x, f, self);
    xmlFree(all);
}

static bool is_ours(const struct field *f, xmlNode *node)
{
    if (node->type != XML_ELEMENT_NODE || node->ns || strcmp((const char *) node->name, field_name(f)) != 0)
        return false;
    if (!f->role)
        return !node->_private;
    xmlAttr *role = xmlHasNsProp(node, BAD_CAST f->role, NULL);
    xmlChar *text = role ? context_text((xmlNode *) role) : NULL;
    bool same = text_equal((const char *) text, f->role_value);
    xmlFree(text);
    return same && !node->_private;
}

/* Takes the child, and the attribute that says that it is this row's. */
static void take_child(const struct field *f, xmlNode *node)
{
    node->_private = (void *) f;
    if (f->role)
        xmlHasNsProp(node, BAD_CAST f->role, NULL)->_private = (void *) f;
}

static void parse_child(struct xml_context *x, const struct field *f, xmlNode *node, void *self)
{
    void *member = (char *) self + f->offset;
    take_child(f, node);
    switch (f->kind) {
    case FIELD_FLAG:
        *(bool *) member = true;
        context_remember_row(x, member, f, node);
        break;
    case FIELD_LEAF:
        parse_content(x, f, node, self);
        break;
    case FIELD_INLINE:
        parse_element(x, f->element, node, self);
        break;
    case FIELD_NESTED:
        parse_element(x, f->element, node, member);
        break;
    case FIELD_CHILD:
        *(void **) member = arena_alloc(x->arena, f->element->size);
        parse_element(x, f->element, node, *(void **) member);
        break;
    default:
        *(struct raw **) member = keep_subtree(x, node);
        break;
    }
}

/* Attributes and children of a FLAG or LEAF have nowhere to go. */
static void warn_of_content(struct xml_context *x, const struct field *f, xmlNode *node)
{
    if (f->kind != FIELD_FLAG && f->kind != FIELD_LEAF)
        return;
    xmlNode *what = node->properties ? (xmlNode *) node->properties : xmlFirstElementChild(node);
    if (!what)
        return;
    bool strict = x->flags & XML_STRICT;
    context_report(x, what, strict ? SEVERITY_ERROR : SEVERITY_WARNING, strict ? ERR_XML_SCHEMA : ERR_NONE,
                   NULL, "<%s> has no '%s', so it is dropped", node->name, what->name);
}

static void parse_children(struct xml_context *x, const struct field *f, xmlNode *node, void *self)
{
    bool found = false;
    for (xmlNode *n = node->children; n; n = n->next) {
        if (!is_ours(f, n))
            continue;
        if (found) {
            n->_private = (void *) f;
            context_report(x, n, SEVERITY_ERROR, ERR_XML, NULL, "<%s> has more than one <%s>", node->name,
                           n->name);
            continue;
        }
        found = true;
        parse_child(x, f, n, self);
        warn_of_content(x, f, n);
    }
    if (!found && f->required)
        context_report(x, node, SEVERITY_ERROR, f->code ? f->code : ERR_XML, NULL, "<%s> lacks <%s>",
                       node->name, field_name(f));
    if (!found && f->kind == FIELD_LEAF)
        take_default(x, f, self);
}

/* Counts first, so that a long list costs one array and one block. */
static void parse_list(struct xml_context *x, const struct field *f, xmlNode *node, void *self)
{
    struct any_list *list = (void *) ((char *) self + f->offset);
    size_t count = 0;
    for (xmlNode *n = node->children; n; n = n->next)
        count += is_ours(f, n);
    if (!count)
        return;
    size_t stride = (f->element->size + 15) & ~(size_t) 15;
    char *items = arena_alloc(x->arena, count * stride);
    void **pointers = arena_alloc(x->arena, (list->count + count) * sizeof *pointers);
    if (list->count)
        memcpy(pointers, list->items, list->count * sizeof *pointers);
    list->items = pointers;
    for (xmlNode *n = node->children; n; n = n->next) {
        if (!is_ours(f, n))
            continue;
        take_child(f, n);
        pointers[list->count] = items;
        items += stride;
        parse_element(x, f->element, n, pointers[list->count++]);
    }
}

/* Inactive XML has no live values: what stands there is passed over, but for values that last. */
static bool is_for_later(struct xml_context *x, const struct field *f)
{
    return f->live_only && !f->lasts && !(x->flags & XML_LIVE);
}

static void pass_over(const struct field *f, xmlNode *node)
{
    if (f->kind == FIELD_ATTR) {
        xmlAttr *attr = xmlHasNsProp(node, BAD_CAST f->name, NULL);
        if (attr)
            attr->_private = (void *) f;
        return;
    }
    for (xmlNode *n = node->children; f->kind > FIELD_PRESENT && n; n = n->next)
        if (is_ours(f, n))
            n->_private = (void *) f;
}

static void take_presence(struct xml_context *x, const struct field *f, xmlNode *node, void *self)
{
    bool *member = (bool *) ((char *) self + f->offset);
    *member = true;
    context_remember_row(x, member, f, node);
}

static void parse_row(struct xml_context *x, const struct field *f, xmlNode *node, void *self)
{
    if (is_for_later(x, f)) {
        pass_over(f, node);
        return;
    }
    switch (f->kind) {
    case FIELD_ATTR: parse_attribute(x, f, node, self); break;
    case FIELD_TEXT: parse_content(x, f, node, self); break;
    case FIELD_PRESENT: take_presence(x, f, node, self); break;
    case FIELD_LIST: parse_list(x, f, node, self); break;
    default: parse_children(x, f, node, self); break;
    }
    if (f->lasts && !(x->flags & XML_LIVE) && !f->lasts((char *) self + f->offset))
        memset((char *) self + f->offset, 0, f->codec->size);
}

static void parse_element(struct xml_context *x, const struct element *e, xmlNode *node, void *self)
{
    context_remember(x, self, e, node);
    for (const struct field *f = e->fields; f->kind; f++)
        if (field_applies(f, self))
            parse_row(x, f, node, self);
    keep_unknown(x, e, node, self);
    if (e->check)
        e->check(self, x);
}

void *xml_read(const struct element *e, const char *text, size_t length, size_t max, unsigned flags,
               const struct xml_policy *policy, void *user, struct arena *arena, struct findings *findings,
               struct error *err)
{
    xmlDoc *doc = document_read(text, length, max, err);
    if (!doc)
        return NULL;
    xmlNode *root = xmlDocGetRootElement(doc);
    void *self = NULL;
    if (!root || strcmp((const char *) root->name, e->name) != 0) {
        fail(err, ERR_XML, "the document's root is <%s>, not <%s>", root ? (const char *) root->name : "",
             e->name);
    } else if (root->ns) {
        fail(err, ERR_XML, "the document's root <%s> is in the namespace '%s', and must be in none", e->name,
             root->ns->href ? (const char *) root->ns->href : "");
    } else {
        struct xml_context x = { arena, findings, flags, policy, user, { 0 } };
        self = arena_alloc(arena, e->size);
        parse_element(&x, e, root, self);
        vector_done(&x.places);
    }
    document_free(doc);
    return self;
}
