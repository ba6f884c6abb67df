/* SPDX-License-Identifier: Apache-2.0 */
/* qcow2.h - images in QEMU's own format, read and written as far as a disk's owner can see.
 *
 * Written from the format's description (docs/interop/qcow2). An image may come from anybody: its tables are
 * bounded before they are read, and every offset is checked before it is used. What is written goes to the
 * file at once, so the file is whole between two calls. Compressed clusters, sub-clusters, encryption and
 * a data file of its own are told of, and their contents cannot be read.
 *
 * Whoever made the image keeps the descriptor; it has to be open for writing where something is to be
 * changed.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/own.h"

/* What an image says of itself. */
struct qcow2_facts {
    uint64_t size; /* bytes that the guest sees */
    unsigned version, cluster_size, refcount_bits;
    bool lazy_refcounts, corrupt, dirty, extended_l2, encrypted;
    bool zstd;                      /* else zlib */
    char *backing, *backing_format; /* NULL: none */
    char *data_file;
};

struct qcow2_snapshot {
    char *id, *name;
    uint64_t l1_offset, size, state_size, clock_ns, icount;
    uint32_t l1_entries, seconds, nanoseconds;
};

enum extent { EXTENT_ABSENT, EXTENT_ZERO, EXTENT_DATA }; /* absent: the backing file's, or zeroes */

struct qcow2;

struct qcow2 *qcow2_open(int fd, struct error *err);
void qcow2_free(struct qcow2 *q);
DEFINE_OWNED(qcow2)
const struct qcow2_facts *qcow2_facts(const struct qcow2 *q);

/* ---- contents ---- */

/* What there is at `offset`, and for how many bytes (up to `most`) alike. */
int qcow2_extent(struct qcow2 *q, uint64_t offset, uint64_t most, enum extent *ret_kind, uint64_t *ret_length,
                 struct error *err);
int qcow2_read(struct qcow2 *q, uint64_t offset, void *bytes, uint64_t length,
               struct error *err); /* of one extent of data */
/* One whole cluster, at a multiple of its size. */
int qcow2_write_cluster(struct qcow2 *q, uint64_t offset, const void *bytes, struct error *err);
int qcow2_zero_cluster(struct qcow2 *q, uint64_t offset, struct error *err);
int qcow2_resize(struct qcow2 *q, uint64_t size, struct error *err);

/* ---- header ---- */

int qcow2_set_backing(struct qcow2 *q, const char *file, const char *format, struct error *err);

struct qcow2_plan {
    uint64_t size;
    unsigned version; /* 2, 3 */
    unsigned cluster_size, refcount_bits;
    bool lazy_refcounts, preallocate;
    const char *backing, *backing_format;
};
extern const struct qcow2_plan qcow2_plan_default;
/* Makes an empty image of the file, whatever it held. */
int qcow2_create(int fd, const struct qcow2_plan *plan, struct error *err);

/* ---- dirty bitmaps ---- */

struct qcow2_bitmap {
    char *name;
    uint32_t granularity;
    bool recording, inconsistent;       /* the latter: whoever had it did not write it back */
    unsigned char *bits;                /* one for each granule */
};

/* Tells of each; what is told is lent. */
int qcow2_load_bitmaps(struct qcow2 *q, void (*found)(void *arg, const struct qcow2_bitmap *b), void *arg,
                       struct error *err);
/* Those of the list instead of what there was. */
int qcow2_store_bitmaps(struct qcow2 *q, const struct qcow2_bitmap *list, size_t count, struct error *err);

/* ---- internal snapshots ---- */

enum { QCOW2_SNAPSHOTS_MAX = 4096 };
unsigned qcow2_snapshot_count(const struct qcow2 *q);
const struct qcow2_snapshot *qcow2_snapshot_at(const struct qcow2 *q, unsigned index);
const struct qcow2_snapshot *qcow2_snapshot_find(const struct qcow2 *q, const char *id, const char *name);
/* Of `about` name, times and state_size count; the id is the next free number. */
int qcow2_snapshot_add(struct qcow2 *q, const struct qcow2_snapshot *about, struct error *err);
int qcow2_snapshot_apply(struct qcow2 *q, const struct qcow2_snapshot *s, struct error *err);
int qcow2_snapshot_remove(struct qcow2 *q, const struct qcow2_snapshot *s, struct error *err);
