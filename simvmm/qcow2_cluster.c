/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters and how often each is used: the refcount table, its blocks, and finding room. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simvmm/qcow2_private.h"

enum { SLACK = 1 << 16 }; /* clusters that may be counted and not yet be in the file */

/* How many clusters one block of counts tells of. */
static uint64_t per_block(const struct qcow2 *q)
{
    return 1ull << (q->bits + 3 - q->count_order);
}

/* The place of a cluster's count in the file: a byte, and a shift where counts are smaller than one.  0:
 * there is no block for it. */
static uint64_t place(const struct qcow2 *q, uint64_t cluster, unsigned *ret_shift)
{
    uint64_t block = cluster / per_block(q), bit = (cluster % per_block(q)) << q->count_order;
    uint64_t at = block < q->counts_entries ? q->counts[block] & ~511ull : 0;
    *ret_shift = q->count_order < 3 ? (unsigned) (bit % 8) : 0;
    return at ? at + bit / 8 : 0;
}

static int read_count(struct qcow2 *q, uint64_t cluster, uint64_t *ret_users, struct error *err)
{
    unsigned shift, bytes = q->count_order < 3 ? 1 : 1u << (q->count_order - 3);
    unsigned char raw[8] = { 0 };
    uint64_t at = place(q, cluster, &shift);
    if (at && image_read(q->fd, raw + 8 - bytes, bytes, at, err) < 0)
        return -1;
    uint64_t users = get64(raw);
    *ret_users = q->count_order < 3 ? users >> shift & ((1u << (1u << q->count_order)) - 1) : users;
    return 0;
}

static int write_count(struct qcow2 *q, uint64_t cluster, uint64_t users, struct error *err)
{
    unsigned shift, bytes = q->count_order < 3 ? 1 : 1u << (q->count_order - 3);
    uint64_t at = place(q, cluster, &shift);
    unsigned char raw[8] = { 0 };
    if (q->count_order < 6 && users >> (1u << q->count_order))
        return fail(err, ERR_INVALID_ARG, "Too many users of a cluster for %u bits", 1u << q->count_order);
    if (q->count_order < 3) {
        if (image_read(q->fd, raw + 7, 1, at, err) < 0)
            return -1;
        unsigned mask = ((1u << (1u << q->count_order)) - 1) << shift;
        users = (raw[7] & ~mask) | users << shift;
    }
    put64(raw, users);
    return image_write(q->fd, raw + 8 - bytes, bytes, at, err);
}

static bool has_block(const struct qcow2 *q, uint64_t block)
{
    return block < q->counts_entries && q->counts[block] & ~511ull;
}

/* Makes the cluster a block of counts, all zero. */
static int put_block(struct qcow2 *q, uint64_t block, uint64_t cluster, struct error *err)
{
    if (block >= q->counts_entries)
        return fail(err, ERR_NO_SUPPORT,
                    "the image's refcount table is full, and growing it is not simulated");
    char *empty = memory_new(q->facts.cluster_size);
    q->counts[block] = cluster << q->bits;
    int result = image_write(q->fd, empty, q->facts.cluster_size, cluster << q->bits, err);
    free(empty);
    if (result < 0)
        q->counts[block] = 0;
    if (result < 0 || image_write_table(q->fd, &q->counts[block], 1, q->counts_offset + block * 8, err) < 0)
        return -1;
    return write_count(q, cluster, 1, err);
}

int cluster_count(struct qcow2 *q, uint64_t offset, uint64_t *ret_users, struct error *err)
{
    return read_count(q, offset >> q->bits, ret_users, err);
}

int clusters_add(struct qcow2 *q, uint64_t offset, uint64_t bytes, int users, struct error *err)
{
    uint64_t first = offset >> q->bits, count = clusters_of(q, bytes);
    for (uint64_t i = first; i < first + count; i++) {
        unsigned shift;
        uint64_t now;
        if (!place(q, i, &shift))
            return fail(err, ERR_INVALID_ARG, "The image is corrupt: a cluster in use is not counted");
        if (read_count(q, i, &now, err) < 0)
            return -1;
        if (users < 0 && now == 0)
            return fail(err, ERR_INVALID_ARG, "The image is corrupt: a cluster in use is counted as free");
        if (write_count(q, i, now + (uint64_t) users, err) < 0)
            return -1;
        if (now + (uint64_t) users == 0 && i < q->first_free)
            q->first_free = i;
    }
    return 0;
}

/* Behind the end of the file there are free clusters only, whatever the counts say. */
static int check_search(const struct qcow2 *q, uint64_t cluster, struct error *err)
{
    off_t end = lseek(q->fd, 0, SEEK_END);
    if (cluster <= (end > 0 ? (uint64_t) end >> q->bits : 0) + SLACK)
        return 0;
    return fail(err, ERR_INVALID_ARG, "The image is corrupt: more is counted as used than there is");
}

/* A missing block is put into a free cluster from *next on. Where that cluster has no block to be counted in
 * either, it becomes that one, which counts itself. */
static int add_block(struct qcow2 *q, uint64_t block, uint64_t *next, struct error *err)
{
    while (!has_block(q, block)) {
        uint64_t cluster = (*next)++, own = cluster / per_block(q), users = 0;
        if (has_block(q, own) && read_count(q, cluster, &users, err) < 0)
            return -1;
        if (users)
            continue;
        if (put_block(q, has_block(q, own) ? block : own, cluster, err) < 0)
            return -1;
    }
    return 0;
}

/* The first of so many free clusters; what no block counts is free. */
static int find_run(struct qcow2 *q, uint64_t count, uint64_t *ret_first, struct error *err)
{
    uint64_t first = q->first_free, found = 0, users;
    while (found < count) {
        if (read_count(q, first + found, &users, err) < 0)
            return -1;
        if (users == 0) {
            found++;
            continue;
        }
        first += found + 1;
        found = 0;
        if (check_search(q, first, err) < 0)
            return -1;
    }
    *ret_first = first;
    return 0;
}

int clusters_take(struct qcow2 *q, uint64_t count, uint64_t *ret_offset, struct error *err)
{
    uint64_t first, next;
    if (find_run(q, count, &first, err) < 0)
        return -1;
    if (count == 1 && !has_block(q, first / per_block(q))) {
        if (put_block(q, first / per_block(q), first, err) < 0)
            return -1;
        first++;
    }
    next = first + count;
    for (uint64_t block = first / per_block(q); block <= (first + count - 1) / per_block(q); block++)
        if (add_block(q, block, &next, err) < 0)
            return -1;
    for (uint64_t i = first; i < first + count; i++)
        if (write_count(q, i, 1, err) < 0)
            return -1;
    if (count == 1)
        q->first_free = first + 1;
    *ret_offset = first << q->bits;
    return 0;
}
