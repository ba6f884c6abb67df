/* SPDX-License-Identifier: Apache-2.0 */
/* size.h - amounts of memory as people write them: 2097152, 2048M, 2GiB, 2GB. */
#pragma once
#include <stdint.h>

#include "base/error.h"

/* A bare number is KiB, as virsh has it; K, M, G, T and KiB... are powers of 1024, KB... of 1000, b is
 * bytes. */
int size_parse_kib(const char *text, uint64_t *ret_kib, struct error *err);
