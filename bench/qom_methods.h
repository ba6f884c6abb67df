/* SPDX-License-Identifier: Apache-2.0 */
/* qom_methods.h - for bench qom: the ways to read a tree that others know, and ours. */
#pragma once
#include "bench/qom_guest.h"
#include "qemu/qom_pull.h"

/* What an earlier reading taught. */
struct known {
    struct qom_plan *plan;
    struct qom_store *store;
    struct qom_plan *composed;          /* of what another guest taught; NULL: it did not suffice */
};

struct method {
    const char *title;
    unsigned needs;                     /* one of these commands; 0: none */
    bool slow;                          /* run it less often */
    WAITS struct qom_store *(*run)(struct guest *guest, const struct known *known, struct qom_stats *stats,
                                   struct error *err);
};

extern const struct method methods[];
extern const size_t methods_count;
