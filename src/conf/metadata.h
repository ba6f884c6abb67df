/* SPDX-License-Identifier: Apache-2.0 */
/* metadata.h - <metadata>: what other programs keep in a definition, an element each, told apart by their
 * namespaces.
 *
 * Such a program gives and gets its element without a namespace; in the definition it has the program's
 * prefix, which the element itself declares.
 */
#pragma once
#include "base/buffer.h"
#include "base/error.h"

struct domain_def;
struct raw;

/* The element of the namespace `uri`, or NULL. */
const struct raw *metadata_find(const struct domain_def *def, const char *uri);
/* As its program gave it. */
void metadata_format(const struct raw *element, const char *uri, struct buffer *out);
/* In a copy that nobody else sees yet: replaces the element of `uri` by `xml`, as `prefix`:name; NULL removes
 * it. */
int metadata_set(struct domain_def *def, const char *uri, const char *prefix, const char *xml,
                 struct error *err);
