/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - the member types that a definition is made of, beside numbers, strings and enums.
 *
 * Absent is always zero: NULL, 0, an enum's first value, an opt_ that is not set, an empty list.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/enums.h"

/* Numbers for which 0 means something. */
struct opt_u32 { bool set; uint32_t value; };
struct opt_u64 { bool set; uint64_t value; };
struct opt_i64 { bool set; int64_t value; };

/* Any number of children.  The items are pointers, so that an item keeps its place when others come and go.
 * */
#define LIST_OF(type) struct { type **items; size_t count; }

/* Yes/no and on/off are three-valued: said, denied, left to the default. */
#define YES_NO(_) _(YES, "yes") _(NO, "no")
DECLARE_ENUM(yes_no, YES_NO_ABSENT, YES_NO);

#define ON_OFF(_) _(ON, "on") _(OFF, "off")
DECLARE_ENUM(on_off, ON_OFF_ABSENT, ON_OFF);

/* A table (element.h) and the struct that it describes, so that rows which name the table can check the
 * struct. */
struct element;
#define DECLARE_ELEMENT(table, ctype) \
    typedef ctype table##_type; \
    extern const struct element table

/* A subtree kept as it was written (raw.h). */
struct raw;

/* What an element held that its table does not know: kept, and written back after what it knows.  Every
 * struct that has a table has one of these, named `extras`. */
struct extra;
struct extras { struct extra *first, *last; };
