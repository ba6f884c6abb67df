/* SPDX-License-Identifier: Apache-2.0 */
/* Internal snapshots: copies of the L1 table, whose clusters are then counted once more. */
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/text.h"
#include "simvmm/qcow2_private.h"

enum { ENTRY = 40, EXTRA = 24, NAME_MAX_BYTES = 1024, TABLE_MAX = 16 << 20 };

unsigned qcow2_snapshot_count(const struct qcow2 *q)
{
    return (unsigned) q->snapshots.count;
}

const struct qcow2_snapshot *qcow2_snapshot_at(const struct qcow2 *q, unsigned index)
{
    return &q->snapshots.items[index];
}

const struct qcow2_snapshot *qcow2_snapshot_find(const struct qcow2 *q, const char *id, const char *name)
{
    for (size_t i = 0; i < q->snapshots.count; i++) {
        const struct qcow2_snapshot *s = &q->snapshots.items[i];
        if ((!id || text_equal(s->id, id)) && (!name || text_equal(s->name, name)))
            return s;
    }
    return NULL;
}

/* ---- the table in the file ---- */

static int load_one(struct qcow2 *q, uint64_t *at, struct error *err)
{
    unsigned char head[ENTRY], extra[EXTRA] = { 0 };
    if (image_read(q->fd, head, sizeof head, *at, err) < 0)
        return -1;
    unsigned id_length = head[12] << 8 | head[13], name_length = head[14] << 8 | head[15];
    uint32_t extra_length = get32(head + 36);
    if (extra_length > 1024 || id_length > NAME_MAX_BYTES || name_length > NAME_MAX_BYTES)
        return fail(err, ERR_INVALID_ARG, "Snapshot table entry is too large");
    struct qcow2_snapshot s = { .l1_offset = get64(head),
                                .l1_entries = get32(head + 8),
                                .seconds = get32(head + 16),
                                .nanoseconds = get32(head + 20),
                                .clock_ns = get64(head + 24),
                                .state_size = get32(head + 32),
                                .size = q->facts.size,
                                .icount = UINT64_MAX };
    if (s.l1_entries > QCOW2_L1_MAX)
        return fail(err, ERR_INVALID_ARG, "Snapshot L1 table too large");
    char names[2 * NAME_MAX_BYTES];
    if (image_read(q->fd, extra, extra_length < EXTRA ? extra_length : EXTRA, *at + ENTRY, err) < 0 ||
        image_read(q->fd, names, id_length + name_length, *at + ENTRY + extra_length, err) < 0)
        return -1;
    if (extra_length >= 8)
        s.state_size = get64(extra);
    if (extra_length >= 16)
        s.size = get64(extra + 8);
    if (extra_length >= 24)
        s.icount = get64(extra + 16);
    s.id = memory_copy_bytes(names, id_length);
    s.name = memory_copy_bytes(names + id_length, name_length);
    vector_push(&q->snapshots, s);
    *at += (ENTRY + extra_length + id_length + name_length + 7) / 8 * 8;
    return 0;
}

int qcow2_load_snapshots(struct qcow2 *q, uint32_t count, struct error *err)
{
    uint64_t at = q->snapshots_offset;
    if (count > QCOW2_SNAPSHOTS_MAX)
        return fail(err, ERR_INVALID_ARG, "Too many snapshots");
    for (uint32_t i = 0; i < count; i++)
        if (load_one(q, &at, err) < 0)
            return -1;
    return 0;
}

static void add_entry(struct buffer *out, const struct qcow2_snapshot *s)
{
    static const char padding[8];
    unsigned char head[ENTRY + EXTRA] = { 0 };
    put64(head, s->l1_offset);
    put32(head + 8, s->l1_entries);
    put32(head + 12, (uint32_t) (strlen(s->id) << 16 | strlen(s->name)));
    put32(head + 16, s->seconds);
    put32(head + 20, s->nanoseconds);
    put64(head + 24, s->clock_ns);
    put32(head + 32, s->state_size > UINT32_MAX ? 0 : (uint32_t) s->state_size);
    put32(head + 36, EXTRA);
    put64(head + ENTRY, s->state_size);
    put64(head + ENTRY + 8, s->size);
    put64(head + ENTRY + 16, s->icount);
    buffer_add(out, head, sizeof head);
    buffer_add_text(out, s->id);
    buffer_add_text(out, s->name);
    buffer_add(out, padding, (8 - out->length % 8) % 8);
}

static uint64_t table_size(const struct qcow2 *q)
{
    owned_buffer struct buffer out = { 0 };
    for (size_t i = 0; i < q->snapshots.count; i++)
        add_entry(&out, &q->snapshots.items[i]);
    return out.length;
}

/* The new table is whole before the header names it. */
static int save_table(struct qcow2 *q, uint64_t old_size, struct error *err)
{
    owned_buffer struct buffer out = { 0 };
    uint64_t old = q->snapshots_offset, fresh = 0;
    for (size_t i = 0; i < q->snapshots.count; i++)
        add_entry(&out, &q->snapshots.items[i]);
    if (out.length > TABLE_MAX)
        return fail(err, ERR_INVALID_ARG, "Too many snapshots");
    if (out.length && (clusters_take(q, clusters_of(q, out.length), &fresh, err) < 0 ||
                       image_write(q->fd, out.data, out.length, fresh, err) < 0))
        return -1;
    q->snapshots_offset = fresh;
    if (qcow2_write_header(q, err) < 0)
        return -1;
    return old_size ? clusters_add(q, old, old_size, -1, err) : 0;
}

/* ---- counting ---- */

/* Counts all that one L2 table names, and says in each entry whether its cluster may be written in place. */
static int count_table(struct qcow2 *q, uint64_t table, int users, bool active, struct error *err)
{
    if (qcow2_load_l2(q, table, err) < 0)
        return -1;
    for (unsigned i = 0; i < q->facts.cluster_size / 8; i++) {
        uint64_t entry = q->l2[i], count, at = entry & QCOW2_OFFSET;
        if (entry & QCOW2_COMPRESSED)
            return fail(err, ERR_NO_SUPPORT, "snapshots of compressed clusters are not simulated");
        if (!at)
            continue;
        if ((users && clusters_add(q, at, 1, users, err) < 0) || cluster_count(q, at, &count, err) < 0)
            return -1;
        if (active)
            q->l2[i] = (entry & ~QCOW2_COPIED) | (count == 1 ? QCOW2_COPIED : 0);
    }
    return active ? image_write_table(q->fd, q->l2, q->facts.cluster_size / 8, table, err) : 0;
}

/* The same for all that a L1 table names; `active`: it is the image's own, not a snapshot's. */
static int count_all(struct qcow2 *q, uint64_t *l1, uint32_t entries, int users, bool active,
                     struct error *err)
{
    off_t end = lseek(q->fd, 0, SEEK_END);
    uint64_t tables = 0, most = clusters_of(q, end > 0 ? (uint64_t) end : 0);
    for (uint32_t i = 0; i < entries; i++) {
        uint64_t table = l1[i] & QCOW2_OFFSET, count;
        if (!table)
            continue;
        if (++tables > most)
            return fail(err, ERR_INVALID_ARG, "The image is corrupt: it has more tables than clusters");
        if (count_table(q, table, users, active, err) < 0 ||
            (users && clusters_add(q, table, 1, users, err) < 0) || cluster_count(q, table, &count, err) < 0)
            return -1;
        l1[i] = table | (active && count == 1 ? QCOW2_COPIED : 0);
    }
    return active ? image_write_table(q->fd, l1, entries, q->l1_offset, err) : 0;
}

/* ---- the three operations ---- */

static char *next_id(const struct qcow2 *q)
{
    unsigned long most = 0;
    for (size_t i = 0; i < q->snapshots.count; i++) {
        unsigned long id = strtoul(q->snapshots.items[i].id, NULL, 10);
        most = id > most ? id : most;
    }
    return memory_printf("%lu", most + 1);
}

int qcow2_snapshot_add(struct qcow2 *q, const struct qcow2_snapshot *about, struct error *err)
{
    uint64_t old_size = table_size(q);
    struct qcow2_snapshot s = *about;
    if (q->snapshots.count == QCOW2_SNAPSHOTS_MAX || strlen(about->name) >= 256)
        return fail(err, ERR_INVALID_ARG, "Too many snapshots");
    s.l1_entries = q->l1_entries;
    s.size = q->facts.size;
    if (clusters_take(q, clusters_of(q, s.l1_entries * 8ull), &s.l1_offset, err) < 0 ||
        count_all(q, q->l1, q->l1_entries, 1, true, err) < 0 ||
        image_write_table(q->fd, q->l1, q->l1_entries, s.l1_offset, err) < 0)
        return -1;
    s.id = next_id(q);
    s.name = memory_copy_text(about->name);
    vector_push(&q->snapshots, s);
    return save_table(q, old_size, err);
}

static uint64_t *load_l1(struct qcow2 *q, const struct qcow2_snapshot *s, struct error *err)
{
    uint64_t *l1 = memory_new(s->l1_entries * sizeof *l1 + 1);
    if (image_read_table(q->fd, l1, s->l1_entries, s->l1_offset, err) == 0)
        return l1;
    free(l1);
    return NULL;
}

/* What the snapshot names is counted before what is now the image's is let go. */
int qcow2_snapshot_apply(struct qcow2 *q, const struct qcow2_snapshot *s, struct error *err)
{
    if (s->l1_entries > q->l1_entries && qcow2_resize(q, s->size, err) < 0)
        return -1;
    uint64_t *l1 = load_l1(q, s, err), *old = q->l1;
    if (!l1)
        return -1;
    q->l1 = memory_new(q->l1_entries * sizeof *l1 + 1);
    memcpy(q->l1, l1, s->l1_entries * sizeof *l1);
    q->facts.size = s->size;
    int result = count_all(q, l1, s->l1_entries, 1, false, err) < 0 ||
                         count_all(q, old, q->l1_entries, -1, false, err) < 0 ||
                         count_all(q, q->l1, q->l1_entries, 0, true, err) < 0 ||
                         qcow2_write_header(q, err) < 0
                     ? -1
                     : 0;
    free(l1);
    free(old);
    return result;
}

int qcow2_snapshot_remove(struct qcow2 *q, const struct qcow2_snapshot *s, struct error *err)
{
    uint64_t old_size = table_size(q);
    uint64_t *l1 = load_l1(q, s, err);
    struct qcow2_snapshot gone = *s;
    if (!l1)
        return -1;
    vector_remove(&q->snapshots, (size_t) (s - q->snapshots.items));
    int result = save_table(q, old_size, err) < 0 || count_all(q, l1, gone.l1_entries, -1, false, err) < 0 ||
                         clusters_add(q, gone.l1_offset, gone.l1_entries * 8ull, -1, err) < 0 ||
                         count_all(q, q->l1, q->l1_entries, 0, true, err) < 0
                     ? -1
                     : 0;
    free(l1);
    free(gone.id);
    free(gone.name);
    return result;
}
