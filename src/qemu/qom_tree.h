/* SPDX-License-Identifier: Apache-2.0 */
/* qom_tree.h - the tree of one running VMM: what was pulled last, its plan, what it cost, and who waits.
 *
 * A start makes one before it sends `cont` (which loads the plan) and calls qom_tree_begin() when that is
 * answered; readers wait for the pull under way, or start one if there is none.  After a start whose shape
 * was not the plan's, the new plan goes to disk; later shapes (a guest that booted, hot plug) are remembered
 * with the tree.  A failed pull leaves what was kept before and is tried again by the next reader.
 */
#pragma once
#include <stdbool.h>

#include "qemu/qom_pull.h"

enum { QOM_BACKGROUND_MAX = 4 };

struct qom_tree;

/* `folder` is cache/qom (NULL: nothing is kept on disk), `emulator_key` from caps.h; all is copied.  The
 * monitor must live until the tree is freed. */
WAITS struct qom_tree *qom_tree_new(struct monitor *monitor, unsigned commands, const char *folder,
                                    const char *emulator_key, const char *const *argv);
/* Never waits.  A pull under way comes to nothing; who waits for it gets an error. */
void qom_tree_free(struct qom_tree *tree);
DEFINE_OWNED(qom_tree)

/* The first tree that is pulled from now on is saved there (qom_saved.h), too. */
void qom_tree_save_to(struct qom_tree *tree, const char *path);

/* Starts a pull in a fiber of its own, unless one runs. */
void qom_tree_begin(struct qom_tree *tree);
/* After hot plug, or when the object at `path` (may be NULL) was set: only what that changes is asked for.  A
 * pull under way may have come too early for it, so it is done again. */
void qom_tree_begin_changed(struct qom_tree *tree, const char *path);
/* The same when many trees are wanted and none of them now, as after a restart: QOM_BACKGROUND_MAX of these
 * run at a time, the others queue; one that somebody asks for need not. */
void qom_tree_begin_later(struct qom_tree *tree);
/* The tree; borrowed until the caller's next wait.  `refresh` asks the VMM anew. */
WAITS const struct qom_store *qom_tree_read(struct qom_tree *tree, bool refresh, struct error *err);
/* What is kept now and what it cost; NULL if nothing was pulled yet. */
const struct qom_store *qom_tree_kept(const struct qom_tree *tree);
const struct qom_stats *qom_tree_stats(const struct qom_tree *tree);
