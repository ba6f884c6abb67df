/* SPDX-License-Identifier: Apache-2.0 */
/* qom_parts_private.h - how parts are kept: for learning (qom_parts.c), composing (qom_parts_compose.c)
 * and the file (qom_parts_file.c). */
#pragma once
#include "qemu/qom_parts.h"

/* A part's sketch is written without what differs from line to line.  Its first top is the part itself,
 * called PART_ID; another top is an object elsewhere that came with it, called by its folder:
 * "/backend/console" is the next free /backend/console[N].  PART_ID in front of a name stands for the id.
 * Links lead to "./..." below the part, to the bus that the line names, to some other part, or to an
 * absolute path.  A part without any object is one that is known not to be in the tree.
 *
 * A machine's sketch is the whole tree without any part, and names its processors. */
#define PART_ID "$"
#define PART_BUS "@"
#define PART_OTHER "?"
#define CPU_FOLDER "/machine/unattached"
#define EXTRAS_FOLDER "/backend"

struct qom_part {
    char *key;
    unsigned cpus;                      /* of a machine; 0: it is none */
    struct qom_sketch *sketch;
    unsigned references;                /* collections share their parts, on several threads */
};

struct qom_parts {
    char *emulator_key;
    VECTOR(struct qom_part *) list;     /* the latest learnt last */
};

enum { PARTS_MAX = 400 };

struct qom_part *qom_part_new(const char *key, unsigned cpus, struct qom_sketch *sketch);       /* takes it */
void qom_part_free(struct qom_part *part);              /* gives one reference back */
struct qom_part *qom_parts_find(const struct qom_parts *parts, const char *key, bool machine);

/* A machine with another number of processors; NULL if that cannot be told. */
struct qom_sketch *qom_machine_with_cpus(const struct qom_part *machine, unsigned cpus);
/* "child[3]": how a bus links to what is on it.  What stands between the brackets; -1: it is none. */
long qom_bus_slot(const char *link_name);
