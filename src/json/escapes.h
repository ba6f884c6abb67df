/* SPDX-License-Identifier: Apache-2.0 */
/* escapes.h - private to json: finds \u escapes that name half a surrogate pair.
 *
 * yajl turns such a half into "?" or into something else without a word, so the raw bytes are looked at as
 * well.  The bytes of one document come in pieces of any size.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct escapes {
    enum { ESCAPE_NONE, ESCAPE_BACKSLASH, ESCAPE_DIGITS } state;
    unsigned digits, code;              /* of the escape being read */
    bool want_low;                      /* the last thing was a high half */
};

bool escapes_check(struct escapes *e, const char *bytes, size_t length);        /* false: there is one */
