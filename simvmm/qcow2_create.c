/* SPDX-License-Identifier: Apache-2.0 */
/* An empty image: header, refcount table and block, L1 table, one behind the other. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "simvmm/qcow2_private.h"

const struct qcow2_plan qcow2_plan_default = { .version = 3, .cluster_size = 65536, .refcount_bits = 16 };

static int check_plan(const struct qcow2_plan *plan, struct error *err)
{
    unsigned c = plan->cluster_size, r = plan->refcount_bits;
    if (c < 512 || c > 2 << 20 || (c & (c - 1)))
        return fail(err, ERR_INVALID_ARG, "Cluster size must be a power of two between 512 and 2048k");
    if (r < 1 || r > 64 || (r & (r - 1)))
        return fail(err, ERR_INVALID_ARG, "Refcount width must be a power of two and may not exceed 64 bits");
    if (plan->size % 512)
        return fail(err, ERR_INVALID_ARG, "Image size must be a multiple of 512 bytes");
    if (plan->version < 3 && plan->lazy_refcounts)
        return fail(err, ERR_INVALID_ARG,
                    "Lazy refcounts only supported with compatibility level 1.1 and above "
                    "(use version=v3 or greater)");
    if (plan->version < 3 && r != 16)
        return fail(err, ERR_INVALID_ARG,
                    "Different refcount widths than 16 bits require compatibility level 1.1 or "
                    "above (use version=v3 or greater)");
    if (plan->preallocate && plan->backing)
        return fail(err, ERR_INVALID_ARG,
                    "Backing file and preallocation can only be used at the same time if extended_l2 is on");
    return 0;
}

static unsigned log2_of(unsigned power)
{
    return (unsigned) __builtin_ctz(power);
}

/* Header, table and block of counts are counted before there is an L1 table. */
static int begin(struct qcow2 *q, struct error *err)
{
    q->counts_offset = q->facts.cluster_size;
    q->counts_entries = q->facts.cluster_size / 8;
    q->counts = memory_new(q->facts.cluster_size);
    q->l2 = memory_new(q->facts.cluster_size);
    q->counts[0] = 2ull * q->facts.cluster_size;
    if (ftruncate(q->fd, 0) < 0 || ftruncate(q->fd, 3ll * q->facts.cluster_size) < 0)
        return fail(err, ERR_INVALID_ARG, "Could not resize the image: %s", strerror(errno));
    if (image_write_table(q->fd, q->counts, q->counts_entries, q->counts_offset, err) < 0)
        return -1;
    return clusters_add(q, 0, 3ull * q->facts.cluster_size, 1, err);
}

/* The table is written in whole sectors, and the rest of its cluster is not yet in the file. */
static int add_l1(struct qcow2 *q, struct error *err)
{
    uint64_t bytes = q->l1_entries * 8ull;
    q->l1 = memory_new(bytes + 1);
    if (clusters_take(q, bytes ? clusters_of(q, bytes) : 1, &q->l1_offset, err) < 0)
        return -1;
    if (ftruncate(q->fd, (off_t) (q->l1_offset + (bytes + 511) / 512 * 512)) < 0)
        return fail(err, ERR_INVALID_ARG, "Could not resize the image: %s", strerror(errno));
    return 0;
}

static int preallocate(struct qcow2 *q, struct error *err)
{
    char *zeroes = memory_new(q->facts.cluster_size);
    int result = 0;
    for (uint64_t at = 0; result == 0 && at < q->facts.size; at += q->facts.cluster_size)
        result = qcow2_write_cluster(q, at, zeroes, err);
    free(zeroes);
    return result;
}

int qcow2_create(int fd, const struct qcow2_plan *plan, struct error *err)
{
    if (check_plan(plan, err) < 0)
        return -1;
    owned(qcow2) struct qcow2 *q = NEW(struct qcow2);
    q->fd = fd;
    q->bits = log2_of(plan->cluster_size);
    q->count_order = log2_of(plan->refcount_bits);
    q->compatible = plan->lazy_refcounts;
    q->facts = (struct qcow2_facts) { .size = plan->size,
                                      .version = plan->version,
                                      .cluster_size = plan->cluster_size,
                                      .backing = memory_copy_text(plan->backing),
                                      .backing_format = memory_copy_text(plan->backing_format) };
    if (plan->size > (uint64_t) QCOW2_L1_MAX << (2 * q->bits - 3))
        return fail(err, ERR_INVALID_ARG, "Image size is too large for this cluster size");
    q->l1_entries = qcow2_l1_needed(q, plan->size);
    if (begin(q, err) < 0 || add_l1(q, err) < 0 || qcow2_write_header(q, err) < 0)
        return -1;
    return plan->preallocate ? preallocate(q, err) : 0;
}
