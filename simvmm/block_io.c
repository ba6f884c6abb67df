/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/block_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/bitmap.h"

enum { PIECE = 1 << 20 }; /* how much is copied by one buffer */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Where a raw file has holes, it has zeroes. */
static void file_extent(const struct block_node *b, uint64_t offset, uint64_t most, enum extent *ret_kind,
                        uint64_t *ret_length)
{
    off_t data = lseek(b->fd, (off_t) offset, SEEK_DATA);
    *ret_kind = EXTENT_ZERO;
    *ret_length = most;
    if (data < 0 && errno == ENXIO)
        return;
    if (data > (off_t) offset) {
        *ret_length = least(most, (uint64_t) data - offset);
        return;
    }
    off_t hole = lseek(b->fd, (off_t) offset, SEEK_HOLE);
    *ret_kind = EXTENT_DATA;
    if (hole > (off_t) offset)
        *ret_length = least(most, (uint64_t) hole - offset);
}

/* Of one node alone. */
static int own_extent(struct block_node *b, uint64_t offset, uint64_t most, enum extent *ret_kind,
                      uint64_t *ret_length, struct error *err)
{
    *ret_length = most;
    *ret_kind = EXTENT_ZERO;
    if (offset >= b->size) {
        *ret_kind = b->qcow2 ? EXTENT_ABSENT : EXTENT_ZERO;
        return 0;
    }
    most = least(most, b->size - offset);
    if (b->qcow2)
        return qcow2_extent(b->qcow2, offset, most, ret_kind, ret_length, err);
    if (b->file)
        return own_extent(b->file, offset + b->offset, most, ret_kind, ret_length, err);
    *ret_length = most;
    if (b->fd >= 0)
        file_extent(b, offset, most, ret_kind, ret_length);
    return 0;
}

int block_extent(struct block_node *b, const struct block_node *base, uint64_t offset, uint64_t most,
                 enum extent *ret_kind, uint64_t *ret_length, struct error *err)
{
    *ret_kind = EXTENT_ABSENT;
    for (; b && b != base; b = b->backing) {
        if (own_extent(b, offset, most, ret_kind, ret_length, err) < 0)
            return -1;
        if (*ret_kind != EXTENT_ABSENT)
            return 0;
        most = *ret_length;
    }
    *ret_length = most;
    return 0;
}

int block_read(struct block_node *b, uint64_t offset, void *bytes, uint64_t length, struct error *err)
{
    char *to = bytes;
    while (length) {
        enum extent kind = EXTENT_ABSENT;
        uint64_t piece = length;
        struct block_node *from = b;
        for (; from; from = from->backing) {
            if (own_extent(from, offset, piece, &kind, &piece, err) < 0)
                return -1;
            if (kind != EXTENT_ABSENT)
                break;
        }
        uint64_t at = offset;
        while (from && !from->qcow2 && from->file) {
            at += from->offset;
            from = from->file;
        }
        if (kind != EXTENT_DATA || !from)
            memset(to, 0, piece);
        else if (from->qcow2 ? qcow2_read(from->qcow2, at, to, piece, err) < 0
                             : pread(from->fd, to, piece, (off_t) at) < (ssize_t) piece)
            return err->code ? -1 : fail(err, ERR_INVALID_ARG, "Input/output error");
        to += piece;
        offset += piece;
        length -= piece;
    }
    return 0;
}

/* ---- writing ---- */

static int check_writable(const struct block_node *b, uint64_t offset, uint64_t length, struct error *err)
{
    if (b->read_only)
        return fail(err, ERR_INVALID_ARG, "Block node is read-only");
    if (offset > b->size || length > b->size - offset)
        return fail(err, ERR_INVALID_ARG, "Input/output error");
    return 0;
}

/* Clusters are written whole; of the first and the last one the rest is what was there. */
static int write_clusters(struct block_node *b, uint64_t offset, const char *bytes, uint64_t length,
                          struct error *err)
{
    uint64_t size = qcow2_facts(b->qcow2)->cluster_size;
    owned_memory char *room = memory_new(size);
    while (length) {
        uint64_t start = offset / size * size, inside = offset - start, piece = least(length, size - inside);
        const char *whole = bytes;
        if (piece < size) {
            if (block_read(b, start, room, size, err) < 0)
                return -1;
            memcpy(room + inside, bytes, piece);
            whole = room;
        }
        if (qcow2_write_cluster(b->qcow2, start, whole, err) < 0)
            return -1;
        offset += piece;
        bytes += piece;
        length -= piece;
    }
    return 0;
}

int block_write(struct block_node *b, uint64_t offset, const void *bytes, uint64_t length, struct error *err)
{
    if (check_writable(b, offset, length, err) < 0)
        return -1;
    bitmaps_mark(b, offset, length);
    if (b->qcow2)
        return write_clusters(b, offset, bytes, length, err);
    if (b->file)
        return block_write(b->file, offset + b->offset, bytes, length, err);
    for (uint64_t done = 0; b->fd >= 0 && done < length;) {
        ssize_t n = pwrite(b->fd, (const char *) bytes + done, length - done, (off_t) (offset + done));
        if (n <= 0) {
            int number = n < 0 ? errno : EIO;
            (void) fail(err, ERR_INVALID_ARG, "%s", strerror(number));
            err->number = number;
            return -1;
        }
        done += (uint64_t) n;
    }
    return 0;
}

/* Whole clusters become zero by their entry, what is cut at the ends by being written. */
static int zero_clusters(struct block_node *b, uint64_t offset, uint64_t length, struct error *err)
{
    uint64_t size = qcow2_facts(b->qcow2)->cluster_size;
    owned_memory char *zeroes = memory_new(size);
    while (length) {
        uint64_t piece = least(length, size - offset % size);
        bool whole = piece == size || (offset % size == 0 && offset + piece == b->size);
        enum extent kind;
        uint64_t alike;
        if (block_extent(b, NULL, offset, piece, &kind, &alike, err) < 0)
            return -1;
        bool done = kind == EXTENT_ABSENT && alike == piece;
        if (!done && (whole ? qcow2_zero_cluster(b->qcow2, offset, err)
                            : write_clusters(b, offset, zeroes, piece, err)) < 0)
            return -1;
        offset += piece;
        length -= piece;
    }
    return 0;
}

int block_zero(struct block_node *b, uint64_t offset, uint64_t length, struct error *err)
{
    if (check_writable(b, offset, length, err) < 0)
        return -1;
    bitmaps_mark(b, offset, length);
    if (b->qcow2)
        return zero_clusters(b, offset, length, err);
    if (b->file)
        return block_zero(b->file, offset + b->offset, length, err);
    if (b->fd < 0 ||
        fallocate(b->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t) offset, (off_t) length) == 0)
        return 0;
    owned_memory char *zeroes = memory_new(least(length, PIECE));
    for (uint64_t done = 0; done < length; done += PIECE)
        if (block_write(b, offset + done, zeroes, least(length - done, PIECE), err) < 0)
            return -1;
    return 0;
}

int block_truncate(struct block_node *b, uint64_t size, struct error *err)
{
    if (b->qcow2) {
        if (qcow2_resize(b->qcow2, size, err) < 0)
            return -1;
    } else if (b->file) {
        if (block_truncate(b->file, size + b->offset, err) < 0)
            return -1;
    } else if (b->fd >= 0 && ftruncate(b->fd, (off_t) size) < 0)
        return fail(err, ERR_INVALID_ARG, "Failed to resize the image: %s", strerror(errno));
    b->size = size;
    for (size_t i = 0; i < b->bitmaps.count; i++)
        bitmap_resize(b->bitmaps.items[i], size);
    return 0;
}

int block_copy(struct block_node *from, struct block_node *to, uint64_t offset, uint64_t length,
               bool *ret_writing, struct error *err)
{
    owned_memory char *room = memory_new(least(length, PIECE));
    while (length) {
        enum extent kind;
        uint64_t piece;
        *ret_writing = false;
        if (block_extent(from, NULL, offset, least(length, PIECE), &kind, &piece, err) < 0 ||
            (kind == EXTENT_DATA && block_read(from, offset, room, piece, err) < 0))
            return -1;
        *ret_writing = true;
        if (kind == EXTENT_DATA ? block_write(to, offset, room, piece, err) < 0
                                : block_zero(to, offset, piece, err) < 0)
            return -1;
        offset += piece;
        length -= piece;
    }
    return 0;
}
