/* SPDX-License-Identifier: Apache-2.0 */
/* qom_compare.h - whether two trees say the same, and where not.
 *
 * Trees compare in normal form: path, type, and the set of (name, type, value) without child<>.  The order of
 * children and properties and of a value's members does not count, an unreadable property has no value, and
 * what changes by itself is not looked at (rtc-time, date, guest-stats).
 */
#pragma once
#include <stddef.h>

#include "qemu/qom_store.h"

/* The number of differences.  The first `limit` of them are appended to `out` (may be NULL), one a line:
 * "- /path name type value" is only in a, "+ ..." only in b. */
size_t qom_compare(const struct qom_store *a, const struct qom_store *b, struct buffer *out, size_t limit);
