/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - reading a table.  Private to src/xml. */
#pragma once
#include "xml/element.h"

struct any_list { void **items; size_t count; };        /* every LIST_OF looks like this */

const char *field_name(const struct field *f);
/* Do the members that the row depends on have the values for which it exists? */
bool field_applies(const struct field *f, const void *self);
/* Holds the member anything?  Of rows with children: does any of their rows? */
bool field_is_set(const struct field *f, const void *self);
