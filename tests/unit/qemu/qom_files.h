/* SPDX-License-Identifier: Apache-2.0 */
/* qom_files.h - for tests: where the trees lie. */
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "qom_peer.h"

static inline char *qom_test_file(const char *name)
{
    const char *source = getenv("srcdir");
    return memory_printf("%s/tests/unit/qemu/%s", source ? source : ".", name);
}

/* false, said aloud, where the recorded trees are not at hand. */
static inline bool load_recorded(struct peer_tree *tree, const char *name)
{
    const char *shared = getenv("DOMUS_SHARED"), *source = getenv("srcdir");
    owned_memory char *folder =
        shared ? memory_copy_text(shared) : memory_printf("%s/../shared", source ? source : ".");
    owned_memory char *path = memory_printf("%s/facts/qemu/fixtures/%s", folder, name);
    if (peer_load(tree, path))
        return true;
    peer_done(tree);
    fprintf(stderr, "SKIPPED: no %s (set DOMUS_SHARED)\n", path);
    return false;
}

static inline void load_small(struct peer_tree *tree)
{
    owned_memory char *path = qom_test_file("qom-small.json");
    if (!peer_load(tree, path))
        abort();
}
