/* SPDX-License-Identifier: Apache-2.0 */
/* disk_users.h - who else has an image open.
 *
 * QEMU locks its images, and a second one fails with a sentence that names nobody; where locks do not work,
 * two guests destroy the image.  Images are the same if their paths are: what links hide is QEMU's to find.
 */
#pragma once
#include "base/error.h"
#include "domain/domain.h"

/* Fails, naming the disk and the other domain, if a running domain other than `dom` has an image that `def`
 * wants, unless both only read it or both share it; images below a disk's own are only read.  Does not
 * wait. */
int disk_users_check(const struct domain *dom, const struct domain_def *def, struct error *err);
