/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/disk.h"

#include <string.h>

#include "base/text.h"
#include "conf/disk_check.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(disk_type, DISK_TYPES);
DEFINE_ENUM_CODEC(disk_device, DISK_DEVICES);
DEFINE_ENUM_CODEC(disk_bus, DISK_BUSES);
DEFINE_ENUM_CODEC(disk_model, DISK_MODELS);
DEFINE_ENUM_CODEC(disk_format, DISK_FORMATS);
DEFINE_ENUM_CODEC(disk_error_policy, DISK_ERROR_POLICIES);
DEFINE_ENUM_CODEC(disk_io, DISK_IOS);
DEFINE_ENUM_CODEC(disk_discard, DISK_DISCARDS);
DEFINE_ENUM_CODEC(disk_detect_zeroes, DISK_ZEROES);
DEFINE_ENUM_CODEC(disk_snapshot, DISK_SNAPSHOTS);
DEFINE_ENUM_CODEC(disk_tray, DISK_TRAYS);
DEFINE_WORDS_CODEC(translation, "none", "auto", "lba");

/* "default" is the absent mode said aloud, "off" an old word for none. */
DEFINE_ENUM(disk_cache, DISK_CACHES);
CODEC_TYPE(disk_cache, enum disk_cache);

static bool parse_cache(const struct codec *c, struct arena *a, const char *text, void *out)
{
    if (strcmp(text, "default") == 0)
        return true;
    return codec_parse_enum(c, a, strcmp(text, "off") == 0 ? "none" : text, out);
}

static const struct codec codec_disk_cache = {
    .name = "disk_cache", .size = sizeof(enum disk_cache), .parse = parse_cache, .format = codec_format_enum,
    .expected = "one of default, none, writethrough, writeback, directsync, unsafe",
    .names = &disk_cache_names, .verbatim = true,
};

#define SELF struct disk
PART(queue_threads, "iothreads", "Who serves its queues.", LIST(queue_threads, queue_thread_element));
PART(driver, "driver", "How the host handles the image.",
    ATTR("name", driver, string, "qemu, the only one there is"),
    ATTR("type", format, disk_format, "format of the image", CODE(ERR_CONFIG_UNSUPPORTED)),
    ATTR("cache", cache, disk_cache, "how the host caches"),
    ATTR("error_policy", error_policy, disk_error_policy, "what happens when writing fails"),
    ATTR("rerror_policy", read_error_policy, disk_error_policy, "what happens when reading fails"),
    ATTR("io", io, disk_io, "how requests reach the kernel"),
    ATTR("ioeventfd", ioeventfd, on_off, "handle requests outside of the vcpu's thread"),
    ATTR("event_idx", event_idx, on_off, "fewer interrupts"),
    ATTR("copy_on_read", copy_on_read, on_off, "copy what was read from a backing image"),
    ATTR("discard", discard, disk_discard, "pass the guest's discards on?"),
    ATTR("iothread", iothread, u32, "number of the thread that handles the disk", NONZERO),
    ATTR("detect_zeroes", detect_zeroes, disk_detect_zeroes, "write zeroes as holes?"),
    ATTR("queues", queues, u32, "number of virtqueues", NONZERO),
    ATTR("queue_size", queue_size, u32, "size of each", NONZERO),
    ATTR("discard_no_unref", discard_no_unref, on_off, "keep discarded clusters allocated"),
    VIRTIO_ROWS, INLINE(queue_threads));

PART(geometry, "geometry", "What the BIOS is told about the disk.",
    ATTR("cyls", cyls, u32, "cylinders"),
    ATTR("heads", heads, u32, "heads"),
    ATTR("secs", secs, u32, "sectors"),
    ATTR("trans", trans, translation, "translation"));

PART(blockio, "blockio", "Block sizes that the guest sees.",
    ATTR("logical_block_size", logical_block, u32, "bytes"),
    ATTR("physical_block_size", physical_block, u32, "bytes"),
    ATTR("discard_granularity", discard_granularity, opt_u32, "bytes"));

PART(target, "target", "How the guest sees it.",
    ATTR("dev", target, string, "name, a hint for the place on the bus", REQUIRED),
    ATTR("bus", bus, disk_bus, "kind of bus"),
    ATTR("tray", tray, disk_tray, "is the tray open?", IF(device, DISK_CDROM, DISK_FLOPPY)),
    ATTR("removable", removable, on_off, "does it look removable?"),
    ATTR("rotation_rate", rotation_rate, u32, "revolutions per minute, 1 for solid state", RANGE(1, 65534)));

PART(transient, "transient", "What the guest writes is forgotten when it stops.",
    PRESENT(transient), ATTR("shareBacking", share_backing, yes_no, "may others use the image meanwhile?"));
BOOT_PART;
ALIAS_PART;

const struct element disk_element = ELEMENT_CHECKED("disk", "A disk, CD-ROM or floppy drive.", disk_check,
    ATTR("type", type, disk_type, "kind of source", DEFAULT("file")),
    ATTR("device", device, disk_device, "kind of device", DEFAULT("disk")),
    ATTR("model", model, disk_model, "model of the device"),
    ATTR("rawio", rawio, yes_no, "may the guest send raw SCSI commands?"),
    ATTR("sgio", sgio, sgio, "which of them"),
    ATTR("snapshot", snapshot, disk_snapshot, "how snapshots treat it"),
    INLINE(driver), INLINE(disk_source_element), CHILD(backing, backing_element),
    INLINE(geometry), INLINE(blockio), INLINE(target, REQUIRED),
    CHILD(iotune, iotune_element),
    FLAG("readonly", readonly, "The guest cannot write to it."),
    FLAG("shareable", shareable, "Several guests use it at once."),
    INLINE(transient),
    LEAF("serial", serial, string, "serial number"),
    LEAF("wwn", wwn, string, "world wide name"),
    LEAF("vendor", vendor, string, "vendor shown to the guest"),
    LEAF("product", product, string, "product shown to the guest"),
    INLINE(boot), INLINE(alias), CHILD(address, address_element));

const char *disk_path(const struct disk *disk)
{
    if (disk->type == DISK_FILE)
        return disk->file;
    return disk->type == DISK_BLOCK ? disk->dev : NULL;
}

bool disk_has_source(const struct disk *disk)
{
    return disk_path(disk) || (disk->type == DISK_NETWORK && disk->protocol);
}

enum disk_cache disk_effective_cache(const struct disk *disk)
{
    if (disk->cache == DISK_CACHE_DEFAULT && disk->shareable && !disk->readonly && disk->device != DISK_CDROM)
        return DISK_CACHE_NONE;
    return disk->cache;
}

bool disk_target_index(const char *name, uint32_t *ret_index)
{
    static const char *const prefixes[] = { "fd", "hd", "sd", "vd", "xvd", "ubd" };
    size_t skip = 0;
    for (size_t i = 0; i < ARRAY_COUNT(prefixes) && !skip; i++)
        skip = text_starts(name, prefixes[i]) ? strlen(prefixes[i]) : 0;
    uint64_t index = 0;
    const char *letters = name + skip;
    if (!skip || *letters < 'a' || *letters > 'z')
        return false;
    for (; *letters >= 'a' && *letters <= 'z'; letters++) {
        index = (index + (letters > name + skip)) * 26 + (uint64_t) (*letters - 'a');
        if (index > 1000000)
            return false;
    }
    /* A partition number after it is an old habit, and means nothing. */
    if (letters[strspn(letters, "0123456789")] != '\0')
        return false;
    *ret_index = (uint32_t) index;
    return true;
}
