/* SPDX-License-Identifier: Apache-2.0 */
/* trouble.h - what a guest or its host does to a device, and QEMU tells of: the clock is set, a filter
 * changes, a disk or the memory fails. */
#pragma once
#include "simvmm/vm.h"

void trouble_crash_loaded(struct vm *vm);
/* The guest set its clock; by how much it is now off. */
int trouble_rtc(struct vm *vm, int64_t seconds, struct error *err);
/* QEMU tells of it once, and then again only after query-rx-filter. */
int trouble_rx_filter(struct vm *vm, const char *nic, struct error *err);
void trouble_rx_filter_was_read(struct vm *vm, const char *nic);
/* A request of a disk failed ("enospc" or NULL, or another reason); the device's rerror or werror says what
 * becomes of it. */
int trouble_io(struct vm *vm, const char *device, const char *operation, const char *reason,
               struct error *err);
/* The machine goes on: no disk is in trouble any more. */
void trouble_io_is_over(struct vm *vm);
void trouble_memory(struct vm *vm, const char *recipient, const char *action);
