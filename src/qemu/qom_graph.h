/* SPDX-License-Identifier: Apache-2.0 */
/* qom_graph.h - private to the plan: the tree with its links, and the shortest path to each object.
 *
 * A path without a leading "/" is tried by the VMM from every object; each component leads along a child or a
 * set link.  It is unambiguous if exactly one object leads somewhere by it.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "qemu/qom_store.h"

struct qom_graph;

/* A path is only worth its while if it is shorter than the absolute one by more than `walk` bytes. */
struct qom_graph *qom_graph_new(const struct qom_store *store, uint32_t walk);
void qom_graph_free(struct qom_graph *graph);
DEFINE_OWNED(qom_graph)

enum { QOM_ROUTE_MAX = 8 };

/* `steps` components lead from nodes[0] over nodes[1]... to the object.  None: only the absolute
 * path does. */
struct qom_route { uint32_t nodes[QOM_ROUTE_MAX]; uint32_t names[QOM_ROUTE_MAX]; unsigned steps; };

/* The shortest unambiguous path of at least that many components, as it weighs in JSON; along children
 * only, unless `links`. */
struct qom_route qom_graph_shortest(struct qom_graph *graph, uint32_t object, bool links,
                                    unsigned least_steps);
void qom_graph_add_path(const struct qom_graph *graph, const struct qom_route *route, struct buffer *out);
