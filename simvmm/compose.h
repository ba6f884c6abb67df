/* SPDX-License-Identifier: Apache-2.0 */
/* compose.h - makes tree out of harvested parts.
 *
 * A machine's part is the tree of that machine with nothing else. A part of another kind is put at a
 * place: "@" in it becomes that node, "@id" its name, paths of the machine it was harvested on become that
 * node of ours.
 */
#pragma once
#include "simvmm/vm.h"

/* The machine's own tree; fills vm->places. */
int compose_machine(struct vm *vm, const char *family, struct error *err);

struct placing {
    struct qom_node *parent;            /* where "@" goes */
    const char *name;                   /* its name there */
    const char *id;                     /* as given; NULL if it has none */
    struct qom_node *bus;               /* what "parent_bus" leads to; NULL for none */
};
struct qom_node *compose_part(struct vm *vm, const struct part *part, const struct placing *place);

/* -global: for the node and all below it whose type it names. */
void compose_globals(struct vm *vm, struct qom_node *from);

/* A switch of -machine (part "variant"): takes out of the board what is gone, changes what is else. */
void compose_variant(struct vm *vm, const struct part *part);
/* After all switches: numbers of nameless objects, and of devices on buses, close up as if the others
 * never were. */
void compose_close_numbers(struct vm *vm);

/* NAME[0], NAME[1] ...: the first that is free below `parent`. */
const char *compose_free_name(struct vm *vm, const struct qom_node *parent, const char *stem);
