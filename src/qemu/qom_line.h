/* SPDX-License-Identifier: Apache-2.0 */
/* qom_line.h - a command line taken apart into what each piece of the object tree comes from.
 *
 * The machine with its processors makes most of the tree; each device, object, character device and audio
 * back end adds itself with what is below it.  A piece's key says all that its shape depends on, and
 * nothing that it does not depend on: two disks with different images have one key.
 */
#pragma once
#include "base/arena.h"
#include "base/vector.h"

enum { QOM_LINE_CPUS_MAX = 4096 };

struct qom_line_part {
    const char *key;                    /* "device virtio-blk-pci pci num-queues=4" */
    const char *path;                   /* where it is: "/machine/peripheral/virtio-disk0" */
    const char *id;                     /* the path's last component */
    const char *bus;                    /* the bus that it was put on; NULL: not said */
};

struct qom_line {
    struct arena *arena;
    const char *machine;                /* the key of the machine, but for the number of processors */
    unsigned cpus;
    VECTOR(struct qom_line_part) parts; /* in order */
};

struct qom_line *qom_line_new(const char *const *argv);
void qom_line_free(struct qom_line *line);
DEFINE_OWNED(qom_line)
