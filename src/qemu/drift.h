/* SPDX-License-Identifier: Apache-2.0 */
/* drift.h - where what runs is not what its definition asks for.
 *
 * Devices and objects that came or went past us, properties with another value, memory and processors.  A
 * guest that has just been started has none.
 */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "loop/fiber.h"

struct asked_option;
struct domain;

#define DRIFT_KINDS(_)                                                                                       \
    _(DRIFT_ADDED, "added")                                                                                  \
    _(DRIFT_MISSING, "missing") _(DRIFT_PROPERTY, "property") _(DRIFT_MEMORY, "memory")                      \
        _(DRIFT_VCPUS, "vcpus")
enum drift_kind {
#define DRIFT_ENUM(symbol, word) symbol,
    DRIFT_KINDS(DRIFT_ENUM)
#undef DRIFT_ENUM
};

enum { DRIFTS_MAX = 4096 };

struct drift_item {
    enum drift_kind kind;
    const char *subject;           /* "disk 'vda'", "device 'x'", "object 'pc.ram'" */
    const char *alias;             /* its id; NULL: it has none */
    const char *path;              /* where it is, or would be, in the tree */
    const char *type;              /* "virtio-blk-pci"; NULL */
    const char *property;          /* of DRIFT_PROPERTY */
    const char *asked, *effective; /* NULL: nothing of the kind */
};

struct drift {
    struct arena *arena;
    VECTOR(struct drift_item) items;
    size_t compared; /* properties that were looked at */
    bool more;       /* there are more than DRIFTS_MAX */
};

/* The VMM is asked anew; NULL with an error. */
WAITS struct drift *domain_drift(struct domain *dom, struct error *err);
void drift_free(struct drift *drift);
DEFINE_OWNED(drift)
/* What looks like a difference, and is none, by a table that says why. */

bool drift_is_exception(const struct asked_option *option, const char *key, const char *effective);
const char *drift_word(enum drift_kind kind);
