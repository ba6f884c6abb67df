/* SPDX-License-Identifier: Apache-2.0 */
/* block.h - block nodes: what -blockdev and -drive name, what lies on what, and who uses them.
 *
 * A node is a file, or lies on one ("file") and perhaps on another node's contents ("backing"). Files are
 * really opened, so what is missing, or cannot be opened without a host cache, is refused as QEMU does.
 *
 * A node lives as long as somebody has it: the client that named it with blockdev-add, a device, a node on
 * top, a job, an export. block_ref() and block_unref() count them.
 */
#pragma once
#include "simvmm/vm.h"

struct bitmap;
struct job;
struct qcow2;
struct throttle;

struct block_node {
    struct vm *vm;
    const char *name, *driver, *filename; /* filename of the file at the bottom */
    const char *drive;                    /* the id, if -drive made it */
    struct block_node *file, *backing;
    const char *backing_name; /* what it was opened with, where that is what the image asked for */
    struct qcow2 *qcow2;      /* NULL unless it is one */
    unsigned users;
    bool named;      /* blockdev-add or -blockdev made it, and blockdev-del may take it */
    struct job *job; /* that has it for itself; NULL */
    const char *cache_direct, *detect_zeroes;
    bool unlocked; /* locking=off */
    bool read_only, auto_read_only, direct, no_flush, writeback, removable;
    uint64_t offset; /* of a raw node in its file */
    bool cut;        /* a raw node that was told its offset or size */
    uint64_t size, actual, threshold;
    int fd;
    unsigned alignment;        /* of requests; 0: as 1 */
    struct qom_node *user;     /* the device that has it */
    struct throttle *throttle; /* of the device's requests; NULL */
    VECTOR(struct bitmap *) bitmaps;
};

struct block_node *block_find(const struct vm *vm, const char *name); /* by node name or drive id */
/* The same, and QEMU's complaint: of `device` and `node`, either of which may be NULL. */
struct block_node *block_get(const struct vm *vm, const char *device, const char *node, struct error *err);
void block_ref(struct block_node *b);
void block_unref(struct block_node *b);                               /* the last one frees it */
int block_delete(struct vm *vm, const char *name, struct error *err); /* blockdev-del */
void block_free(struct block_node *node);

/* A node that one device writes to is not for another one, unless both were told to share it. */
int block_attach(struct vm *vm, struct block_node *node, struct qom_node *user, struct error *err);
void block_detach(struct vm *vm, const struct qom_node *user);

/* A machine that waits for its state has its disks inactive: the other one may still write to them. */
bool block_is_inactive(const struct vm *vm);

/* ---- the graph ---- */

void block_set_backing(struct block_node *b,
                       struct block_node *backing); /* NULL: none; takes its own reference */
/* All that had `from`, devices as well, have `to` instead, but for `to` itself. */
void block_replace(struct block_node *from, struct block_node *to);
bool block_is_above(const struct block_node *top, const struct block_node *base); /* or the same */
struct block_node *block_overlay(const struct block_node *active,
                                 const struct block_node *b); /* NULL: is active */
unsigned block_depth(const struct block_node *b);
bool block_is_active(const struct block_node *b); /* no node lies on it */
/* How the node would have to be opened to be the same: its file's name, or "json:{...}". */
const char *block_filename(const struct block_node *b, struct arena *a);

/* ---- opening (block_open.c) ---- */

struct block_node *block_create(struct vm *vm, const struct json *given,
                                struct error *err); /* -blockdev, blockdev-add; one user, the caller */
int block_create_drive(struct vm *vm, const struct json *given, struct error *err); /* -drive */
/* A file and its format as one: format NULL is guessed from the contents; cache settings are those of `like`
 * (NULL: the usual ones). */
struct block_node *block_open_file(struct vm *vm, const char *filename, const char *format, const char *name,
                                   const struct block_node *like, bool read_only, bool with_backing,
                                   struct error *err);
/* Whether the node, and the files below it but for backing ones, can be written to. */
int block_set_read_only(struct block_node *b, bool read_only, struct error *err);
int block_refresh(struct block_node *b, struct error *err); /* reads the headers again */
void block_measure(const struct vm *vm);                    /* sizes of all files, as they are now */
char *block_path_beside(const char *base,
                        const char *name); /* a relative name is relative to base's folder */
