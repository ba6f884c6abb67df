/* SPDX-License-Identifier: Apache-2.0 */
/* From the guest's offsets to the file's: the two levels of tables. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "simvmm/qcow2_private.h"

static unsigned l2_entries(const struct qcow2 *q)
{
    return q->facts.cluster_size / 8;
}

uint32_t qcow2_l1_needed(const struct qcow2 *q, uint64_t size)
{
    unsigned shift = q->bits + q->bits - 3;
    return (uint32_t) ((size >> shift) + ((size & ((1ull << shift) - 1)) != 0));
}

/* What is told of, but not read. */
static int check_plain(const struct qcow2 *q, struct error *err)
{
    if (q->facts.encrypted || q->facts.extended_l2 || (q->incompatible & FEATURE_DATA_FILE))
        return fail(err, ERR_NO_SUPPORT,
                    "the contents of images with encryption, sub-clusters or a data file are not simulated");
    return 0;
}

int qcow2_load_l2(struct qcow2 *q, uint64_t offset, struct error *err)
{
    if (q->l2_at == offset)
        return 0;
    q->l2_at = 0;
    if (offset % q->facts.cluster_size)
        return fail(err, ERR_INVALID_ARG, "The image is corrupt: an L2 table at offset %#llx",
                    (unsigned long long) offset);
    if (image_read_table(q->fd, q->l2, l2_entries(q), offset, err) < 0)
        return -1;
    q->l2_at = offset;
    return 0;
}

/* The entry of an offset; 0 where there is no table. */
static int find_entry(struct qcow2 *q, uint64_t offset, uint64_t *ret_entry, struct error *err)
{
    uint64_t index = offset >> q->bits, high = index / l2_entries(q);
    uint64_t table = high < q->l1_entries ? q->l1[high] & QCOW2_OFFSET : 0;
    *ret_entry = 0;
    if (!table)
        return 0;
    if (qcow2_load_l2(q, table, err) < 0)
        return -1;
    *ret_entry = q->l2[index % l2_entries(q)];
    return 0;
}

static enum extent kind_of(const struct qcow2 *q, uint64_t entry)
{
    if (entry & QCOW2_COMPRESSED)
        return EXTENT_DATA;
    if (q->facts.version == 3 && (entry & QCOW2_ZERO))
        return EXTENT_ZERO;
    return entry & QCOW2_OFFSET ? EXTENT_DATA : EXTENT_ABSENT;
}

int qcow2_extent(struct qcow2 *q, uint64_t offset, uint64_t most, enum extent *ret_kind, uint64_t *ret_length,
                 struct error *err)
{
    uint64_t entry, span = (uint64_t) l2_entries(q) << q->bits, length = 0;
    if (check_plain(q, err) < 0 || find_entry(q, offset, &entry, err) < 0)
        return -1;
    enum extent kind = kind_of(q, entry);
    if (!entry && (offset / span >= q->l1_entries || !(q->l1[offset / span] & QCOW2_OFFSET)))
        length = span - offset % span;
    while (length < most) {
        length += q->facts.cluster_size - (offset + length) % q->facts.cluster_size;
        if (length >= most || (offset + length) % span == 0)
            break;
        if (find_entry(q, offset + length, &entry, err) < 0)
            return -1;
        if (kind_of(q, entry) != kind)
            break;
    }
    *ret_kind = kind;
    *ret_length = length < most ? length : most;
    return 0;
}

int qcow2_read(struct qcow2 *q, uint64_t offset, void *bytes, uint64_t length, struct error *err)
{
    while (length) {
        uint64_t entry, inside = offset % q->facts.cluster_size, piece = q->facts.cluster_size - inside;
        if (piece > length)
            piece = length;
        if (find_entry(q, offset, &entry, err) < 0)
            return -1;
        if (entry & QCOW2_COMPRESSED)
            return fail(err, ERR_NO_SUPPORT, "reading compressed clusters is not simulated");
        if (image_read(q->fd, bytes, piece, (entry & QCOW2_OFFSET) + inside, err) < 0)
            return -1;
        bytes = (char *) bytes + piece;
        offset += piece;
        length -= piece;
    }
    return 0;
}

/* ---- writing ---- */

static int set_l1(struct qcow2 *q, uint64_t high, uint64_t table, struct error *err)
{
    q->l1[high] = table | QCOW2_COPIED;
    return image_write_table(q->fd, &q->l1[high], 1, q->l1_offset + high * 8, err);
}

/* Makes an L2 table that is ours alone for the offset, and loads it. */
static int own_table(struct qcow2 *q, uint64_t offset, struct error *err)
{
    uint64_t high = (offset >> q->bits) / l2_entries(q), fresh;
    if (high >= q->l1_entries)
        return fail(err, ERR_INVALID_ARG, "The offset is behind the image's end");
    uint64_t old = q->l1[high] & QCOW2_OFFSET;
    if (old && (q->l1[high] & QCOW2_COPIED))
        return qcow2_load_l2(q, old, err);
    if (old) {
        if (qcow2_load_l2(q, old, err) < 0)
            return -1;
    } else
        memset(q->l2, 0, q->facts.cluster_size);
    q->l2_at = 0;
    if (clusters_take(q, 1, &fresh, err) < 0 ||
        image_write_table(q->fd, q->l2, l2_entries(q), fresh, err) < 0 ||
        (old && clusters_add(q, old, 1, -1, err) < 0))
        return -1;
    q->l2_at = fresh;
    return set_l1(q, high, fresh, err);
}

static int set_entry(struct qcow2 *q, uint64_t offset, uint64_t entry, struct error *err)
{
    uint64_t index = (offset >> q->bits) % l2_entries(q);
    q->l2[index] = entry;
    return image_write_table(q->fd, &q->l2[index], 1, q->l2_at + index * 8, err);
}

static int drop_cluster(struct qcow2 *q, uint64_t entry, struct error *err)
{
    if (entry & QCOW2_COMPRESSED)
        return fail(err, ERR_NO_SUPPORT, "writing to compressed clusters is not simulated");
    return entry & QCOW2_OFFSET ? clusters_add(q, entry & QCOW2_OFFSET, 1, -1, err) : 0;
}

int qcow2_write_cluster(struct qcow2 *q, uint64_t offset, const void *bytes, struct error *err)
{
    uint64_t fresh;
    if (check_plain(q, err) < 0 || own_table(q, offset, err) < 0)
        return -1;
    uint64_t entry = q->l2[(offset >> q->bits) % l2_entries(q)];
    if ((entry & QCOW2_COPIED) && !(entry & QCOW2_ZERO))
        return image_write(q->fd, bytes, q->facts.cluster_size, entry & QCOW2_OFFSET, err);
    if (clusters_take(q, 1, &fresh, err) < 0 ||
        image_write(q->fd, bytes, q->facts.cluster_size, fresh, err) < 0 || drop_cluster(q, entry, err) < 0)
        return -1;
    return set_entry(q, offset, fresh | QCOW2_COPIED, err);
}

int qcow2_zero_cluster(struct qcow2 *q, uint64_t offset, struct error *err)
{
    uint64_t entry;
    if (check_plain(q, err) < 0 || find_entry(q, offset, &entry, err) < 0)
        return -1;
    if (kind_of(q, entry) == EXTENT_ZERO || (!entry && !q->facts.backing))
        return 0;
    if (own_table(q, offset, err) < 0 || drop_cluster(q, entry, err) < 0)
        return -1;
    if (q->facts.version == 3)
        return set_entry(q, offset, QCOW2_ZERO, err);
    if (!q->facts.backing)
        return set_entry(q, offset, 0, err);
    char *zeroes = memory_new(q->facts.cluster_size);
    int result = set_entry(q, offset, 0, err) < 0 ? -1 : qcow2_write_cluster(q, offset, zeroes, err);
    free(zeroes);
    return result;
}

/* ---- size ---- */

static int grow_l1(struct qcow2 *q, uint32_t entries, struct error *err)
{
    uint64_t fresh, old = q->l1_offset, old_bytes = q->l1_entries * 8ull;
    uint64_t room = clusters_of(q, old_bytes) << q->bits;
    if (entries > QCOW2_L1_MAX)
        return fail(err, ERR_INVALID_ARG, "The new size is too large for the image's cluster size");
    q->l1 = memory_resize(q->l1, entries * sizeof *q->l1);
    memset(q->l1 + q->l1_entries, 0, (entries - q->l1_entries) * sizeof *q->l1);
    q->l1_entries = entries;
    if (entries * 8ull <= room)
        return image_write_table(q->fd, q->l1, entries, old, err);
    if (clusters_take(q, clusters_of(q, entries * 8ull), &fresh, err) < 0 ||
        image_write_table(q->fd, q->l1, entries, fresh, err) < 0)
        return -1;
    q->l1_offset = fresh;
    if (qcow2_write_header(q, err) < 0)
        return -1;
    return old_bytes ? clusters_add(q, old, old_bytes, -1, err) : 0;
}

static int drop_tail(struct qcow2 *q, uint64_t from, uint64_t to, struct error *err)
{
    uint64_t at = (from + q->facts.cluster_size - 1) / q->facts.cluster_size * q->facts.cluster_size;
    while (at < to) {
        enum extent kind;
        uint64_t length, entry;
        if (qcow2_extent(q, at, to - at, &kind, &length, err) < 0)
            return -1;
        for (uint64_t end = at + length; at < end; at += q->facts.cluster_size) {
            if (kind == EXTENT_ABSENT)
                continue;
            if (own_table(q, at, err) < 0 || find_entry(q, at, &entry, err) < 0 ||
                drop_cluster(q, entry, err) < 0 || set_entry(q, at, 0, err) < 0)
                return -1;
        }
    }
    return 0;
}

/* Free clusters at the end of the file are given back. */
static int cut_file(struct qcow2 *q, struct error *err)
{
    off_t end = lseek(q->fd, 0, SEEK_END);
    uint64_t last = clusters_of(q, end > 0 ? (uint64_t) end : 0), users = 0;
    while (last > 0 && users == 0)
        if (cluster_count(q, --last << q->bits, &users, err) < 0)
            return -1;
    if (users && (off_t) ((last + 1) << q->bits) < end &&
        ftruncate(q->fd, (off_t) ((last + 1) << q->bits)) < 0)
        return fail(err, ERR_INVALID_ARG, "Failed to truncate the tail of the image: %s", strerror(errno));
    return 0;
}

int qcow2_resize(struct qcow2 *q, uint64_t size, struct error *err)
{
    uint32_t needed = qcow2_l1_needed(q, size);
    if (check_plain(q, err) < 0)
        return -1;
    if (needed > q->l1_entries && grow_l1(q, needed, err) < 0)
        return -1;
    if (size < q->facts.size && (drop_tail(q, size, q->facts.size, err) < 0 || cut_file(q, err) < 0))
        return -1;
    q->facts.size = size;
    return qcow2_write_header(q, err);
}
