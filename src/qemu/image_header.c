/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/image_header.h"

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/text.h"
#include "json/json.h"

struct bytes { const unsigned char *at; size_t length; };

/* Big-endian; past the end everything is 0. */
static uint64_t get(const struct bytes *bytes, size_t offset, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | (offset + i < bytes->length ? bytes->at[offset + i] : 0);
    return value;
}

static uint64_t get_little(const struct bytes *bytes, size_t offset, size_t size)
{
    uint64_t value = 0;
    while (size-- > 0)
        value = value << 8 | (offset + size < bytes->length ? bytes->at[offset + size] : 0);
    return value;
}

static int copy_text(const struct bytes *bytes, uint64_t offset, uint64_t length, char *ret_text, size_t size,
                     struct error *err)
{
    if (length >= size || offset > bytes->length || length > bytes->length - offset)
        return fail(err, ERR_OPERATION_FAILED, "a name in the image's header has no place there");
    if (memchr(bytes->at + offset, '\0', length))
        return fail(err, ERR_OPERATION_FAILED, "a name in the image's header is no text");
    memcpy(ret_text, bytes->at + offset, length);
    ret_text[length] = '\0';
    return 0;
}

/* --- qcow, qcow2 --- */

/* {type u32, length u32, data padded to 8 bytes}..., until type 0. */
static int read_extensions(const struct bytes *bytes, uint64_t at, uint64_t end, struct image_header *header,
                           struct error *err)
{
    enum { EXTENSION_HEADER = 8 };
    const uint64_t backing_format = 0xe2792aca, data_file = 0x44415441;
    while (at + EXTENSION_HEADER <= end && at + EXTENSION_HEADER <= bytes->length) {
        uint64_t type = get(bytes, at, 4), length = get(bytes, at + 4, 4);
        at += EXTENSION_HEADER;
        if (type == 0)
            return 0;
        if (type == backing_format && copy_text(bytes, at, length, header->backing_format,
                                                sizeof header->backing_format, err) < 0)
            return -1;
        header->has_data_file |= type == data_file;
        at += (length + 7) / 8 * 8;
    }
    return 0;
}

static int read_qcow(const struct bytes *bytes, struct image_header *header, struct error *err)
{
    enum { DATA_FILE_BIT = 4, V2_LENGTH = 72 };
    uint64_t version = get(bytes, 4, 4), offset = get(bytes, 8, 8), length = get(bytes, 16, 4);
    header->format = version == 1 ? DISK_QCOW : DISK_QCOW2;
    header->capacity = get(bytes, 24, 8);
    if (version > 3)
        return fail(err, ERR_OPERATION_FAILED, "version %llu of qcow2 is not known",
                    (unsigned long long) version);
    if (offset && length &&
        copy_text(bytes, offset, length, header->backing, sizeof header->backing, err) < 0)
        return -1;
    if (version == 1)
        return 0;
    header->has_data_file = version == 3 && get(bytes, 72, 8) & DATA_FILE_BIT;
    return read_extensions(bytes, version == 3 ? get(bytes, 100, 4) : V2_LENGTH,
                           offset ? offset : bytes->length, header, err);
}

/* --- qed: the same in little-endian --- */

static int read_qed(const struct bytes *bytes, struct image_header *header, struct error *err)
{
    enum { HAS_BACKING = 1, BACKING_IS_RAW = 4 };
    uint64_t features = get_little(bytes, 16, 8);
    header->format = DISK_QED;
    header->capacity = get_little(bytes, 48, 8);
    if (!(features & HAS_BACKING))
        return 0;
    if (features & BACKING_IS_RAW)
        strcpy(header->backing_format, "raw");
    return copy_text(bytes, get_little(bytes, 56, 4), get_little(bytes, 60, 4), header->backing,
                     sizeof header->backing, err);
}

int image_header_parse(const unsigned char *at, size_t length, struct image_header *ret_header,
                       struct error *err)
{
    const struct bytes bytes = { at, length };
    struct image_header header = { .format = DISK_RAW };
    int rc = 0;
    if (length >= 4 && memcmp(at, "QFI\xfb", 4) == 0)
        rc = read_qcow(&bytes, &header, err);
    else if (length >= 4 && memcmp(at, "QED\0", 4) == 0)
        rc = read_qed(&bytes, &header, err);
    if (rc == 0)
        *ret_header = header;
    return rc;
}

/* --- where it is --- */

/* {"driver":"qcow2","file":{"driver":"file","filename":"/x"}}, or flat: {"file.filename":"/x"}. */
static const char *filename_in(const struct json *object, const char **ret_driver)
{
    const struct json *file = json_get(object, "file");
    const char *flat = json_get_text(object, "file.filename");
    if (flat) {
        *ret_driver = json_get_text(object, "file.driver");
        return flat;
    }
    file = file ? file : object;
    *ret_driver = json_get_text(file, "driver");
    return json_get_text(file, "filename");
}

static const char *name_in_json(const char *text, struct arena *arena, struct error *err)
{
    const char *driver = NULL;
    const struct json *object = json_parse(text, strlen(text), arena, err);
    if (!object)
        return NULL;
    const char *name = filename_in(object, &driver);
    if (name && (!driver || text_equal(driver, "file") || text_equal(driver, "host_device")))
        return name;
    fail(err, ERR_CONFIG_UNSUPPORTED, "the name 'json:%s' is not understood", text);
    return NULL;
}

/* "nbd:...", "http://...": what stands before a colon and any slash. */
static bool names_protocol(const char *name)
{
    size_t length = strcspn(name, ":/");
    return length && name[length] == ':';
}

int image_locate(const char *path, const char *name, struct arena *arena, struct disk *image,
                 struct error *err)
{
    if (text_starts(name, "json:") && !(name = name_in_json(name + strlen("json:"), arena, err)))
        return -1;
    if (text_starts(name, "file:"))
        name += text_starts(name, "file:///") ? strlen("file://") : strlen("file:");
    else if (names_protocol(name))
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "the image below is '%s', on a server: describe it by <backingStore>", name);
    if (!*name)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "the name of the image below is empty");
    const char *slash = strrchr(path, '/');
    owned_memory char *full = *name == '/' || !slash
                                  ? memory_copy_text(name)
                                  : memory_printf("%.*s/%s", (int) (slash - path), path, name);
    image->type = DISK_FILE;
    image->file = arena_copy(arena, full);
    return 0;
}
