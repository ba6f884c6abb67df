/* SPDX-License-Identifier: Apache-2.0 */
/* The header: what an image says of itself. */
#include "simvmm/qcow2.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/text.h"
#include "simvmm/qcow2_private.h"

int image_read(int fd, void *bytes, size_t length, uint64_t offset, struct error *err)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = pread(fd, (char *) bytes + done, length - done, (off_t) (offset + done));
        if (n < 0 && errno != EINTR)
            return fail(err, ERR_INVALID_ARG, "Could not read the image: %s", strerror(errno));
        if (n == 0) {
            memset((char *) bytes + done, 0, length - done);
            break;
        }
        done += n > 0 ? (size_t) n : 0;
    }
    return 0;
}

int image_write(int fd, const void *bytes, size_t length, uint64_t offset, struct error *err)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = pwrite(fd, (const char *) bytes + done, length - done, (off_t) (offset + done));
        if (n < 0 && errno != EINTR) {
            int number = errno;
            (void) fail(err, ERR_INVALID_ARG, "Could not write to the image: %s", strerror(number));
            err->number = number;
            return -1;
        }
        done += n > 0 ? (size_t) n : 0;
    }
    return 0;
}

int image_read_table(int fd, uint64_t *entries, size_t count, uint64_t offset, struct error *err)
{
    if (image_read(fd, entries, count * sizeof *entries, offset, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        entries[i] = be64toh(entries[i]);
    return 0;
}

int image_write_table(int fd, const uint64_t *entries, size_t count, uint64_t offset, struct error *err)
{
    uint64_t *swapped = memory_new(count * sizeof *entries + 1);
    for (size_t i = 0; i < count; i++)
        swapped[i] = htobe64(entries[i]);
    int result = image_write(fd, swapped, count * sizeof *entries, offset, err);
    free(swapped);
    return result;
}

/* ---- reading ---- */

static int read_numbers(struct qcow2 *q, const unsigned char *head, struct error *err)
{
    struct qcow2_facts *f = &q->facts;
    f->version = get32(head + 4);
    if (f->version != 2 && f->version != 3)
        return fail(err, ERR_INVALID_ARG, "Unsupported qcow2 version %u", f->version);
    q->bits = get32(head + 20);
    if (q->bits < 9 || q->bits > 21)
        return fail(err, ERR_INVALID_ARG, "Unsupported cluster size: 2^%u", q->bits);
    f->cluster_size = 1u << q->bits;
    f->size = get64(head + 24);
    f->encrypted = get32(head + 32) != 0;
    q->l1_entries = get32(head + 36);
    q->l1_offset = get64(head + 40);
    q->counts_offset = get64(head + 48);
    uint64_t count_bytes = (uint64_t) get32(head + 56) << q->bits;
    q->count_order = 4;
    if (f->version == 3) {
        q->incompatible = get64(head + 72);
        q->compatible = get64(head + 80);
        q->autoclear = get64(head + 88);
        q->count_order = get32(head + 96);
        f->zstd = get32(head + 100) > 104 && (q->incompatible & FEATURE_COMPRESSION) && head[104] == 1;
    }
    if (q->count_order > 6)
        return fail(err, ERR_INVALID_ARG, "Reference count entry width too large; may not exceed 64 bits");
    if (count_bytes / 8 > QCOW2_COUNTS_MAX || !count_bytes)
        return fail(err, ERR_INVALID_ARG, "Image does not contain a reference count table");
    q->counts_entries = (uint32_t) (count_bytes / 8);
    if (q->l1_entries > QCOW2_L1_MAX)
        return fail(err, ERR_INVALID_ARG, "Active L1 table too large");
    if (f->size > INT64_MAX - (1 << 21) || q->l1_entries < qcow2_l1_needed(q, f->size))
        return fail(err, ERR_INVALID_ARG, "L1 table is too small");
    f->refcount_bits = 1u << q->count_order;
    f->dirty = q->incompatible & FEATURE_DIRTY;
    f->corrupt = q->incompatible & FEATURE_CORRUPT;
    f->extended_l2 = q->incompatible & FEATURE_EXTENDED_L2;
    f->lazy_refcounts = q->compatible & 1;
    return 0;
}

static void take_extension(struct qcow2 *q, uint32_t kind, uint32_t length, const char *bytes)
{
    if (kind == (uint32_t) EXTENSION_BACKING_FORMAT) {
        q->facts.backing_format = memory_copy_bytes(bytes, length);
        return;
    }
    if (kind == EXTENSION_DATA_FILE)
        q->facts.data_file = memory_copy_bytes(bytes, length);
    vector_push(&q->extensions,
                ((struct qcow2_extension) { kind, length, memory_copy_bytes(bytes, length) }));
}

/* Behind the header stand extensions, and then the name of the backing file, all in the first cluster. */
static int read_rest(struct qcow2 *q, const unsigned char *head, struct error *err)
{
    uint64_t name_at = get64(head + 8), name_length = get32(head + 16);
    uint32_t at = q->facts.version == 3 ? get32(head + 100) : QCOW2_HEADER_V2;
    if (at < QCOW2_HEADER_V2 || at > q->facts.cluster_size)
        return fail(err, ERR_INVALID_ARG, "qcow2 header exceeds cluster size");
    if (name_at && (name_at > q->facts.cluster_size || name_length > 1023 ||
                    name_at + name_length > q->facts.cluster_size))
        return fail(err, ERR_INVALID_ARG, "Backing file name too long");
    char *cluster = memory_new(q->facts.cluster_size);
    int result = image_read(q->fd, cluster, q->facts.cluster_size, 0, err);
    uint64_t end = name_at ? name_at : q->facts.cluster_size;
    while (result == 0 && at + 8 <= end && get32(cluster + at)) {
        uint32_t length = get32(cluster + at + 4);
        if (length > end - at - 8)
            result = fail(err, ERR_INVALID_ARG, "Header extension too large");
        else
            take_extension(q, get32(cluster + at), length, cluster + at + 8);
        at += 8 + (length + 7) / 8 * 8;
    }
    if (result == 0 && name_at && name_length)
        q->facts.backing = memory_copy_bytes(cluster + name_at, name_length);
    free(cluster);
    return result;
}

static bool in_bounds(const struct qcow2 *q, uint64_t offset)
{
    return offset % q->facts.cluster_size == 0 && offset < 1ull << 56;
}

static int load_tables(struct qcow2 *q, const unsigned char *head, struct error *err)
{
    if (!in_bounds(q, q->l1_offset) || !in_bounds(q, q->counts_offset))
        return fail(err, ERR_INVALID_ARG, "Invalid L1 table offset");
    q->l1 = memory_new(q->l1_entries * sizeof *q->l1 + 1);
    q->counts = memory_new(q->counts_entries * sizeof *q->counts);
    q->l2 = memory_new(q->facts.cluster_size);
    if (image_read_table(q->fd, q->l1, q->l1_entries, q->l1_offset, err) < 0 ||
        image_read_table(q->fd, q->counts, q->counts_entries, q->counts_offset, err) < 0)
        return -1;
    q->snapshots_offset = get64(head + 64);
    return qcow2_load_snapshots(q, get32(head + 60), err);
}

struct qcow2 *qcow2_open(int fd, struct error *err)
{
    unsigned char head[QCOW2_HEADER_V3];
    if (image_read(fd, head, sizeof head, 0, err) < 0)
        return NULL;
    if (get32(head) != QCOW2_MAGIC)
        return fail(err, ERR_INVALID_ARG, "Image is not in qcow2 format"), NULL;
    owned(qcow2) struct qcow2 *q = NEW(struct qcow2);
    q->fd = fd;
    if (read_numbers(q, head, err) < 0 || read_rest(q, head, err) < 0 || load_tables(q, head, err) < 0)
        return NULL;
    return take(q);
}

void qcow2_free(struct qcow2 *q)
{
    if (!q)
        return;
    for (size_t i = 0; i < q->snapshots.count; i++) {
        free(q->snapshots.items[i].id);
        free(q->snapshots.items[i].name);
    }
    for (size_t i = 0; i < q->extensions.count; i++)
        free(q->extensions.items[i].bytes);
    vector_done(&q->snapshots);
    vector_done(&q->extensions);
    free(q->facts.backing);
    free(q->facts.backing_format);
    free(q->facts.data_file);
    free(q->l1);
    free(q->l2);
    free(q->counts);
    free(q);
}

const struct qcow2_facts *qcow2_facts(const struct qcow2 *q)
{
    return &q->facts;
}

/* ---- writing ---- */

static void add_extension(struct buffer *out, uint32_t kind, const char *bytes, size_t length)
{
    static const char padding[8];
    char head[8];
    put32(head, kind);
    put32(head + 4, (uint32_t) length);
    buffer_add(out, head, sizeof head);
    buffer_add(out, bytes, length);
    buffer_add(out, padding, (8 - length % 8) % 8);
}

static void add_numbers(const struct qcow2 *q, struct buffer *out)
{
    bool modern = q->facts.version == 3;
    char head[QCOW2_HEADER_V3] = { 0 };
    put32(head, QCOW2_MAGIC);
    put32(head + 4, q->facts.version);
    put32(head + 20, q->bits);
    put64(head + 24, q->facts.size);
    put32(head + 36, q->l1_entries);
    put64(head + 40, q->l1_offset);
    put64(head + 48, q->counts_offset);
    put32(head + 56, (uint32_t) clusters_of(q, q->counts_entries * 8ull));
    put32(head + 60, (uint32_t) q->snapshots.count);
    put64(head + 64, q->snapshots_offset);
    put64(head + 72, q->incompatible);
    put64(head + 80, q->compatible);
    put64(head + 88, q->autoclear);
    put32(head + 96, q->count_order);
    put32(head + 100, QCOW2_HEADER_V3);
    head[104] = q->facts.zstd;
    buffer_add(out, head, modern ? QCOW2_HEADER_V3 : QCOW2_HEADER_V2);
}

/* Encryption is named by number only where we keep what was there, and we do not write to such images. */
int qcow2_write_header(struct qcow2 *q, struct error *err)
{
    owned_buffer struct buffer out = { 0 };
    const char *backing = q->facts.backing, *format = q->facts.backing_format;
    if (q->facts.encrypted)
        return fail(err, ERR_NO_SUPPORT, "changing an encrypted image is not simulated");
    add_numbers(q, &out);
    if (format)
        add_extension(&out, (uint32_t) EXTENSION_BACKING_FORMAT, format, strlen(format));
    for (size_t i = 0; i < q->extensions.count; i++)
        add_extension(&out, q->extensions.items[i].kind, q->extensions.items[i].bytes,
                      q->extensions.items[i].length);
    add_extension(&out, 0, "", 0);
    if (backing) {
        put64(out.data + 8, out.length);
        put32(out.data + 16, (uint32_t) strlen(backing));
        buffer_add_text(&out, backing);
    }
    if (out.length > q->facts.cluster_size)
        return fail(err, ERR_INVALID_ARG, "qcow2 header exceeds cluster size");
    return image_write(q->fd, out.data, out.length, 0, err);
}

int qcow2_set_backing(struct qcow2 *q, const char *file, const char *format, struct error *err)
{
    char *new_file = memory_copy_text(file), *new_format = memory_copy_text(format);
    free(q->facts.backing);
    free(q->facts.backing_format);
    q->facts.backing = new_file;
    q->facts.backing_format = new_format;
    return qcow2_write_header(q, err);
}
