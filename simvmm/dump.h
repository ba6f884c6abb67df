/* SPDX-License-Identifier: Apache-2.0 */
/* dump.h - dump-guest-memory: a core file of a guest whose memory is all zeroes, as ELF or (its header only)
 * in the flattened kdump form. With detach it is written aside, and DUMP_COMPLETED tells when it ends.
 */
#pragma once
#include "simvmm/vm.h"

struct dump;

void dump_free(struct vm *vm);
