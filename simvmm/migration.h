/* SPDX-License-Identifier: Apache-2.0 */
/* migration.h - an outgoing migration: QEMU's states and events, a stream of our own at the speed that was
 * allowed.
 *
 * The guest has no memory. It is taken to have one of the configured size that is mostly zeroes, so that a
 * migration takes 9 bytes a page and some whole pages, as a freshly booted QEMU's does; `-sim dirty=BYTES`
 * lets the guest write so many a second, and passes repeat until what is left fits into the downtime limit.
 * At most one exists; what became of the last one stays known.
 */
#pragma once
#include "simvmm/vm.h"

struct migration;

int migration_start(struct vm *vm, const struct monitor *monitor, const struct json *arguments,
                    struct arena *arena, struct error *err);
void migration_free(struct vm *vm);
bool migration_is_running(const struct vm *vm);
