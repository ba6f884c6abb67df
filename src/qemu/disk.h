/* SPDX-License-Identifier: Apache-2.0 */
/* disk.h - the two halves of a disk on the command line: what the block layer opens (disk_nodes.c), and what
 * the guest sees (disks.c).
 */
#pragma once
#include "qemu/line.h"

/* One disk on its way to the command line. */
struct plug {
    const struct disk *disk;
    size_t index;                       /* in the definition */
    size_t node;                        /* its number in node names: the last disk has 1 */
    const char *path;                   /* NULL: no medium, or one that a server has */
    enum disk_cache cache;
    char top[64];                       /* what the device is plugged into; "" for an empty drive */
};

/* Add what the block layer opens, and leave in plug->top what the device is to be plugged into.  A drive is
 * the classic spelling, and all there is for bus sd. */
void disk_add_nodes(struct line *line, struct plug *plug);
void disk_add_drive(struct line *line, struct plug *plug);

/* An image on a server: whether we can spell it, and its node up to what all nodes have. */
int disk_check_network(const struct disk *disk, struct error *err);
void disk_begin_network(struct props *node, const struct disk *disk);

/* The guest's half of a cache mode: "on", "off", or NULL. */
const char *disk_write_cache(enum disk_cache cache);
