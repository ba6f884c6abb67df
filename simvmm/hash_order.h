/* SPDX-License-Identifier: Apache-2.0 */
/* hash_order.h - the order in which GLib's hash table walks its keys.
 *
 * QEMU keeps an object's own properties in a GHashTable and lists them as that walks, so their order
 * follows from their names and from the order in which they were made. This computes it: open addressing,
 * triangular probing, growing as GLib 2.7x does.
 */
#pragma once
#include <stddef.h>

/* `names` in the order of making; ret_order[i] is the index of the i-th one walked. */
void hash_order(const char *const *names, size_t count, size_t *ret_order);
