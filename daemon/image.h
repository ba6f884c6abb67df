/* SPDX-License-Identifier: Apache-2.0 */
/* image.h - how large a disk image is: for the guest, and on the host. */
#pragma once
#include <stdint.h>

#include "conf/disk.h"
#include "loop/fiber.h"

/* Bytes. */
struct image_size {
    uint64_t capacity;                  /* what the guest sees */
    uint64_t allocation;                /* what it takes on the host */
    uint64_t physical;                  /* the file's or device's own size */
};

/* The capacity of raw and qcow2 images is known without a VMM; of others it is 0. */
WAITS int image_measure(const char *path, enum disk_format format, struct image_size *ret_size,
                        struct error *err);
