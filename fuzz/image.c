/* SPDX-License-Identifier: Apache-2.0 */
/* What a disk image may begin with: its names fit, and nothing behind the bytes is read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "qemu/image_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    error_scope(err);
    error_scope(nowhere);
    struct image_header header = { 0 };
    struct disk image = { 0 };
    owned(arena) struct arena *arena = arena_new();
    if (image_header_parse(bytes, length, &header, &err) < 0)
        return 0;
    if (strlen(header.backing) > IMAGE_NAME_MAX || strlen(header.backing_format) >= 16)
        abort();
    if (*header.backing && image_locate("/a/b", header.backing, arena, &image, &nowhere) == 0 && !image.file)
        abort();
    return 0;
}
