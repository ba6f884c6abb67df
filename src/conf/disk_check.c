/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/disk_check.h"

#include <string.h>

#include "base/text.h"
#include "conf/disk.h"
#include "conf/rows.h"

#define UNSUPPORTED(member, expected, ...) \
    xml_refuse(x, member, ERR_CONFIG_UNSUPPORTED, expected, __VA_ARGS__)

/* An empty path has always meant no medium. */
static void forget_empty_paths(struct disk *disk)
{
    if (disk->file && !*disk->file)
        disk->file = NULL;
    if (disk->dev && !*disk->dev)
        disk->dev = NULL;
}

static void fill_in(struct disk *disk)
{
    static const struct { const char *prefix; enum disk_bus bus; } buses[] = {
        { "fd", DISK_BUS_FDC }, { "hd", DISK_BUS_IDE }, { "sd", DISK_BUS_SCSI }, { "vd", DISK_BUS_VIRTIO },
        { "xvd", DISK_BUS_XEN }, { "ubd", DISK_BUS_UML },
    };
    if (disk->device == DISK_CDROM)
        disk->readonly = true;
    if (disk->readonly && disk->snapshot == DISK_SNAPSHOT_NO)       /* as all of these */
        disk->snapshot = DISK_SNAPSHOT_DEFAULT;
    if (disk->bus == DISK_BUS_ABSENT && disk->device == DISK_FLOPPY)
        disk->bus = DISK_BUS_FDC;
    for (size_t i = 0; i < ARRAY_COUNT(buses) && disk->target && disk->bus == DISK_BUS_ABSENT; i++)
        if (text_starts(disk->target, buses[i].prefix))
            disk->bus = buses[i].bus;
    if (disk->bus == DISK_BUS_ABSENT)
        disk->bus = DISK_BUS_IDE;
}

/* What goes without saying is written down: the first unit of an iscsi target, the ports of web servers. */
static void fill_in_network(struct disk *image, struct xml_context *x)
{
    static const struct { const char *protocol, *port; } ports[] = { { "http", "80" }, { "https", "443" } };
    if (image->type != DISK_NETWORK || !image->protocol)
        return;
    if (text_equal(image->protocol, "iscsi") && image->source_name && !strchr(image->source_name, '/'))
        image->source_name = arena_printf(xml_arena(x), "%s/0", image->source_name);
    for (size_t i = 0; i < ARRAY_COUNT(ports); i++)
        for (size_t k = 0; k < image->hosts.count && text_equal(image->protocol, ports[i].protocol); k++)
            if (!image->hosts.items[k]->port && image->hosts.items[k]->transport != TRANSPORT_UNIX)
                image->hosts.items[k]->port = ports[i].port;
}

static void check_target(const struct disk *disk, struct xml_context *x)
{
    uint32_t index;
    if (!disk->target)
        return;
    if (disk->device == DISK_FLOPPY && !text_starts(disk->target, "fd"))
        xml_refuse(x, &disk->target, ERR_XML, "fda, fdb", "'%s' is no name for a floppy drive", disk->target);
    else if (!disk_target_index(disk->target, &index) && !disk->address)
        xml_refuse(x, &disk->target, ERR_XML, "a name such as vda, sdb, hdc",
                   "unknown disk name '%s', and there is no address", disk->target);
    if (disk->device == DISK_FLOPPY && disk->bus != DISK_BUS_FDC)
        UNSUPPORTED(&disk->bus, "fdc", "disk '%s': a floppy drive has the bus fdc", disk->target);
    if (disk->device != DISK_FLOPPY && disk->bus == DISK_BUS_FDC)
        UNSUPPORTED(&disk->bus, "another bus", "disk '%s': the bus fdc is for floppy drives only",
                    disk->target);
}

static void check_driver(const struct disk *disk, const char *name, struct xml_context *x)
{
    if (disk->driver && strcmp(disk->driver, "qemu") != 0)
        UNSUPPORTED(&disk->driver, "qemu", "disk '%s': unsupported driver name '%s'", name, disk->driver);
    if (disk->read_error_policy == DISK_ERROR_ENOSPACE)
        UNSUPPORTED(&disk->read_error_policy, "stop, report, ignore",
                    "disk '%s': rerror_policy cannot be 'enospace': reading needs no space", name);
    if (disk->io == DISK_IO_NATIVE && disk->cache != DISK_CACHE_NONE && disk->cache != DISK_CACHE_DIRECTSYNC)
        UNSUPPORTED(&disk->io, "cache='none' or cache='directsync' beside it, or io='threads', io='io_uring'",
                    "disk '%s': io='native' needs cache='none' or cache='directsync', and cache is %s", name,
                    disk->cache ? enum_word(&disk_cache_names, disk->cache) : "the default");
    if (disk->discard_no_unref == ON && disk->format != DISK_QCOW2)
        UNSUPPORTED(&disk->discard_no_unref, "off, or type='qcow2'",
                    "disk '%s': discard_no_unref is for qcow2 images only", name);
    else if (disk->discard_no_unref == ON && disk->readonly)
        UNSUPPORTED(&disk->discard_no_unref, "off", "disk '%s': discard_no_unref is not for read-only disks",
                    name);
}

static void check_virtio(const struct disk *disk, const char *name, struct xml_context *x)
{
    const struct { const void *member; bool set; const char *attribute; } options[] = {
        { &disk->ioeventfd, disk->ioeventfd, "ioeventfd" },
        { &disk->event_idx, disk->event_idx, "event_idx" },
        { &disk->queues, disk->queues, "queues" }, { &disk->queue_size, disk->queue_size, "queue_size" },
        { &disk->virtio.iommu, disk->virtio.iommu, "iommu" }, { &disk->virtio.ats, disk->virtio.ats, "ats" },
        { &disk->virtio.packed, disk->virtio.packed, "packed" },
        { &disk->virtio.page_per_vq, disk->virtio.page_per_vq, "page_per_vq" },
    };
    if (disk->bus == DISK_BUS_VIRTIO)
        return;
    for (size_t i = 0; i < ARRAY_COUNT(options); i++)
        if (options[i].set)
            UNSUPPORTED(options[i].member, "bus='virtio'", "disk '%s': %s is for virtio disks only", name,
                        options[i].attribute);
}

static void check_copy_on_read(const struct disk *disk, const char *name, struct xml_context *x)
{
    if (disk->copy_on_read != ON)
        return;
    if (disk->device == DISK_FLOPPY)
        UNSUPPORTED(&disk->copy_on_read, "off", "disk '%s': copy_on_read is not for removable disks", name);
    else if (disk->device == DISK_LUN)
        UNSUPPORTED(&disk->copy_on_read, "off", "disk '%s': copy_on_read is not for device='lun'", name);
    else if (disk->readonly)
        UNSUPPORTED(&disk->copy_on_read, "off", "disk '%s': copy_on_read is not for read-only disks", name);
}

static void check_chain(const struct disk *disk, const char *name, struct xml_context *x)
{
    size_t count = disk_images_below(disk);
    if (count >= DISK_IMAGES_MAX)
        UNSUPPORTED(&disk->backing, NULL, "disk '%s': a chain of %zu images; at most %d are accepted", name,
                    count + 1, DISK_IMAGES_MAX);
}

static void check_flags(const struct disk *disk, const char *name, struct xml_context *x)
{
    if (disk->readonly && disk->device == DISK_DISK &&
        (disk->bus == DISK_BUS_IDE || disk->bus == DISK_BUS_SATA))
        UNSUPPORTED(&disk->readonly, "another bus, or device='cdrom'",
                    "disk '%s': there are no read-only %s disks", name,
                    enum_word(&disk_bus_names, disk->bus));
    if (disk->shareable && !disk->readonly && disk->format != DISK_RAW && disk->format != DISK_FORMAT_ABSENT)
        UNSUPPORTED(&disk->shareable, "type='raw', or <readonly/>",
                    "disk '%s': a writable %s image cannot be shared", name,
                    enum_word(&disk_format_names, disk->format));
    if (!disk->transient)
        return;
    if (disk->readonly)
        UNSUPPORTED(&disk->transient, NULL, "disk '%s': transient makes no sense with readonly", name);
    else if (disk->device != DISK_DISK)
        UNSUPPORTED(&disk->transient, "device='disk'", "disk '%s': transient is for device='disk' only",
                    name);
    else if (disk->type != DISK_FILE || !disk->file)
        UNSUPPORTED(&disk->transient, "type='file' with a source", "disk '%s': transient is for files only",
                    name);
}

/* The kinds whose data path leaves the VMM, so that its block layer has no say. */
static void check_vhost(const struct disk *disk, const char *name, struct xml_context *x)
{
    const struct { const void *member; bool set; const char *what; } options[] = {
        { &disk->cache, disk->cache, "cache" }, { &disk->error_policy, disk->error_policy, "error_policy" },
        { &disk->read_error_policy, disk->read_error_policy, "rerror_policy" }, { &disk->io, disk->io, "io" },
        { &disk->ioeventfd, disk->ioeventfd, "ioeventfd" },
        { &disk->copy_on_read, disk->copy_on_read, "copy_on_read" },
        { &disk->discard, disk->discard, "discard" },
        { &disk->iothread, disk->iothread, "iothread" },
        { &disk->detect_zeroes, disk->detect_zeroes, "detect_zeroes" },
        { &disk->readonly, disk->readonly, "readonly" }, { &disk->shareable, disk->shareable, "shareable" },
        { &disk->transient, disk->transient, "transient" }, { &disk->serial, disk->serial != NULL, "serial" },
        { &disk->wwn, disk->wwn != NULL, "wwn" }, { &disk->vendor, disk->vendor != NULL, "vendor" },
        { &disk->product, disk->product != NULL, "product" },
        { &disk->logical_block, disk->logical_block || disk->physical_block, "blockio" },
        { &disk->cyls, disk->cyls != 0, "geometry" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(options) && disk->type == DISK_VHOST_USER; i++)
        if (options[i].set)
            UNSUPPORTED(options[i].member, NULL, "disk '%s': %s is not for vhostuser disks", name,
                        options[i].what);
    if (disk->type == DISK_VHOST_VDPA && disk->cache != DISK_CACHE_NONE &&
        disk->cache != DISK_CACHE_DIRECTSYNC)
        UNSUPPORTED(&disk->cache, "none, directsync",
                    "disk '%s': a vhostvdpa disk needs cache='none' or cache='directsync'", name);
}

static void check_identity(const struct disk *disk, const char *name, struct xml_context *x)
{
    if (disk->serial && strpbrk(disk->serial, ",\n\r\t\"'\\"))
        UNSUPPORTED(&disk->serial, "letters, digits and -_.+ ",
                    "disk '%s': serial '%s' contains unsafe characters", name, disk->serial);
    if (disk->wwn && (strspn(disk->wwn, "0123456789abcdefABCDEF") != 16 || strlen(disk->wwn) != 16))
        xml_refuse(x, &disk->wwn, ERR_XML, "16 hexadecimal digits", "disk '%s': malformed wwn", name);
    if (disk->vendor && strlen(disk->vendor) > 8)
        xml_refuse(x, &disk->vendor, ERR_XML, "at most 8 characters", "disk '%s': the vendor is too long",
                   name);
    if (disk->product && strlen(disk->product) > 16)
        xml_refuse(x, &disk->product, ERR_XML, "at most 16 characters", "disk '%s': the product is too long",
                   name);
}

void disk_check(void *self, struct xml_context *x)
{
    struct disk *disk = self;
    const char *name = disk->target ? disk->target : "?";
    forget_empty_paths(disk);
    check_driver(disk, name, x);
    check_vhost(disk, name, x);
    fill_in(disk);
    for (struct disk *image = disk; image; image = image->backing)
        fill_in_network(image, x);
    check_target(disk, x);
    check_virtio(disk, name, x);
    check_copy_on_read(disk, name, x);
    check_flags(disk, name, x);
    check_identity(disk, name, x);
    check_chain(disk, name, x);
}
