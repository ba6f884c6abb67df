/* SPDX-License-Identifier: Apache-2.0 */
/* qom_memory.h - what is remembered of the trees that an emulator had, for the next tree of it.
 *
 * A command line that ran before has its plan on disk; one that did not gets a plan that is composed of the
 * parts that others had in common with it (qom_parts.h).  Parts are kept in memory too, for each emulator.
 */
#pragma once
#include "loop/fiber.h"
#include "qemu/qom_plan.h"

/* What one VMM may recall. */
struct qom_memory;

/* `folder` is cache/qom (NULL: nothing is on disk), `emulator_key` from caps.h; all is copied. */
struct qom_memory *qom_memory_new(const char *folder, const char *emulator_key, const char *const *argv);
void qom_memory_free(struct qom_memory *memory);
DEFINE_OWNED(qom_memory)

/* The plan for this command line, or NULL. */
WAITS struct qom_plan *qom_memory_recall(struct qom_memory *memory);
/* What the tree teaches: a plan, or NULL if that is the `known` one.  What is not learnt stays with the
 * caller. */
enum qom_lesson {
    QOM_LEARN_PLAN = 1,                 /* for the next start of this command line */
    QOM_LEARN_PARTS = 2,                /* for others: the tree is as it was right after a start */
};
WAITS struct qom_plan *qom_memory_learn(struct qom_memory *memory, const struct qom_store *store,
                                        const struct qom_plan *known, unsigned lessons);
/* Forgets what is in memory. */
void qom_memory_done(void);
