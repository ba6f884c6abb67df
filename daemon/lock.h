/* SPDX-License-Identifier: Apache-2.0 */
/* lock.h - one domusd a root.
 *
 * A POSIX record lock on run/domusd.lock: it ends with our process, however that ends, and no child inherits
 * it.  (The file must not be opened a second time in this process: closing that would drop the lock.)
 */
#pragma once
#include "base/error.h"

/* The descriptor, to be kept open; -1 if another process holds the lock, whose pid the text names. */
int lock_take(const char *run_folder, struct error *err);
