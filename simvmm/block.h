/* SPDX-License-Identifier: Apache-2.0 */
/* block.h - block nodes: what -blockdev and -drive name, and who uses them.
 *
 * Files are really opened, so what is missing, or cannot be opened without a host cache, is refused as
 * QEMU does.
 */
#pragma once
#include "simvmm/vm.h"

struct block_node {
    const char *name, *driver, *filename;   /* filename of the file at the bottom */
    const char *drive;                      /* the id, if -drive made it */
    struct block_node *file, *backing;
    const char *cache_direct, *detect_zeroes;
    bool unlocked;                          /* locking=off */
    bool read_only, direct, no_flush, writeback, removable;
    uint64_t size, actual;
    int fd;
    unsigned alignment;                     /* of requests; 0: as 1 */
    struct qom_node *user;                  /* the device that has it */
};

struct block_node *block_create(struct vm *vm, const struct json *given,
                                struct error *err); /* -blockdev, blockdev-add */
int block_create_drive(struct vm *vm, const struct json *given, struct error *err);            /* -drive */
struct block_node *block_find(const struct vm *vm, const char *name);          /* by node name or drive id */
/* A node that one device writes to is not for another one, unless both were told to share it. */
int block_attach(struct vm *vm, struct block_node *node, struct qom_node *user, struct error *err);
void block_detach(struct vm *vm, const struct qom_node *user);
int block_delete(struct vm *vm, const char *name, struct error *err);
void block_free(struct block_node *node);
