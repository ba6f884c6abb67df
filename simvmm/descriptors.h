/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.h - file descriptors that a manager passed: by name (getfd), each to its own monitor, and in
 * sets (add-fd, -add-fd) that file names reach as /dev/fdset/N.
 *
 * A named one belongs to whoever takes it. A set keeps its own; opening it gives a duplicate.
 */
#pragma once
#include <sys/types.h>

#include "simvmm/vm.h"

struct descriptors;

struct descriptors *descriptors_new(void);
void descriptors_free(struct descriptors *d);
DEFINE_OWNED(descriptors)

/* The number of the set, which is made if it has to be; id -1: the lowest that is free. Takes fd. */
int64_t descriptors_add(struct descriptors *d, int64_t id, int fd, const char *opaque);
/* One that the monitor was given by that name. The caller owns it; -1 and an error. */
int descriptors_take_named(struct vm *vm, const struct monitor *monitor, const char *name, struct error *err);
/* The same, or with digits one that we were started with. */
int descriptors_take(struct vm *vm, const struct monitor *monitor, const char *what, struct error *err);
/* open(), but /dev/fdset/N is a duplicate of that set's descriptor with the same access; -1 and errno. */
int descriptors_open(struct vm *vm, const char *path, int flags, mode_t mode);
