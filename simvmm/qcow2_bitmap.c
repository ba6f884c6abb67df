/* SPDX-License-Identifier: Apache-2.0 */
/* Dirty bitmaps that outlive the VMM: a directory of them, a table for each, and their bits in clusters. */
#include <stdlib.h>

#include "base/buffer.h"
#include "simvmm/qcow2_private.h"

enum {
    ENTRY = 24,
    DIRECTORY_MAX = 64 << 20,
    TABLE_MAX = 1 << 20,
    FLAG_IN_USE = 1,
    FLAG_RECORDING = 2,
    TYPE_DIRTY = 1
};
enum { AUTOCLEAR_BITMAPS = 1, EXTENSION_LENGTH = 24, BITS_MAX = 1 << 27 };

/* ---- the extension of the header ---- */

static struct qcow2_extension *find_extension(struct qcow2 *q)
{
    for (size_t i = 0; i < q->extensions.count; i++)
        if (q->extensions.items[i].kind == EXTENSION_BITMAPS &&
            q->extensions.items[i].length >= EXTENSION_LENGTH)
            return &q->extensions.items[i];
    return NULL;
}

static void set_extension(struct qcow2 *q, uint32_t count, uint64_t size, uint64_t offset)
{
    struct qcow2_extension *e = find_extension(q);
    if (!e) {
        struct qcow2_extension fresh = { EXTENSION_BITMAPS, EXTENSION_LENGTH, memory_new(EXTENSION_LENGTH) };
        vector_push(&q->extensions, fresh);
        e = &q->extensions.items[q->extensions.count - 1];
    }
    put32(e->bytes, count);
    put64(e->bytes + 8, size);
    put64(e->bytes + 16, offset);
    q->autoclear |= AUTOCLEAR_BITMAPS;
}

static void drop_extension(struct qcow2 *q)
{
    struct qcow2_extension *e = find_extension(q);
    if (!e)
        return;
    free(e->bytes);
    vector_remove(&q->extensions, (size_t) (e - q->extensions.items));
    q->autoclear &= ~(uint64_t) AUTOCLEAR_BITMAPS;
}

/* ---- reading ---- */

static uint64_t bytes_of(const struct qcow2 *q, const struct qcow2_bitmap *b)
{
    return (q->facts.size / b->granularity + 1) / 8 + 1;
}

static int read_bits(struct qcow2 *q, struct qcow2_bitmap *b, const uint64_t *table, uint32_t entries,
                     struct error *err)
{
    uint64_t bytes = bytes_of(q, b);
    b->bits = memory_new(bytes);
    for (uint32_t i = 0; i < entries && (uint64_t) i << q->bits < bytes; i++) {
        uint64_t at = (uint64_t) i << q->bits, left = bytes - at;
        uint64_t piece = left < q->facts.cluster_size ? left : q->facts.cluster_size;
        if (!(table[i] & QCOW2_OFFSET))
            memset(b->bits + at, table[i] & 1 ? 0xff : 0, piece);
        else if (image_read(q->fd, b->bits + at, piece, table[i] & QCOW2_OFFSET, err) < 0)
            return -1;
    }
    return 0;
}

static int read_table(struct qcow2 *q, const char *entry, uint64_t **ret_table, uint32_t *ret_count,
                      struct error *err)
{
    *ret_count = get32(entry + 8);
    if (*ret_count > TABLE_MAX)
        return fail(err, ERR_INVALID_ARG, "Bitmap table is too large");
    *ret_table = memory_new(*ret_count * sizeof **ret_table + 1);
    return image_read_table(q->fd, *ret_table, *ret_count, get64(entry), err);
}

/* The directory's bytes, and behind *ret_count entries its end; none is an empty directory. */
static int read_directory(struct qcow2 *q, struct buffer *out, uint32_t *ret_count, struct error *err)
{
    const struct qcow2_extension *e = find_extension(q);
    *ret_count = 0;
    if (!e || !(q->autoclear & AUTOCLEAR_BITMAPS))
        return 0;
    uint64_t size = get64(e->bytes + 8);
    if (size > DIRECTORY_MAX)
        return fail(err, ERR_INVALID_ARG, "Bitmap directory is too large");
    *ret_count = get32(e->bytes);
    char *room = buffer_room(out, size);
    out->length = size;
    return image_read(q->fd, room, size, get64(e->bytes + 16), err);
}

/* How long the entry is; 0 if it does not fit. */
static size_t entry_length(const char *entry, size_t left)
{
    if (left < ENTRY)
        return 0;
    size_t name = (unsigned char) entry[18] << 8 | (unsigned char) entry[19], extra = get32(entry + 20);
    size_t length = extra > left ? left + 1 : (ENTRY + extra + name + 7) / 8 * 8;
    return length <= left && name > 0 && name < 1024 ? length : 0;
}

static int load_one(struct qcow2 *q, const char *entry, struct qcow2_bitmap *ret, struct error *err)
{
    unsigned bits = (unsigned char) entry[17];
    uint64_t *table = NULL;
    uint32_t count;
    size_t name = (unsigned char) entry[18] << 8 | (unsigned char) entry[19];
    if (entry[16] != TYPE_DIRTY || bits < 9 || bits > 31 || q->facts.size >> bits > BITS_MAX)
        return fail(err, ERR_INVALID_ARG, "Bitmap has a type or granularity that is not known");
    *ret = (struct qcow2_bitmap) { .granularity = 1u << bits,
                                   .recording = get32(entry + 12) & FLAG_RECORDING,
                                   .inconsistent = get32(entry + 12) & FLAG_IN_USE,
                                   .name = memory_copy_bytes(entry + ENTRY + get32(entry + 20), name) };
    int result = read_table(q, entry, &table, &count, err);
    if (result == 0)
        result = read_bits(q, ret, table, count, err);
    free(table);
    if (result < 0) {
        free(ret->name);
        free(ret->bits);
    }
    return result;
}

int qcow2_load_bitmaps(struct qcow2 *q, void (*found)(void *arg, const struct qcow2_bitmap *b), void *arg,
                       struct error *err)
{
    owned_buffer struct buffer directory = { 0 };
    uint32_t count;
    if (read_directory(q, &directory, &count, err) < 0)
        return -1;
    for (size_t at = 0; count; count--) {
        size_t length = entry_length(directory.data + at, directory.length - at);
        struct qcow2_bitmap b;
        if (!length)
            return fail(err, ERR_INVALID_ARG, "Bitmap directory is corrupt");
        if (load_one(q, directory.data + at, &b, err) < 0)
            return -1;
        found(arg, &b);
        free(b.name);
        free(b.bits);
        at += length;
    }
    return 0;
}

/* ---- writing ---- */

static int free_table(struct qcow2 *q, const char *entry, struct error *err)
{
    uint64_t *table = NULL;
    uint32_t count;
    int result = read_table(q, entry, &table, &count, err);
    for (uint32_t i = 0; result == 0 && i < count; i++)
        if (table[i] & QCOW2_OFFSET)
            result = clusters_add(q, table[i] & QCOW2_OFFSET, 1, -1, err);
    if (result == 0 && count)
        result = clusters_add(q, get64(entry), count * 8ull, -1, err);
    free(table);
    return result;
}

static int free_all(struct qcow2 *q, struct error *err)
{
    owned_buffer struct buffer directory = { 0 };
    const struct qcow2_extension *e = find_extension(q);
    uint32_t count;
    if (read_directory(q, &directory, &count, err) < 0)
        return -1;
    for (size_t at = 0, length; count; count--, at += length) {
        length = entry_length(directory.data + at, directory.length - at);
        if (!length)
            return fail(err, ERR_INVALID_ARG, "Bitmap directory is corrupt");
        if (free_table(q, directory.data + at, err) < 0)
            return -1;
    }
    return directory.length ? clusters_add(q, get64(e->bytes + 16), directory.length, -1, err) : 0;
}

static bool all_zero(const unsigned char *bytes, uint64_t length)
{
    while (length && !*bytes)
        bytes++, length--;
    return !length;
}

/* Puts the bits into clusters, but for those that are all zero, and an entry into the directory. */
static int store_one(struct qcow2 *q, const struct qcow2_bitmap *b, struct buffer *directory,
                     struct error *err)
{
    static const char padding[8];
    uint64_t bytes = bytes_of(q, b), entries = clusters_of(q, (q->facts.size / b->granularity + 8) / 8),
             offset;
    uint64_t *table = memory_new(entries * sizeof *table + 1);
    char *cluster = memory_new(q->facts.cluster_size), head[ENTRY] = { 0 };
    int result = 0;
    for (uint64_t i = 0; result == 0 && i < entries && i << q->bits < bytes; i++) {
        uint64_t at = i << q->bits,
                 piece = bytes - at < q->facts.cluster_size ? bytes - at : q->facts.cluster_size;
        if (all_zero(b->bits + at, piece))
            continue;
        memset(cluster, 0, q->facts.cluster_size);
        memcpy(cluster, b->bits + at, piece);
        if (clusters_take(q, 1, &table[i], err) < 0 ||
            image_write(q->fd, cluster, q->facts.cluster_size, table[i], err) < 0)
            result = -1;
    }
    if (result == 0 && (clusters_take(q, clusters_of(q, entries * 8), &offset, err) < 0 ||
                        image_write_table(q->fd, table, entries, offset, err) < 0))
        result = -1;
    free(table);
    free(cluster);
    if (result < 0)
        return -1;
    put64(head, offset);
    put32(head + 8, (uint32_t) entries);
    put32(head + 12, b->recording ? FLAG_RECORDING : 0);
    head[16] = TYPE_DIRTY;
    head[17] = (char) __builtin_ctz(b->granularity);
    head[18] = (char) (strlen(b->name) >> 8);
    head[19] = (char) strlen(b->name);
    buffer_add(directory, head, sizeof head);
    buffer_add_text(directory, b->name);
    buffer_add(directory, padding, (8 - directory->length % 8) % 8);
    return 0;
}

int qcow2_store_bitmaps(struct qcow2 *q, const struct qcow2_bitmap *list, size_t count, struct error *err)
{
    owned_buffer struct buffer directory = { 0 };
    uint64_t offset;
    if (!count && !find_extension(q))
        return 0;
    if (q->facts.version < 3 || free_all(q, err) < 0)
        return err->code ? -1 : fail(err, ERR_INVALID_ARG, "Cannot store dirty bitmaps in qcow2 v2 files");
    drop_extension(q);
    for (size_t i = 0; i < count; i++)
        if (store_one(q, &list[i], &directory, err) < 0)
            return -1;
    if (count) {
        if (clusters_take(q, clusters_of(q, directory.length), &offset, err) < 0 ||
            image_write(q->fd, directory.data, directory.length, offset, err) < 0)
            return -1;
        set_extension(q, (uint32_t) count, directory.length, offset);
    }
    return qcow2_write_header(q, err);
}
