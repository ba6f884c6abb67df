/* SPDX-License-Identifier: Apache-2.0 */
/* daemonize.h - -daemonize and -pidfile: the parent waits until the child is ready, or has failed. */
#pragma once
#include "simvmm/vm.h"

/* Returns in the child; the parent exits: 0 when the child is ready, 1 when it ended before. */
int daemonize(struct error *err);
void daemonize_ready(struct vm *vm);
int daemonize_write_pid(struct vm *vm, struct error *err);
void daemonize_remove_pid(const struct vm *vm);
