/* SPDX-License-Identifier: Apache-2.0 */
/* migrate_parameters.h - the settings of migrations: capabilities, and parameters with QEMU's defaults. */
#pragma once
#include "simvmm/vm.h"

bool migrate_capability(const struct vm *vm, const char *name);
uint64_t migrate_parameter(const struct vm *vm, const char *name); /* a number; 0 if there is none */

/* MIGRATION and MIGRATION_PASS: only if they were asked for. */
void migrate_emit_status(struct vm *vm, const char *status);
void migrate_emit_pass(struct vm *vm, uint64_t pass);
