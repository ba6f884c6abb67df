/* SPDX-License-Identifier: Apache-2.0 */
/* qcow2_private.h - what the files about qcow2 share: the open image, its clusters and their counts. */
#pragma once
#include <endian.h>
#include <string.h>

#include "base/vector.h"
#include "simvmm/qcow2.h"

#define QCOW2_MAGIC 0x514649fbu
#define QCOW2_COPIED (1ull << 63) /* the cluster has no other user: it may be written in place */
#define QCOW2_COMPRESSED (1ull << 62)
#define QCOW2_ZERO 1ull
#define QCOW2_OFFSET 0x00fffffffffffe00ull

enum {
    QCOW2_L1_MAX = (32 << 20) / 8, /* entries */
    QCOW2_COUNTS_MAX = (8 << 20) / 8,
    QCOW2_HEADER_V2 = 72,
    QCOW2_HEADER_V3 = 112,
    EXTENSION_BACKING_FORMAT = (int) 0xe2792aca,
    EXTENSION_DATA_FILE = 0x44415441,
    EXTENSION_BITMAPS = 0x23852875,
    FEATURE_DIRTY = 1,
    FEATURE_CORRUPT = 2,
    FEATURE_DATA_FILE = 4,
    FEATURE_COMPRESSION = 8,
    FEATURE_EXTENDED_L2 = 16,
};

/* An extension of the header that is kept as it is. */
struct qcow2_extension {
    uint32_t kind, length;
    char *bytes;
};

struct qcow2 {
    int fd;
    struct qcow2_facts facts;
    unsigned bits;        /* a cluster has 1 << bits bytes */
    unsigned count_order; /* a count has 1 << order bits */
    uint64_t incompatible, compatible, autoclear;
    uint64_t l1_offset;
    uint32_t l1_entries;
    uint64_t *l1; /* in the host's byte order */
    uint64_t counts_offset;
    uint32_t counts_entries;
    uint64_t *counts;    /* the refcount table */
    uint64_t first_free; /* no cluster before it is free */
    uint64_t l2_at;      /* which L2 table is in `l2`; 0: none */
    uint64_t *l2;
    uint64_t snapshots_offset;
    VECTOR(struct qcow2_snapshot) snapshots;
    VECTOR(struct qcow2_extension) extensions;
};

static inline uint32_t get32(const void *from)
{
    uint32_t v;
    memcpy(&v, from, sizeof v);
    return be32toh(v);
}

static inline uint64_t get64(const void *from)
{
    uint64_t v;
    memcpy(&v, from, sizeof v);
    return be64toh(v);
}

static inline void put32(void *to, uint32_t v)
{
    v = htobe32(v);
    memcpy(to, &v, sizeof v);
}

static inline void put64(void *to, uint64_t v)
{
    v = htobe64(v);
    memcpy(to, &v, sizeof v);
}

static inline uint64_t clusters_of(const struct qcow2 *q, uint64_t bytes)
{
    return (bytes >> q->bits) + ((bytes & ((1ull << q->bits) - 1)) != 0);
}

/* All of it, or a failure; behind the end of the file there are zeroes. */
int image_read(int fd, void *bytes, size_t length, uint64_t offset, struct error *err);
int image_write(int fd, const void *bytes, size_t length, uint64_t offset, struct error *err);
int image_read_table(int fd, uint64_t *entries, size_t count, uint64_t offset, struct error *err);
int image_write_table(int fd, const uint64_t *entries, size_t count, uint64_t offset, struct error *err);

int qcow2_write_header(struct qcow2 *q, struct error *err);

/* Neighbouring clusters, counted once; their contents are what the file holds. */
int clusters_take(struct qcow2 *q, uint64_t count, uint64_t *ret_offset, struct error *err);
int cluster_count(struct qcow2 *q, uint64_t offset, uint64_t *ret_users, struct error *err);
int clusters_add(struct qcow2 *q, uint64_t offset, uint64_t bytes, int users, struct error *err);

int qcow2_load_l2(struct qcow2 *q, uint64_t offset, struct error *err); /* into q->l2 */
int qcow2_load_snapshots(struct qcow2 *q, uint32_t count, struct error *err);
uint32_t qcow2_l1_needed(const struct qcow2 *q, uint64_t size);
