/* SPDX-License-Identifier: Apache-2.0 */
/* file_work.h - base/files.h for fibers.
 *
 * If the fiber is cancelled meanwhile, the file is changed all the same, and the call says ERR_ABORTED; a
 * failure of the file system comes first.
 */
#pragma once
#include <sys/types.h>

#include "loop/fiber.h"

WAITS int file_work_swap(const char *path, const void *bytes, size_t length, mode_t mode, struct error *err);
WAITS int file_work_drop(const char *path, struct error *err);
WAITS int file_work_remove(const char *path, struct error *err);
