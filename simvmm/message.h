/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - what goes to standard error, in QEMU's form: "[TIME ]PROGRAM: text". */
#pragma once
#include "simvmm/vm.h"

void message_print(const struct vm *vm, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The name of a process as QEMU shows it: its command line, or "<unknown process>". */
void message_add_process_name(struct buffer *out, int pid);
