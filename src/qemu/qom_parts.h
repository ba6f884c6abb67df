/* SPDX-License-Identifier: Apache-2.0 */
/* qom_parts.h - what an emulator's machines, devices and back ends contribute to its object tree.
 *
 * Learnt from every tree that was pulled from the emulator right after a start, piece by piece, so that
 * the tree of a command line that never ran before can be drawn from known parts.  What is drawn is a
 * guess, and only ever used to choose what to ask (qom_plan.h): a wrong one costs calls, never truth.
 *
 * A machine learnt with two processors or more is known for any number of them.
 *
 * A collection is a value once it was made: learning makes another.  On disk: FOLDER/parts-HASH.json, one
 * file an emulator.
 */
#pragma once
#include "qemu/qom_line.h"
#include "qemu/qom_sketch.h"

struct qom_parts;

struct qom_parts *qom_parts_new(const char *emulator_key);      /* knows nothing */
void qom_parts_free(struct qom_parts *parts);
DEFINE_OWNED(qom_parts)
size_t qom_parts_count(const struct qom_parts *parts);

/* What `known` (NULL: nothing) becomes by this tree; NULL if it teaches nothing new. */
struct qom_parts *qom_parts_learn(const struct qom_parts *known, const char *emulator_key,
                                  const struct qom_line *line, const struct qom_store *store);
/* The tree that this line will have.  NULL if the machine, or one of its parts, is not known. */
struct qom_sketch *qom_parts_compose(const struct qom_parts *parts, const struct qom_line *line);

/* These block.  Loading: NULL with ERR_NONE if there is no file, or with what is wrong with it. */
struct qom_parts *qom_parts_load(const char *folder, const char *emulator_key, struct error *err);
int qom_parts_save(const struct qom_parts *parts, const char *folder, struct error *err);
