/* SPDX-License-Identifier: Apache-2.0 */
/* transaction.h - actions that happen all or not at all.
 *
 * A command that may be part of a transaction does its work, and then hands over how it is made final and
 * how it is undone.  Alone, it is made final at once.
 */
#pragma once
#include "simvmm/command.h"

struct transaction;

/* One of both is called, once; either may be NULL.  `data` is theirs to free. */
void transaction_add(struct call *call, void (*commit)(void *data), void (*undo)(void *data), void *data);
