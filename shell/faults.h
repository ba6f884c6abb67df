/* SPDX-License-Identifier: Apache-2.0 */
/* faults.h - faults of a document, told as compilers do: "one.xml:12: error: domain/vcpu: sentence". */
#pragma once
#include <stdbool.h>
#include <stdio.h>

/* Line 0: nowhere in particular; the path may be NULL. */
void fault_print(FILE *out, const char *file, bool is_error, unsigned line, const char *path,
                 const char *text);
