/* SPDX-License-Identifier: Apache-2.0 */
/* qom_order.h - the order in which QEMU would list a node's properties. */
#pragma once
#include "simvmm/qom_tree.h"

/* Sorts those from node->hashed on. */
void qom_order(struct qom_node *node);
