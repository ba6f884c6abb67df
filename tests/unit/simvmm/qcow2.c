/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/qcow2.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"

static int new_file(void)
{
    int fd = memfd_create("image", MFD_CLOEXEC);
    cr_assert(fd >= 0);
    return fd;
}

static struct qcow2 *new_image(int fd, const struct qcow2_plan *plan)
{
    error_scope(err);
    cr_assert_eq(qcow2_create(fd, plan, &err), 0, "%s", error_text(&err));
    struct qcow2 *q = qcow2_open(fd, &err);
    cr_assert(q, "%s", error_text(&err));
    return q;
}

static unsigned char byte_at(struct qcow2 *q, uint64_t offset, enum extent *ret_kind)
{
    error_scope(err);
    uint64_t length;
    unsigned char byte = 0;
    cr_assert_eq(qcow2_extent(q, offset, 1, ret_kind, &length, &err), 0, "%s", error_text(&err));
    if (*ret_kind == EXTENT_DATA)
        cr_assert_eq(qcow2_read(q, offset, &byte, 1, &err), 0, "%s", error_text(&err));
    return byte;
}

static void write_cluster(struct qcow2 *q, uint64_t offset, unsigned char byte)
{
    error_scope(err);
    unsigned size = qcow2_facts(q)->cluster_size;
    char *bytes = malloc(size);
    memset(bytes, byte, size);
    cr_assert_eq(qcow2_write_cluster(q, offset, bytes, &err), 0, "%s", error_text(&err));
    free(bytes);
}

Test(qcow2, an_image_tells_what_it_was_made_with)
{
    owned_fd int fd = new_file();
    struct qcow2_plan plan = qcow2_plan_default;
    plan.size = 1 << 30;
    plan.cluster_size = 4096;
    plan.lazy_refcounts = true;
    plan.backing = "/below.img";
    plan.backing_format = "raw";
    owned(qcow2) struct qcow2 *q = new_image(fd, &plan);
    const struct qcow2_facts *f = qcow2_facts(q);
    cr_assert_eq(f->size, 1u << 30);
    cr_assert_eq(f->cluster_size, 4096);
    cr_assert(f->lazy_refcounts && f->version == 3 && f->refcount_bits == 16);
    cr_assert_str_eq(f->backing, "/below.img");
    cr_assert_str_eq(f->backing_format, "raw");
}

Test(qcow2, what_was_written_is_read_by_whoever_opens_it_next)
{
    owned_fd int fd = new_file();
    struct qcow2_plan plan = qcow2_plan_default;
    plan.size = 64 << 20;
    plan.cluster_size = 512; /* many tables, and blocks of counts that must be added */
    struct qcow2 *q = new_image(fd, &plan);
    for (unsigned i = 0; i < 2000; i++)
        write_cluster(q, i * 32 * 512ull, (unsigned char) (i % 251));
    qcow2_free(q);
    error_scope(err);
    q = qcow2_open(fd, &err);
    cr_assert(q, "%s", error_text(&err));
    enum extent kind;
    for (unsigned i = 0; i < 2000; i++)
        cr_assert_eq(byte_at(q, i * 32 * 512ull + 17, &kind), i % 251, "cluster %u", i);
    byte_at(q, 512, &kind);
    cr_assert_eq(kind, EXTENT_ABSENT);
    qcow2_free(q);
}

/* A run that is longer than what one block of counts tells of. */
Test(qcow2, a_table_may_need_many_clusters_in_a_row)
{
    owned_fd int fd = new_file();
    struct qcow2_plan plan = qcow2_plan_default;
    plan.size = 1 << 20;
    plan.cluster_size = 512;
    owned(qcow2) struct qcow2 *q = new_image(fd, &plan);
    error_scope(err);
    enum extent kind;
    cr_assert_eq(qcow2_resize(q, 2ull << 30, &err), 0, "%s", error_text(&err));
    write_cluster(q, (2ull << 30) - 512, 5);
    cr_assert_eq(byte_at(q, (2ull << 30) - 1, &kind), 5);
    cr_assert_lt(lseek(fd, 0, SEEK_END), 2 << 20);
}

Test(qcow2, a_snapshot_keeps_what_was_and_can_be_gone_back_to)
{
    owned_fd int fd = new_file();
    struct qcow2_plan plan = qcow2_plan_default;
    plan.size = 1 << 20;
    owned(qcow2) struct qcow2 *q = new_image(fd, &plan);
    error_scope(err);
    enum extent kind;
    write_cluster(q, 0, 1);
    struct qcow2_snapshot about = { .name = (char *) "before", .state_size = 5, .icount = UINT64_MAX };
    cr_assert_eq(qcow2_snapshot_add(q, &about, &err), 0, "%s", error_text(&err));
    write_cluster(q, 0, 2);
    cr_assert_eq(byte_at(q, 0, &kind), 2);
    const struct qcow2_snapshot *s = qcow2_snapshot_find(q, NULL, "before");
    cr_assert(s && text_equal(s->id, "1") && s->size == 1 << 20);
    cr_assert_eq(qcow2_snapshot_apply(q, s, &err), 0, "%s", error_text(&err));
    cr_assert_eq(byte_at(q, 0, &kind), 1);
    cr_assert_eq(qcow2_snapshot_remove(q, s, &err), 0, "%s", error_text(&err));
    cr_assert_eq(qcow2_snapshot_count(q), 0);
    write_cluster(q, 0, 3);
    cr_assert_eq(byte_at(q, 0, &kind), 3);
}

Test(qcow2, a_shorter_image_forgets_its_tail)
{
    owned_fd int fd = new_file();
    struct qcow2_plan plan = qcow2_plan_default;
    plan.size = 1 << 20;
    owned(qcow2) struct qcow2 *q = new_image(fd, &plan);
    error_scope(err);
    enum extent kind;
    write_cluster(q, 15 << 16, 9);
    cr_assert_eq(qcow2_resize(q, 1 << 19, &err), 0, "%s", error_text(&err));
    cr_assert_eq(qcow2_resize(q, 1ull << 40, &err), 0, "%s", error_text(&err));
    byte_at(q, 15 << 16, &kind);
    cr_assert_eq(kind, EXTENT_ABSENT);
    write_cluster(q, (1ull << 40) - 65536, 7);
    cr_assert_eq(byte_at(q, (1ull << 40) - 1, &kind), 7);
}

/* Headers that lie about sizes, places and lengths must be refused, and never be believed. */
Test(qcow2, hostile_headers_are_refused)
{
    static const struct {
        unsigned at, length;
        const char *bytes;
        const char *word;
    } lies[] = {
        { 0, 4, "QFI\xfc", "not in qcow2" },
        { 4, 4, "\0\0\0\x09", "version 9" },
        { 20, 4, "\0\0\0\x3f", "cluster size" },
        { 20, 4, "\0\0\0\x00", "cluster size" },
        { 24, 8, "\x7f\xff\xff\xff\xff\xff\xff\xff", "L1 table" },
        { 36, 4, "\xff\xff\xff\xff", "L1 table too large" },
        { 40, 8, "\xff\xff\xff\xff\xff\xff\xff\xff", "L1 table offset" },
        { 56, 4, "\xff\xff\xff\xff", "reference count table" },
        { 60, 4, "\xff\xff\xff\xff", "Too many snapshots" },
        { 96, 4, "\0\0\0\x08", "Reference count entry" },
        { 100, 4, "\xff\xff\xff\xff", "header exceeds" },
        { 16, 4, "\xff\xff\xff\xff", "Backing file name" },
    };
    struct qcow2_plan plan = qcow2_plan_default;
    plan.size = 1 << 20;
    plan.backing = "/below";
    for (size_t i = 0; i < ARRAY_COUNT(lies); i++) {
        owned_fd int fd = new_file();
        error_scope(err);
        cr_assert_eq(qcow2_create(fd, &plan, &err), 0);
        cr_assert_eq(pwrite(fd, lies[i].bytes, lies[i].length, lies[i].at), (ssize_t) lies[i].length);
        struct qcow2 *q = qcow2_open(fd, &err);
        cr_assert_null(q, "lie %zu was believed", i);
        cr_assert(strstr(error_text(&err), lies[i].word), "lie %zu: %s", i, error_text(&err));
    }
}

Test(qcow2, plans_that_qemu_refuses_are_refused)
{
    struct qcow2_plan odd = qcow2_plan_default, uneven = odd, lazy = odd;
    odd.cluster_size = 1000;
    uneven.size = 1000001;
    lazy.version = 2;
    lazy.lazy_refcounts = true;
    const struct {
        const struct qcow2_plan *plan;
        const char *word;
    } plans[] = {
        { &odd, "power of two" },
        { &uneven, "multiple of 512" },
        { &lazy, "Lazy refcounts" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(plans); i++) {
        owned_fd int fd = new_file();
        error_scope(err);
        cr_assert_eq(qcow2_create(fd, plans[i].plan, &err), -1);
        cr_assert(strstr(error_text(&err), plans[i].word), "%s", error_text(&err));
    }
}

static void count_bits(void *arg, const struct qcow2_bitmap *b)
{
    unsigned *found = arg;
    cr_assert_str_eq(b->name, "since monday");
    cr_assert_eq(b->granularity, 65536);
    cr_assert(b->recording && !b->inconsistent);
    *found += b->bits[2] == 0x10;
}

Test(qcow2, bitmaps_are_found_again_and_their_clusters_given_back)
{
    owned_fd int fd = new_file();
    struct qcow2_plan plan = qcow2_plan_default;
    plan.size = 16 << 20;
    owned(qcow2) struct qcow2 *q = new_image(fd, &plan);
    error_scope(err);
    unsigned char bits[64] = { [2] = 0x10 };
    struct qcow2_bitmap b = {
        .name = (char *) "since monday", .granularity = 65536, .recording = true, .bits = bits
    };
    cr_assert_eq(qcow2_store_bitmaps(q, &b, 1, &err), 0, "%s", error_text(&err));
    qcow2_free(take(q));
    q = qcow2_open(fd, &err);
    cr_assert(q, "%s", error_text(&err));
    unsigned found = 0;
    cr_assert_eq(qcow2_load_bitmaps(q, count_bits, &found, &err), 0, "%s", error_text(&err));
    cr_assert_eq(found, 1);
    off_t before = lseek(fd, 0, SEEK_END);
    cr_assert_eq(qcow2_store_bitmaps(q, NULL, 0, &err), 0, "%s", error_text(&err));
    cr_assert_eq(qcow2_store_bitmaps(q, &b, 1, &err), 0, "%s", error_text(&err));
    cr_assert_eq(lseek(fd, 0, SEEK_END), before, "what was freed is used again");
}
