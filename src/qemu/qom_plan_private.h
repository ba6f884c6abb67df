/* SPDX-License-Identifier: Apache-2.0 */
/* qom_plan_private.h - how a plan is kept; for its making (qom_plan.c) and its file (qom_plan_file.c). */
#pragma once
#include "base/arena.h"
#include "base/vector.h"
#include "qemu/qom_plan.h"

struct qom_plan {
    struct arena *arena;                /* of all texts */
    const char *key;
    VECTOR(struct qom_plan_object) objects;
};

struct qom_plan *qom_plan_new(const char *key);         /* with the root as object 0 */
void qom_plan_add(struct qom_plan *plan, uint32_t parent, uint32_t start, const char *name,
                  const char *request, uint32_t properties);
uint64_t qom_plan_hash(const char *key);                /* what files are named by */
