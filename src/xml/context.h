/* SPDX-License-Identifier: Apache-2.0 */
/* context.h - what the engine remembers while it reads one document.  Private to src/xml. */
#pragma once
#include <libxml/tree.h>

#include "base/vector.h"
#include "xml/element.h"

/* Where a member's value, or a struct, was read from. */
struct place { const void *member; const struct element *element; xmlNode *node; bool secret; };

struct xml_context {
    struct arena *arena;
    struct findings *findings;
    unsigned flags;
    const struct xml_policy *policy;
    void *user;
    VECTOR(struct place) places;
};

void context_remember(struct xml_context *x, const void *member, const struct element *e, xmlNode *node);
void context_remember_row(struct xml_context *x, const void *member, const struct field *f, xmlNode *node);

/* Reports on `node`, an element, attribute or text.  The value is the node's text, unless it is an element.
 * */
void context_report(struct xml_context *x, xmlNode *node, enum severity severity, enum error_code code,
                    const char *expected, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* A string in the arena, without the root: "devices/disk". */
char *context_parent_path(struct xml_context *x, const xmlNode *node);
/* "domain/devices/disk[2]/@type"; malloc'ed. */
char *context_full_path(const xmlNode *node);
unsigned context_line(const xmlNode *node);

/* The text of an attribute, or of an element without what stands in its child elements; malloc'ed by libxml2.
 * */
xmlChar *context_text(const xmlNode *node);

/* document.c */
xmlDoc *document_read(const char *text, size_t length, size_t max, struct error *err);
void document_free(xmlDoc *doc);

/* keep.c: what the tables do not know. */
struct raw *keep_subtree(struct xml_context *x, xmlNode *node);
void keep_unknown(struct xml_context *x, const struct element *e, xmlNode *node, void *self);
