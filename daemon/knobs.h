/* SPDX-License-Identifier: Apache-2.0 */
/* knobs.h - members of a struct that clients read and set by libvirt's names, a row each.
 *
 *     #define SELF struct cputune
 *     static const struct knob knobs[] = { KNOB("cpu_shares", OPT_U64, shares), ... };
 */
#pragma once
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "daemon/params.h"

enum knob_kind {
    KNOB_U64,
    KNOB_TEXT,                          /* NULL is "" */
    KNOB_OPT_U32,                       /* not set is 0 */
    KNOB_OPT_U64,
    KNOB_OPT_I64,
    KNOB_LIMIT,                         /* an amount of memory; 0 is libvirt's "unlimited" */
};

struct knob { const char *name; enum knob_kind kind; size_t offset; };
#define KNOB(text, type, member) { text, KNOB_##type, offsetof(SELF, member) }

/* Adds all of them; `self` may be NULL, which has nothing set. */
void knobs_read(const struct knob *knobs, size_t count, const void *self, struct params *out);
/* Sets those that are named; fails (ERR_INVALID_ARG) on a name or type that none of them has. */
int knobs_write(const struct knob *knobs, size_t count, void *self, struct arena *arena,
                const remote_typed_param *params, size_t params_count, struct error *err);
