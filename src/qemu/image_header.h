/* SPDX-License-Identifier: Apache-2.0 */
/* image_header.h - what the header of a disk image says, of the formats that can have an image below.
 *
 * Pure functions of bytes that a guest's owner, or a guest, may have written: every offset and length is
 * checked against what was read, and names are bounded.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "conf/disk.h"

enum { IMAGE_HEADER_MAX = 64 * 1024, IMAGE_NAME_MAX = 1023 };

struct image_header {
    enum disk_format format;            /* raw, if the bytes are of none that we know */
    uint64_t capacity;                  /* bytes; 0: not known */
    bool has_data_file;                 /* its data are in a file of their own */
    char backing[IMAGE_NAME_MAX + 1];   /* as written there, "" without one: a path, URL or json:{...} */
    char backing_format[16];            /* as written there, "" if it is not */
};

/* Fails (ERR_OPERATION_FAILED) on a header that contradicts itself. */
int image_header_parse(const unsigned char *bytes, size_t length, struct image_header *ret_header,
                       struct error *err);

/* Where the image is that a header names, in `image` (an image on its own, without settings): a path beside
 * `path` or an absolute one.  Fails (ERR_CONFIG_UNSUPPORTED) on what names a server. */
struct arena;
int image_locate(const char *path, const char *name, struct arena *arena, struct disk *image,
                 struct error *err);
