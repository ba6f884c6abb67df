/* SPDX-License-Identifier: Apache-2.0 */
/* schema.h - query-qmp-schema: the part of QEMU's own schema that is true of us.
 *
 * QEMU's schema was harvested. What stays of it are the commands that our table has, the arguments that
 * its rows name, the events that we can emit, and the types that these need; so the answer follows the
 * table by itself.
 */
#pragma once
#include "simvmm/vm.h"

const struct json *schema_make(const struct vm *vm, struct arena *arena, struct error *err);
