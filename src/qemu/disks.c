/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/disk.h"

#include <stdlib.h>

#include "base/text.h"

static int virtio_driver(const struct line *line, const struct plug *plug, const char **ret_driver,
                         struct error *err)
{
    static const char *const drivers[] = {
        [DISK_MODEL_ABSENT] = "virtio-blk-pci",
        [DISK_MODEL_VIRTIO] = "virtio-blk-pci",
        [DISK_MODEL_TRANSITIONAL] = "virtio-blk-pci-transitional",
        [DISK_MODEL_NON_TRANSITIONAL] = "virtio-blk-pci-non-transitional",
    };
    enum disk_model model = plug->disk->model;
    if (model >= ARRAY_COUNT(drivers))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "model '%s' is not for bus virtio",
                    enum_word(&disk_model_names, model));
    *ret_driver = drivers[model];
    return 0;
}

/* What the bus offers for each kind of drive; NULL: nothing. */
static int disk_driver(const struct line *line, const struct plug *plug, const char **ret_driver,
                       struct error *err)
{
    static const struct { enum disk_bus bus; enum disk_device device; const char *driver; } drivers[] = {
        { DISK_BUS_IDE, DISK_DISK, "ide-hd" }, { DISK_BUS_IDE, DISK_CDROM, "ide-cd" },
        { DISK_BUS_SATA, DISK_DISK, "ide-hd" }, { DISK_BUS_SATA, DISK_CDROM, "ide-cd" },
        { DISK_BUS_SCSI, DISK_DISK, "scsi-hd" }, { DISK_BUS_SCSI, DISK_CDROM, "scsi-cd" },
        { DISK_BUS_SCSI, DISK_LUN, "scsi-block" },
        { DISK_BUS_USB, DISK_DISK, "usb-storage" }, { DISK_BUS_USB, DISK_CDROM, "usb-storage" },
        { DISK_BUS_FDC, DISK_FLOPPY, "floppy" },
    };
    const struct disk *disk = plug->disk;
    if (disk->bus == DISK_BUS_VIRTIO && disk->device == DISK_DISK)
        return virtio_driver(line, plug, ret_driver, err);
    for (size_t i = 0; i < ARRAY_COUNT(drivers); i++)
        if (drivers[i].bus == disk->bus && drivers[i].device == disk->device) {
            *ret_driver = drivers[i].driver;
            return 0;
        }
    return fail(err, ERR_CONFIG_UNSUPPORTED, "a %s on bus '%s' is not supported",
                enum_word(&disk_device_names, disk->device), enum_word(&disk_bus_names, disk->bus));
}

static int add_scsi_address(const struct line *line, struct props *device, const struct drive_address *at,
                            struct error *err)
{
    const struct controller *controller = line_controller(line, CONTROLLER_SCSI, at->controller);
    if (!controller)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "there is no scsi controller with index %u", at->controller);
    props_printf(device, "bus", "%s.0", controller->alias);
    bool narrow = controller->model == CONTROLLER_LSILOGIC || controller->model == CONTROLLER_MODEL_ABSENT ||
                  controller->model == CONTROLLER_AUTO;
    if (narrow && (at->bus || at->target))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "bus and target must be 0 on controller model 'lsilogic'");
    if (narrow) {
        props_u64(device, "scsi-id", at->unit);
        return 0;
    }
    props_u64(device, "channel", at->bus);
    props_u64(device, "scsi-id", at->target);
    props_u64(device, "lun", at->unit);
    return 0;
}

static int add_drive_address(const struct line *line, struct props *device, const struct disk *disk,
                             struct error *err)
{
    if (!disk->address || disk->address->type != ADDRESS_DRIVE)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "it needs an address of type 'drive'");
    const struct drive_address *at = &disk->address->drive;
    if (disk->bus == DISK_BUS_SCSI)
        return add_scsi_address(line, device, at, err);
    if (disk->bus == DISK_BUS_FDC) {
        props_u64(device, "unit", at->unit);
        return 0;
    }
    if (disk->bus == DISK_BUS_IDE) {
        props_printf(device, "bus", "ide.%u", at->bus);
        props_u64(device, "unit", at->unit);
        return 0;
    }
    if (at->controller == 0 && line_is_q35(line))      /* the chipset's own */
        props_printf(device, "bus", "ide.%u", at->unit);
    else
        props_printf(device, "bus", "sata%u.%u", at->controller, at->unit);
    return 0;
}

static int add_place(const struct line *line, struct props *device, const struct disk *disk,
                     struct error *err)
{
    bool plugged = disk->bus == DISK_BUS_VIRTIO || disk->bus == DISK_BUS_USB;
    return plugged ? line_address(line, device, disk->address, err)
                   : add_drive_address(line, device, disk, err);
}

static void add_error_policies(struct props *device, const struct disk *disk)
{
    const char *write = enum_word(&disk_error_policy_names, disk->error_policy);
    const char *read = enum_word(&disk_error_policy_names, disk->read_error_policy);
    if (!read && disk->error_policy != DISK_ERROR_ENOSPACE)
        read = write;
    props_text(device, "werror", disk->error_policy == DISK_ERROR_ENOSPACE ? "enospc" : write);
    props_text(device, "rerror", read);
}

static void add_identity(struct props *device, const struct disk *disk)
{
    if (disk->logical_block || disk->physical_block || disk->discard_granularity.set) {
        props_positive(device, "logical_block_size", disk->logical_block);
        props_positive(device, "physical_block_size", disk->physical_block);
        props_opt_u32(device, "discard_granularity", disk->discard_granularity);
    }
    if (disk->wwn)
        props_u64(device, "wwn", strtoull(disk->wwn, NULL, 16));
    props_positive(device, "rotation_rate", disk->rotation_rate);
    props_text(device, "vendor", disk->vendor);
    props_text(device, "product", disk->product);
    if (disk->bus == DISK_BUS_USB)
        props_bool(device, "removable", disk->removable == ON);
}

static void add_geometry(struct props *device, const struct disk *disk)
{
    props_positive(device, "cyls", disk->cyls);
    props_positive(device, "heads", disk->heads);
    props_positive(device, "secs", disk->secs);
    props_text(device, "bios-chs-trans", disk->trans);
}

static int add_disk_device(struct line *line, const struct plug *plug, struct error *err)
{
    const struct disk *disk = plug->disk;
    const char *driver = NULL;
    if (disk_driver(line, plug, &driver, err) < 0 || line_check_type(line, driver, "it", err) < 0)
        return -1;
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    if (disk->bus == DISK_BUS_VIRTIO) {
        if (line_iothread(line, &device, disk->iothread, err) < 0 ||
            line_queue_threads(line, &device, disk->queue_threads.items, disk->queue_threads.count, err) < 0)
            return -1;
        props_on_off(&device, "ioeventfd", disk->ioeventfd);
        props_on_off(&device, "event_idx", disk->event_idx);
        props_positive(&device, "num-queues", disk->queues);
        props_positive(&device, "queue-size", disk->queue_size);
        line_virtio(&device, &disk->virtio);
    }
    if (add_place(line, &device, disk, err) < 0)
        return -1;
    if (disk->bus == DISK_BUS_SCSI && disk->device != DISK_LUN && !disk->serial)
        props_printf(&device, "device_id", "drive-%s", disk->alias);
    props_true(&device, "share-rw", disk->shareable);
    props_text(&device, "drive", plug->top[0] ? plug->top : NULL);
    props_text(&device, "id", disk->alias);
    if (disk->bus != DISK_BUS_FDC)
        props_positive(&device, "bootindex", line_disk_boot_index(line, plug->index));
    add_identity(&device, disk);
    if (disk->device != DISK_LUN)
        props_text(&device, "write-cache", disk_write_cache(plug->cache));
    add_geometry(&device, disk);
    props_text(&device, "serial", disk->serial);
    add_error_policies(&device, disk);
    line_device(line, &device);
    return 0;
}

/* What the block layer opens: the disk's own image, or one below. */
static int check_image(const struct disk *disk, struct error *err)
{
    if (disk->type != DISK_FILE && disk->type != DISK_BLOCK && disk->type != DISK_NETWORK)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "type '%s' is not supported, only 'file', 'block' and 'network' are",
                    enum_word(&disk_type_names, disk->type));
    if (disk->type == DISK_NETWORK && disk_check_network(disk, err) < 0)
        return -1;
    if (disk->format >= DISK_FORMAT_DIR && disk->format != DISK_QCOW && disk->format != DISK_QCOW2 &&
        disk->format != DISK_QED && disk->format != DISK_VMDK && disk->format != DISK_VDI &&
        disk->format != DISK_VPC && disk->format != DISK_BOCHS && disk->format != DISK_CLOOP &&
        disk->format != DISK_DMG)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "format '%s' cannot be used",
                    enum_word(&disk_format_names, disk->format));
    return 0;
}

static int check_disk(const struct disk *disk, struct error *err)
{
    for (const struct disk *image = disk; image; image = disk_below(image))
        if (check_image(image, err) < 0)
            return -1;
    if (disk->transient)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<transient/> is not supported");
    if ((disk->iothread || disk->queue_threads.count) && disk->bus != DISK_BUS_VIRTIO)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "only disks on bus virtio have an iothread of their own");
    if (!disk_has_source(disk) && disk->device != DISK_CDROM && disk->device != DISK_FLOPPY)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "it has no source");
    return 0;
}

static int add_disk(struct line *line, struct plug *plug, struct error *err)
{
    if (check_disk(plug->disk, err) < 0)
        return -1;
    bool is_sd = plug->disk->bus == DISK_BUS_SD;
    bool classic = is_sd || line->what->classic_drives || !caps_has(line->caps, CAPS_BLOCKDEV);
    if (classic && (plug->disk->type == DISK_NETWORK || disk_below(plug->disk)))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "%s needs -blockdev (disk_syntax = blockdev)",
                    disk_below(plug->disk) ? "<backingStore>" : "type 'network'");
    if (is_sd || (plug->path && classic))
        disk_add_drive(line, plug);
    else if (disk_has_source(plug->disk))
        disk_add_nodes(line, plug);
    return is_sd ? 0 : add_disk_device(line, plug, err);
}

int line_disk(struct line *line, size_t index, size_t node, struct error *err)
{
    const struct disk *disk = line->def->disks.items[index];
    struct plug plug = { .disk = disk,
                         .index = index,
                         .node = node,
                         .path = disk_path(disk),
                         .cache = disk_effective_cache(disk) };
    return add_disk(line, &plug, err) < 0 ? fail_in(err, "disk '%s'", disk->target) : 0;
}

size_t line_disk_node(const struct domain_def *def, size_t index)
{
    size_t node = 0;
    if (def->disks.items[index]->source_index.set)
        return def->disks.items[index]->source_index.value;
    for (size_t i = index; i < def->disks.count; i++)
        if (def->disks.items[i]->bus != DISK_BUS_SD)
            node += 1 + (i > index ? disk_images_below(def->disks.items[i]) : 0);
    return def->disks.items[index]->bus == DISK_BUS_SD ? 0 : node;
}

int line_disks(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->disks.count; i++)
        if (line_disk(line, i, line_disk_node(line->def, i), err) < 0)
            return -1;
    return 0;
}
