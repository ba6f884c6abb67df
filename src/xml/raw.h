/* SPDX-License-Identifier: Apache-2.0 */
/* raw.h - subtrees that are kept as they were written.
 *
 * A raw element carries the xmlns declarations that it needs, so it can stand anywhere.  White space between
 * elements is not kept (it is indented anew); an element with text among its children keeps it to the letter.
 */
#pragma once
#include "base/arena.h"
#include "base/buffer.h"
#include "xml/value.h"

enum raw_kind { RAW_ELEMENT, RAW_TEXT, RAW_COMMENT, RAW_INSTRUCTION };

struct raw_attribute { const char *name,
    *value; };     /* names with their prefix; xmlns declarations come first */

struct raw {
    enum raw_kind kind;
    const char *name;                   /* of an element or instruction, with its prefix */
    const char *text;                   /* of text, comment or instruction */
    const struct raw_attribute *attributes;
    size_t attributes_count;
    struct raw *children, *next;
};

/* One thing that a table did not know: an element, or an attribute (raw is NULL). */
struct extra {
    struct extra *next;
    const struct element *in;           /* the table that did not know it; parts of one struct share a list */
    const char *path;                   /* "domain/devices/sound" */
    unsigned line;
    bool blocks;                        /* what the policy said (element.h) */
    const struct raw *raw;
    const char *name, *value;           /* of an attribute */
    const char *namespace_uri;          /* of a prefixed attribute */
};

/* Without the outermost element's declarations of the prefixes listed in `declared` (NULL-terminated, or
 * NULL). */
void raw_format(const struct raw *raw, const char *const *declared, unsigned depth, struct buffer *out);
const struct raw *raw_copy(const struct raw *raw, struct arena *a);
void extras_copy(struct extras *extras, struct arena *a);

/* The escapes that make text survive a round trip. */
void xml_add_text(struct buffer *out, const char *text);
/* "<", name, ">" */
void xml_add_name(struct buffer *out, const char *before, const char *name, const char *after);
void xml_add_attribute(struct buffer *out, const char *name, const char *value);
void xml_add_indent(struct buffer *out, unsigned depth);
