/* SPDX-License-Identifier: Apache-2.0 */
/* image_lock.h - the locks by which QEMU keeps two guests from one disk.
 *
 * For each thing that one may do with an image there are two bytes: who does it holds a shared lock on the
 * first, who does not want others to do it one on the second.  QEMU and qemu-img see ours, and we see theirs.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"

/* Reads, and writes if `write`; others may write if `share`.  Held until the descriptor is closed. */
int image_lock(int fd, const char *path, bool write, bool share, struct error *err);
void image_unlock(int fd);
