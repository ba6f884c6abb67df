/* SPDX-License-Identifier: Apache-2.0 */
/* dump.h - a guest's memory, written into a file that debuggers read. */
#pragma once
#include "base/error.h"
#include "loop/fiber.h"

struct domain;

enum dump_format {
    DUMP_ELF, DUMP_KDUMP_ZLIB, DUMP_KDUMP_LZO, DUMP_KDUMP_SNAPPY, DUMP_WIN_DMP, DUMP_FORMATS
};

/* Writes it into `fd`, open for writing only, which is taken; the guest should be paused.  A large guest
 * takes long: when the job is cancelled, the VMM goes on by itself and what it wrote is incomplete. */
WAITS int domain_dump_memory(struct domain *dom, int fd, enum dump_format format, struct error *err);
