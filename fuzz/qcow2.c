/* SPDX-License-Identifier: Apache-2.0 */
/* What a qcow2 image may hold: it is read, written, given a snapshot, cut and opened again, and all of that
 * ends.  The input is the image's first bytes; what they point at behind it is empty. */
#include "simvmm/qcow2.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { LENGTH_MAX = 1 << 20, LOOKS = 64 };

static void on_bitmap(void *arg, const struct qcow2_bitmap *b)
{
    size_t *count = arg;
    *count += strlen(b->name) + 1;
}

static void look(struct qcow2 *q)
{
    uint64_t size = qcow2_facts(q)->size, at = 0, length = 0;
    char piece[512];
    for (int i = 0; i < LOOKS && at < size; i++, at += length) {
        error_scope(err);
        enum extent kind;
        if (qcow2_extent(q, at, size - at, &kind, &length, &err) < 0)
            return;
        if (!length || length > size - at)
            abort();
        if (kind == EXTENT_DATA)
            (void) qcow2_read(q, at, piece, length < sizeof piece ? length : sizeof piece, &err);
    }
}

static void change(struct qcow2 *q)
{
    error_scope(err);
    char *cluster = memory_new(qcow2_facts(q)->cluster_size);
    struct qcow2_snapshot about = { .name = (char *) "fuzz" };
    size_t named = 0;
    (void) qcow2_load_bitmaps(q, on_bitmap, &named, &err);
    (void) qcow2_write_cluster(q, 0, cluster, &err);
    (void) qcow2_snapshot_add(q, &about, &err);
    (void) qcow2_write_cluster(q, 0, cluster, &err);
    (void) qcow2_zero_cluster(q, qcow2_facts(q)->cluster_size, &err);
    if (qcow2_snapshot_count(q))
        (void) qcow2_snapshot_remove(q, qcow2_snapshot_at(q, 0), &err);
    (void) qcow2_store_bitmaps(q, NULL, 0, &err);
    (void) qcow2_set_backing(q, "/below", "raw", &err);
    free(cluster);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    error_scope(err);
    owned_fd int fd = memfd_create("image", MFD_CLOEXEC);
    if (length > LENGTH_MAX || fd < 0 || write(fd, bytes, length) < 0)
        return 0;
    owned(qcow2) struct qcow2 *q = qcow2_open(fd, &err);
    if (!q)
        return 0;
    look(q);
    change(q);
    look(q);
    return 0;
}
