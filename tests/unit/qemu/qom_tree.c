/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_tree.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <string.h>

#include "loop/loop.h"
#include "loop/stream.h"
#include "qemu/qom_compare.h"
#include "qemu/qom_memory.h"
#include "qom_files.h"
#include "qom_vmm.h"

static struct peer_tree tree;
static struct vmm_peer vmm;
static char folder[] = "/tmp/qom-tree-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *where)
{
    return remove(path);
}

static void setup(void)
{
    cr_assert_not_null(mkdtemp(folder));
    load_small(&tree);
}

static void teardown(void)
{
    peer_done(&tree);
    qom_memory_done();
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TestSuite(qom_tree, .init = setup, .fini = teardown);

static void in_fiber(void *arg)
{
    void (*body)(void) = arg;
    vmm_peer_open(&vmm, &tree);
    body();
    vmm_peer_close(&vmm);
}

static void run(void (*body)(void))
{
    loop_init();
    fiber_start(in_fiber, body);
    loop_run();
    cr_assert_eq(fiber_count(), 0);
    loop_done();
}

/* A few turns of the loop: on a busy machine a sleep may end after the first of them, however long it is. */
WAITS static void settle(void)
{
    error_scope(err);
    await_sleep(20, &err);
    for (int i = 0; i < 20; i++)
        await_sleep(0, &err);
}

/* Waits for what takes its time; the caller looks whether it came. */
WAITS static void settle_until(const unsigned *what, unsigned value)
{
    for (int i = 0; i < 500 && *what < value; i++)
        settle();
    settle();
}

/* Until nothing goes on beside the test: a plan is on disk then. */
WAITS static void settle_alone(void)
{
    for (int i = 0; i < 500 && fiber_count() > 1; i++)
        settle();
}

static struct qom_tree *new_tree(void)
{
    static const char *const argv[] = { "qemu", "-machine", "pc", NULL };
    return qom_tree_new(vmm.monitor, QOM_HAS_LIST_GETV, folder, "the key", argv);
}

static void read_tree(struct qom_tree *t, bool refresh, const char *plan, size_t calls)
{
    error_scope(err);
    const struct qom_store *store = qom_tree_read(t, refresh, &err);
    cr_assert_not_null(store, "%s", error_text(&err));
    owned(qom_store) struct qom_store *reference = peer_walk(&tree);
    cr_assert_eq(qom_compare(store, reference, NULL, 0), 0);
    cr_assert_eq(store, qom_tree_kept(t));
    cr_assert_str_eq(qom_tree_stats(t)->plan, plan);
    cr_assert_eq(qom_tree_stats(t)->calls, calls);
}

static void two_starts(void)
{
    owned(qom_tree) struct qom_tree *first = new_tree();
    cr_assert_null(qom_tree_kept(first));
    cr_assert_null(qom_tree_stats(first));
    qom_tree_begin(first);
    read_tree(first, false, "cold", 2);
    unsigned calls = vmm.calls;
    read_tree(first, false, "cold", 2);
    cr_assert_eq(vmm.calls, calls, "a kept tree asks nobody");
    read_tree(first, true, "warm", 1);
    read_tree(first, true, "warm", 1);
    owned(qom_tree) struct qom_tree *second = new_tree();
    read_tree(second, false, "warm", 1);
}

Test(qom_tree, the_second_start_takes_one_call)
{
    run(two_starts);
}

static const char vapic[] =
    "{\"path\":\"/machine/vapic\",\"type\":\"rom\",\"props\":[[\"type\",\"string\",\"rom\"]]}";

static void learns(void)
{
    owned(qom_tree) struct qom_tree *first = new_tree();
    qom_tree_begin(first);
    read_tree(first, false, "cold", 2);
    peer_add(&tree, vapic);             /* the guest boots */
    read_tree(first, true, "repaired", 2);
    read_tree(first, true, "warm", 1);
    owned(qom_tree) struct qom_tree *found_again = new_tree();
    qom_tree_begin_later(found_again);
    read_tree(found_again, false, "repaired", 2);
    read_tree(found_again, true, "warm", 1);
    peer_remove(&tree, "/machine/vapic");
    owned(qom_tree) struct qom_tree *second = new_tree();
    qom_tree_begin(second);
    read_tree(second, false, "warm", 1);
}

Test(qom_tree, what_a_guest_becomes_later_does_not_spoil_the_plan_for_starts)
{
    run(learns);
}

static void relearns(void)
{
    owned(qom_tree) struct qom_tree *first = new_tree();
    qom_tree_begin(first);
    read_tree(first, false, "cold", 2);
    settle_alone();
    peer_remove(&tree, "/machine/peripheral/disk0");
    owned(qom_tree) struct qom_tree *second = new_tree();
    qom_tree_begin(second);
    read_tree(second, false, "repaired", 2);
    settle_alone();
    owned(qom_tree) struct qom_tree *third = new_tree();
    qom_tree_begin(third);
    read_tree(third, false, "warm", 1);
}

Test(qom_tree, a_start_that_was_repaired_is_remembered)
{
    run(relearns);
}

static struct qom_tree *shared;
static unsigned readers_done;

static void reader(void *arg)
{
    read_tree(shared, arg != NULL, arg ? "warm" : "cold", arg ? 1 : 2);
    readers_done++;
}

static void many(void)
{
    shared = new_tree();
    for (int i = 0; i < 50; i++)
        fiber_start(reader, NULL);
    read_tree(shared, false, "cold", 2);
    cr_assert_eq(vmm.calls, 2, "one pull for all");
    settle_until(&readers_done, 50);
    cr_assert_eq(readers_done, 50);
    for (int i = 0; i < 50; i++)
        fiber_start(reader, (void *) 1);
    settle_until(&readers_done, 100);
    cr_assert_eq(readers_done, 100);
    cr_assert_leq(vmm.calls, 4, "those who want a newer one share it too: %u", vmm.calls);
    qom_tree_free(shared);
}

Test(qom_tree, readers_share_a_pull)
{
    run(many);
}

static void orphan(void *arg)
{
    error_scope(err);
    cr_assert_null(qom_tree_read(shared, false, &err));
    cr_assert_not_null(strstr(error_text(&err), "gone"), "%s", error_text(&err));
    readers_done++;
}

static void freed(void)
{
    vmm.hold = true;
    shared = new_tree();
    qom_tree_begin(shared);
    fiber_start(orphan, NULL);
    settle_until(&vmm.calls, 1);
    qom_tree_free(shared);
    vmm_peer_release(&vmm);             /* the answer comes after all */
    settle_until(&readers_done, 1);
    cr_assert_eq(readers_done, 1);
    cr_assert_eq(vmm.calls, 1, "and nothing more is asked");
}

Test(qom_tree, may_be_freed_under_its_readers)
{
    run(freed);
}

static void dies(void)
{
    vmm.mute = true;
    monitor_set_timeout(vmm.monitor, 50);
    owned(qom_tree) struct qom_tree *t = new_tree();
    error_scope(err);
    cr_assert_null(qom_tree_read(t, false, &err));
    cr_assert_not_null(strstr(error_text(&err), "human-monitor-command"), "%s", error_text(&err));
    cr_assert_null(qom_tree_kept(t));
    cr_assert_null(qom_tree_read(t, false, &err));
}

Test(qom_tree, a_failed_pull_is_told_to_each_reader)
{
    run(dies);
}

static void queued(void)
{
    enum { TREES = QOM_BACKGROUND_MAX + 3 };
    struct qom_tree *trees[TREES];
    error_scope(err);
    vmm.hold = true;
    for (int i = 0; i < TREES; i++)
        qom_tree_begin_later(trees[i] = new_tree());
    settle_until(&vmm.calls, QOM_BACKGROUND_MAX);
    cr_assert_eq(vmm.calls, QOM_BACKGROUND_MAX);
    qom_tree_begin(trees[TREES - 1]);   /* somebody asks for the last one */
    settle_until(&vmm.calls, QOM_BACKGROUND_MAX + 1);
    cr_assert_eq(vmm.calls, QOM_BACKGROUND_MAX + 1);
    qom_tree_free(trees[TREES - 2]);    /* and one that is still in the queue goes */
    trees[TREES - 2] = NULL;
    vmm_peer_release(&vmm);
    for (int i = 0; i < TREES; i++)
        if (trees[i])
            cr_assert_not_null(qom_tree_read(trees[i], false, &err), "%d: %s", i, error_text(&err));
    for (int i = 0; i < TREES; i++)
        qom_tree_free(trees[i]);
}

Test(qom_tree, background_pulls_queue_and_wanted_ones_do_not)
{
    run(queued);
}
