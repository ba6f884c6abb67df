/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/disk.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* How a cache mode is spelt in the three switches that it sets. */
static const struct cache_switches { bool direct, no_flush; const char *write_cache; } cache_switches[] = {
    [DISK_CACHE_NONE] = { true, false, "on" },
    [DISK_CACHE_WRITETHROUGH] = { false, false, "off" },
    [DISK_CACHE_WRITEBACK] = { false, false, "on" },
    [DISK_CACHE_DIRECTSYNC] = { true, false, "off" },
    [DISK_CACHE_UNSAFE] = { false, true, "on" },
};

static const char *zeroes_word(const struct disk *disk)
{
    bool downgraded = disk->detect_zeroes == DISK_ZEROES_UNMAP && disk->discard != DISK_DISCARD_UNMAP;
    return enum_word(&disk_detect_zeroes_names, downgraded ? DISK_ZEROES_ON : (int) disk->detect_zeroes);
}

static void add_cache(struct props *node, enum disk_cache cache)
{
    if (cache == DISK_CACHE_DEFAULT)
        return;
    props_object(node, "cache");
    props_bool(node, "direct", cache_switches[cache].direct);
    props_bool(node, "no-flush", cache_switches[cache].no_flush);
    props_close_object(node);
}

/* An image on its way to the command line.  Those below the disk's own are treated as that is, and only read.
 */
struct image {
    struct disk disk;
    size_t node;
    bool bare;                          /* a raw image without a format node */
    enum disk_cache cache;
    char below[64];                     /* the node below, "" without one */
};

static struct image own_image(const struct line *line, const struct plug *plug)
{
    struct image image = { .disk = *plug->disk, .node = plug->node, .cache = plug->cache };
    image.bare = image.disk.format <= DISK_RAW && caps_has(line->caps, CAPS_RAW_WITHOUT_FORMAT);
    return image;
}

static struct image image_below(const struct line *line, const struct plug *plug, size_t steps)
{
    const struct disk *disk = plug->disk;
    for (size_t i = 0; i < steps; i++)
        disk = disk_below(disk);
    struct image image = { .disk = *disk, .cache = plug->cache, .node = plug->node + steps };
    if (disk->source_index.set)
        image.node = disk->source_index.value;
    image.disk.io = plug->disk->io;
    image.disk.discard = plug->disk->discard;
    image.bare = disk->format == DISK_RAW && caps_has(line->caps, CAPS_RAW_WITHOUT_FORMAT);
    return image;
}

static void name_top(const struct image *image, char *ret_name, size_t size)
{
    snprintf(ret_name, size, "libvirt-%zu-%s", image->node, image->bare ? "storage" : "format");
}

static void add_top_node_props(struct props *node, const struct image *image)
{
    props_bool(node, "read-only", image->disk.readonly);
    props_text(node, "discard", enum_word(&disk_discard_names, image->disk.discard));
    props_text(node, "detect-zeroes", zeroes_word(&image->disk));
    add_cache(node, image->cache);
}

/* Whether the path is a CD drive of the host: told by its name, since this function does no I/O. */
static bool is_host_cdrom(const struct disk *disk)
{
    return disk->device == DISK_CDROM &&
           (text_starts(disk->dev, "/dev/cdrom") || text_starts(disk->dev, "/dev/dvd"));
}

static const char *storage_driver(const struct disk *disk)
{
    if (disk->type != DISK_BLOCK)
        return "file";
    return is_host_cdrom(disk) ? "host_cdrom" : "host_device";
}

static void add_storage_node(struct line *line, const struct image *image)
{
    const struct disk *disk = &image->disk;
    owned_props struct props node;
    if (disk->type == DISK_NETWORK) {
        disk_begin_network(&node, disk);
    } else {
        props_begin(&node, "driver", storage_driver(disk));
        props_text(&node, "filename", disk_path(disk));
        props_text(&node, "aio", enum_word(&disk_io_names, disk->io));
    }
    props_printf(&node, "node-name", "libvirt-%zu-storage", image->node);
    if (image->bare) {
        add_top_node_props(&node, image);
    } else {
        props_bool(&node, "auto-read-only", true);
        props_text(&node, "discard", "unmap");
        add_cache(&node, image->cache);
    }
    line_blockdev(line, &node);
}

/* Formats that have an image below, or are told that they have not. */
static bool has_backing(const struct disk *image)
{
    return image->backing && (image->format == DISK_QCOW2 || image->format == DISK_QCOW ||
                              image->format == DISK_QED || image->format == DISK_VMDK);
}

static void add_format_node(struct line *line, const struct image *image)
{
    owned_props struct props node;
    props_open(&node);
    props_printf(&node, "node-name", "libvirt-%zu-format", image->node);
    add_top_node_props(&node, image);
    props_text(&node, "driver", enum_word(&disk_format_names, image->disk.format));
    props_on_off(&node, "discard-no-unref", image->disk.discard_no_unref);
    props_printf(&node, "file", "libvirt-%zu-storage", image->node);
    if (image->below[0])
        props_text(&node, "backing", image->below);
    else if (has_backing(&image->disk))
        props_null(&node, "backing");
    line_blockdev(line, &node);
}

static void add_image(struct line *line, const struct image *image)
{
    add_storage_node(line, image);
    if (!image->bare)
        add_format_node(line, image);
}

static void add_copy_node(struct line *line, struct plug *plug)
{
    owned_props struct props node;
    props_begin(&node, "driver", "copy-on-read");
    props_printf(&node, "node-name", "libvirt-CoR-%s", plug->disk->target);
    props_text(&node, "file", plug->top);
    props_text(&node, "discard", "unmap");
    line_blockdev(line, &node);
    snprintf(plug->top, sizeof plug->top, "libvirt-CoR-%s", plug->disk->target);
}

/* From the lowest one up. */
void disk_add_nodes(struct line *line, struct plug *plug)
{
    char below[64] = "";
    for (size_t i = disk_images_below(plug->disk) + 1; i-- > 0; ) {
        struct image image = i ? image_below(line, plug, i) : own_image(line, plug);
        strcpy(image.below, below);
        add_image(line, &image);
        name_top(&image, below, sizeof below);
    }
    strcpy(plug->top, below);
    if (plug->disk->copy_on_read == ON)
        add_copy_node(line, plug);
}

/* The classic spelling: one option, which names the mode itself. */
void disk_add_drive(struct line *line, struct plug *plug)
{
    const struct disk *disk = plug->disk;
    bool is_sd = disk->bus == DISK_BUS_SD;
    owned_buffer struct buffer drive = { 0 };
    uint32_t index = 0;
    option_add(&drive, "file", plug->path);
    option_add(&drive, "format", plug->path ? enum_word(&disk_format_names, disk->format) : NULL);
    option_add(&drive, "if", is_sd ? "sd" : "none");
    if (is_sd && disk_target_index(disk->target, &index))
        option_add_u64(&drive, "index", index);
    if (!is_sd) {
        snprintf(plug->top, sizeof plug->top, "drive-%s", disk->alias);
        option_add(&drive, "id", plug->top);
    }
    if (disk->readonly)
        option_add(&drive, "readonly", "on");
    if (plug->path) {
        option_add(&drive, "cache", enum_word(&disk_cache_names, plug->cache));
        option_add(&drive, "copy-on-read", enum_word(&on_off_names, disk->copy_on_read));
        option_add(&drive, "discard", enum_word(&disk_discard_names, disk->discard));
        option_add(&drive, "detect-zeroes", zeroes_word(disk));
        option_add(&drive, "aio", enum_word(&disk_io_names, disk->io));
    }
    argv_add_pair(line->argv, "-drive", buffer_text(&drive));
}

const char *disk_write_cache(enum disk_cache cache)
{
    return cache_switches[cache].write_cache;
}
