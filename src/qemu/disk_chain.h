/* SPDX-License-Identifier: Apache-2.0 */
/* disk_chain.h - the images below those of a definition's disks.
 *
 * What the definition does not say is read from the images' headers, as far as files and block devices go and
 * their formats are qcow2, qcow or qed; the emulator is then told each image by name, and looks for none by
 * itself.  A header must say of which format the image below is, unless that is one with nothing below it.
 */
#pragma once
#include "base/error.h"
#include "conf/domain_def.h"
#include "loop/fiber.h"

/* Completes the chains of all disks of a definition that nobody else sees yet.  Fails, naming disk and image,
 * on an image that is missing, an unrecorded format, a loop, or more than DISK_IMAGES_MAX images.  A disk's
 * own image that cannot be opened is left to the emulator to refuse. */
WAITS int disk_chains_complete(struct domain_def *live, struct error *err);
/* Gives the disk's image that number, and the ones below the next ones. */
void disk_number_images(struct disk *disk, uint32_t node);
