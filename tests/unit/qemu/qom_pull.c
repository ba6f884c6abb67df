/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_pull.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "qemu/qom_compare.h"
#include "qom_files.h"
#include "qom_vmm.h"

enum { GETV = QOM_HAS_LIST_GETV, GET = QOM_HAS_LIST_GET, TREE = QOM_HAS_TREE_GET };

static struct peer_tree tree;
static struct vmm_peer vmm;

static void in_fiber(void *arg)
{
    void (*body)(void) = arg;
    vmm_peer_open(&vmm, &tree);
    body();
    vmm_peer_close(&vmm);
}

/* Runs the body on a fiber, with the peer's tree loaded. */
static void run(void (*body)(void))
{
    loop_init();
    fiber_start(in_fiber, body);
    loop_run();
    cr_assert_eq(fiber_count(), 0);
    loop_done();
    peer_done(&tree);
}

static struct qom_plan *learn(void)
{
    owned(qom_store) struct qom_store *store = peer_walk(&tree);
    return qom_plan_make(store, "key", NULL);
}

/* Pulls, and compares with the reference walk of what the peer holds now. */
static struct qom_stats pull(unsigned commands, const struct qom_plan *plan)
{
    struct qom_stats stats;
    error_scope(err);
    unsigned before = vmm.calls;
    owned(qom_store) struct qom_store *store = qom_pull(&vmm.monitor, commands, plan, &stats, &err);
    cr_assert_not_null(store, "%s", error_text(&err));
    owned(qom_store) struct qom_store *reference = peer_walk(&tree);
    owned_buffer struct buffer text = { 0 };
    cr_assert_eq(qom_compare(store, reference, &text, 20), 0, "%s", buffer_text(&text));
    cr_assert_eq(stats.calls, vmm.calls - before);
    cr_assert_eq(stats.objects, qom_store_count(reference));
    cr_assert_eq(stats.properties, qom_store_properties(reference));
    return stats;
}

/* --- each strategy ---------------------------------------------------------------------------- */

static void cold(void)
{
    struct qom_stats s = pull(GETV | GET, NULL);
    cr_assert_eq(s.calls, 2);
    cr_assert_eq(s.round_trips, 2);
    cr_assert_str_eq(s.plan, "cold");
    cr_assert_str_eq(s.method, "qom-list-getv");
    cr_assert_null(strstr(vmm.paths.data, "unnamed-gpio"), "leaves are not asked");
    cr_assert_str_eq(pull(GET, NULL).method, "qom-list-get");
}

Test(qom_pull, without_a_plan_asks_for_a_listing_and_then_for_everything)
{
    load_small(&tree);
    run(cold);
}

static void by_level(void)
{
    vmm.no_listing = true;
    struct qom_stats s = pull(GETV, NULL);
    cr_assert_eq(s.calls, 1 + 5);       /* the small tree's levels */
    cr_assert_eq(s.round_trips, 1 + 5);
    cr_assert_str_eq(s.plan, "cold");
}

Test(qom_pull, without_a_listing_goes_by_level)
{
    load_small(&tree);
    run(by_level);
}

static void listed_late(struct vmm_peer *peer, const char *command)
{
    if (peer->bulk_calls == 0 && strcmp(command, "qom-list-getv") == 0)
        peer_remove(peer->tree, "/machine/peripheral/disk0");
}

static void out_of_date(void)
{
    vmm.before = listed_late;
    struct qom_stats s = pull(GETV, NULL);
    cr_assert_eq(s.calls, 3);
}

Test(qom_pull, a_device_that_goes_after_the_listing_costs_one_call)
{
    load_small(&tree);
    run(out_of_date);
}

static void warm(void)
{
    owned(qom_plan) struct qom_plan *plan = learn();
    struct qom_stats s = pull(GETV, plan);
    cr_assert_eq(s.calls, 1);
    cr_assert_eq(s.round_trips, 1);
    cr_assert_eq(s.request_bytes, vmm.largest_request);
    cr_assert_eq(s.reply_bytes, vmm.reply_bytes - strlen("{\"return\": {}, \"id\": 1}\r\n"));
    cr_assert_gt(s.milliseconds, 0);
    cr_assert_str_eq(s.plan, "warm");
    cr_assert_null(strstr(vmm.paths.data, "unnamed-gpio"), "leaves are not asked");
    cr_assert_str_eq(pull(GETV | TREE, plan).method, "qom-list-getv", "a plan is better than qom-tree-get");
}

Test(qom_pull, with_a_plan_takes_one_call)
{
    load_small(&tree);
    run(warm);
}

static void ahead(void)
{
    owned(qom_plan) struct qom_plan *plan = learn();
    struct qom_stats s = pull(GETV | QOM_READS_AHEAD, plan);
    cr_assert(s.calls > 1 && s.calls <= 4, "%zu", s.calls);
    cr_assert_eq(s.round_trips, 1);
    peer_remove(&tree, "/machine/peripheral/disk1");
    s = pull(GETV | QOM_READS_AHEAD, plan);
    cr_assert(s.calls <= 6, "%zu: what became wrong is asked for again, and no more", s.calls);
}

Test(qom_pull, a_vmm_that_reads_ahead_gets_a_plan_in_pieces)
{
    load_small(&tree);
    run(ahead);
}

static void deep(void)
{
    struct qom_stats s = pull(GETV | TREE, NULL);
    cr_assert_eq(s.calls, 1);
    cr_assert_str_eq(s.plan, "cold");
    cr_assert_str_eq(s.method, "qom-tree-get");
}

Test(qom_pull, the_recursive_command_serves_a_cold_start)
{
    load_small(&tree);
    run(deep);
}

static void walk(void)
{
    struct qom_stats s = pull(0, NULL);
    cr_assert_eq(s.calls, vmm.list_calls + vmm.get_calls);
    cr_assert_eq(vmm.list_calls, tree.count - 2, "each object but the irq leaves");
    cr_assert_leq(s.round_trips, s.calls);
    cr_assert_str_eq(s.plan, "cold");
    cr_assert_str_eq(s.method, "qom-list/qom-get");
}

Test(qom_pull, without_a_bulk_command_lists_and_gets)
{
    load_small(&tree);
    run(walk);
}

/* --- a walk stands back ----------------------------------------------------------------------- */

static unsigned walking_most;

static void count_waiting(struct vmm_peer *peer, const char *command)
{
    struct monitor_totals t = monitor_totals(peer->monitor);
    unsigned waiting = (unsigned) (t.calls - t.replies);
    walking_most = waiting > walking_most ? waiting : walking_most;
}

static void stand_back(void)
{
    struct qom_stats stats;
    error_scope(err);
    vmm.before = count_waiting;
    owned(qom_store) struct qom_store *alone = qom_pull(&vmm.monitor, 0, NULL, &stats, &err);
    cr_assert_not_null(alone);
    cr_assert(walking_most > 1 && walking_most <= 16, "%u", walking_most);
}

Test(qom_pull, a_walk_keeps_few_commands_in_flight)
{
    load_small(&tree);
    run(stand_back);
}

/* Somebody else's commands, one after the other, while a walk runs: each waits behind few of the walk's. */
static unsigned most_before;
static bool walk_is_over;

static bool somebody_left;

static void somebody(void *arg)
{
    error_scope(err);
    while (!walk_is_over) {
        unsigned before = vmm.list_calls + vmm.get_calls;
        cr_assert_eq(monitor_call(vmm.monitor, "query-status", NULL, NULL, &err), 0);
        unsigned passed = vmm.list_calls + vmm.get_calls - before;
        most_before = passed > most_before ? passed : most_before;
    }
    somebody_left = true;
}

static void with_somebody(void)
{
    struct qom_stats stats;
    error_scope(err);
    fiber_start(somebody, NULL);
    owned(qom_store) struct qom_store *store = qom_pull(&vmm.monitor, 0, NULL, &stats, &err);
    walk_is_over = true;
    cr_assert_not_null(store);
    cr_assert_leq(most_before, 16, "%u", most_before);
    cr_assert_gt(vmm.calls, stats.calls);
    for (int i = 0; i < 2000 && !somebody_left; i++)
        await_sleep(5, &err);
    cr_assert(somebody_left);
}

Test(qom_pull, a_walk_lets_other_commands_through)
{
    load_small(&tree);
    run(with_somebody);
}

/* --- a plan that is out of date: costs calls, never truth ------------------------------------- */

static const char disk2[] =
    "{\"path\":\"/machine/peripheral/disk2\",\"type\":\"virtio-blk-pci\",\"props\":[[\"type\",\"string\","
    "\"virtio-blk-pci\"],[\"parent_bus\",\"link<bus>\",\"/machine/bus\"]]}";
static const char disk2_backend[] =
    "{\"path\":\"/machine/peripheral/disk2/virtio-backend\",\"type\":\"virtio-blk-device\","
    "\"props\":[[\"type\",\"string\",\"virtio-blk-device\"]]}";

static void appeared(void)
{
    owned(qom_plan) struct qom_plan *plan = learn();
    peer_add(&tree, disk2), peer_add(&tree, disk2_backend);
    struct qom_stats s = pull(GETV, plan);
    cr_assert_str_eq(s.plan, "repaired");
    cr_assert_eq(s.calls, 3, "everything, the new object, what is below it");
    cr_assert_str_eq(vmm.paths.data, "/machine/peripheral/disk2/virtio-backend\n", "nothing is asked twice");
}

Test(qom_pull, a_new_device_is_asked_for_alone)
{
    load_small(&tree);
    run(appeared);
}

static void vanished(void)
{
    owned(qom_plan) struct qom_plan *plan = learn();
    peer_remove(&tree, "/machine/peripheral/disk0");
    struct qom_stats s = pull(GETV, plan);
    cr_assert_str_eq(s.plan, "repaired");
    cr_assert_eq(s.calls, 2, "%zu", s.calls);
}

Test(qom_pull, a_device_that_is_gone_costs_one_call)
{
    load_small(&tree);
    run(vanished);
}

/* --- from an earlier tree: what has changed --- */

/* Pulls what has changed since `old`, and compares with the reference walk. */
static struct qom_stats pull_changes(unsigned commands, const struct qom_store *old, const char *stale)
{
    struct qom_stats stats;
    error_scope(err);
    owned(qom_store) struct qom_store *store =
        qom_pull_changed(&vmm.monitor, commands, old, &stale, stale != NULL, &stats, &err);
    cr_assert_not_null(store, "%s", error_text(&err));
    owned(qom_store) struct qom_store *reference = peer_walk(&tree);
    owned_buffer struct buffer text = { 0 };
    cr_assert_eq(qom_compare(store, reference, &text, 20), 0, "%s", buffer_text(&text));
    cr_assert_eq(stats.properties, qom_store_properties(reference));
    cr_assert_str_eq(stats.plan, "changes");
    return stats;
}

static void plugged(void)
{
    owned(qom_store) struct qom_store *old = peer_walk(&tree);
    cr_assert_eq(pull_changes(GETV, old, NULL).calls, 1, "nothing has changed: the folders");
    peer_add(&tree, disk2), peer_add(&tree, disk2_backend);
    cr_assert_eq(pull_changes(GETV, old, NULL).calls, 3,
                 "the folders, the disk, its bus and what is below it");
    cr_assert_str_eq(vmm.paths.data, "/machine/bus\n/machine/peripheral/disk2/virtio-backend\n");
    pull_changes(0, old, NULL);
    owned(qom_store) struct qom_store *later = peer_walk(&tree);
    peer_remove(&tree, "/machine/peripheral/disk2");
    cr_assert_eq(pull_changes(GETV, later, NULL).calls, 2, "the folders, the bus");
    cr_assert_str_eq(vmm.paths.data, "/machine/bus\n");
    pull_changes(0, later, NULL);
}

Test(qom_pull, what_hot_plug_changes_is_asked_for_and_nothing_else)
{
    load_small(&tree);
    run(plugged);
}

/* Another device of the same name. */
static void replaced(void)
{
    owned(qom_store) struct qom_store *old = peer_walk(&tree);
    peer_remove(&tree, "/machine/peripheral/disk0");
    peer_add(&tree, "{\"path\":\"/machine/peripheral/disk0\",\"type\":\"e1000\",\"props\":[[\"type\","
                    "\"string\",\"e1000\"],[\"parent_bus\",\"link<bus>\",\"/machine/bus\"]]}");
    pull_changes(GETV, old, NULL);
    pull_changes(0, old, NULL);
}

Test(qom_pull, a_device_that_took_anothers_place_is_read)
{
    load_small(&tree);
    run(replaced);
}

static void was_set(void)
{
    owned(qom_store) struct qom_store *old = peer_walk(&tree);
    peer_remove(&tree, "/machine/peripheral/disk1/virtio-backend");
    peer_add(&tree, "{\"path\":\"/machine/peripheral/disk1/virtio-backend\",\"type\":\"virtio-blk-device\","
                    "\"props\":[[\"type\",\"string\",\"virtio-blk-device\"],[\"serial\",\"str\",\"new\"]]}");
    struct peer_node *bus = peer_node(&tree, "/machine/peripheral/disk1/virtio-bus");
    bus->props = peer_node(&tree, "/chardevs/serial0")->props;
    cr_assert_eq(pull_changes(GETV, old, "/machine/peripheral/disk1").calls, 3);
}

Test(qom_pull, an_object_that_was_set_is_read_with_those_just_below_it)
{
    load_small(&tree);
    run(was_set);
}

static void ambiguous(void)
{
    owned(qom_plan) struct qom_plan *plan = learn();
    peer_add(&tree,
             "{\"path\":\"/objects/disk1\",\"type\":\"thing\",\"props\":[[\"type\",\"string\",\"thing\"]]}");
    struct qom_stats s = pull(GETV, plan);
    cr_assert_str_eq(s.plan, "repaired");
    cr_assert_eq(s.calls, 3, "the request, again with a whole path, the new object: %zu", s.calls);
}

Test(qom_pull, a_path_that_became_ambiguous_costs_one_call)
{
    load_small(&tree);
    run(ambiguous);
}

/* Everything at once: what a path led to is gone, and the path leads elsewhere. */
static void moved(void)
{
    owned(qom_plan) struct qom_plan *plan = learn();
    peer_remove(&tree, "/chardevs/serial0");
    peer_add(
        &tree,
        "{\"path\":\"/objects/serial0\",\"type\":\"thing\",\"props\":[[\"type\",\"string\",\"thing\"]]}");
    struct qom_stats s = pull(GETV, plan);
    cr_assert_eq(s.calls, 2);
}

Test(qom_pull, an_answer_about_another_object_is_not_believed)
{
    load_small(&tree);
    run(moved);
}

/* A plan whose links lie: bus/child[0] led to disk0, and now to disk1. */
static void relinked(void)
{
    owned(qom_plan) struct qom_plan *plan = learn();
    struct peer_node *bus = peer_node(&tree, "/machine/bus");
    error_scope(err);
    static const char props[] =
        "[[\"type\",\"string\",\"pci-bus\"],[\"child[0]\",\"link<x>\",\"/machine/peripheral/disk1\"],"
        "[\"child[1]\",\"link<x>\",\"/machine/peripheral/net0\"],"
        "[\"child[2]\",\"link<x>\",\"/machine/peripheral/disk0\"]]";
    bus->props = json_parse(props, sizeof props - 1, tree.arena, &err);
    pull(GETV, plan);
}

Test(qom_pull, links_that_lead_elsewhere_never_mix_objects_up)
{
    load_small(&tree);
    run(relinked);
}

static void foreign(void)
{
    struct peer_tree other;
    load_small(&other);
    peer_remove(&other, "/machine/peripheral");
    peer_remove(&other, "/chardevs");
    peer_add(&other, "{\"path\":\"/strange\",\"type\":\"x\",\"props\":[[\"type\",\"string\",\"x\"]]}");
    for (int i = 0; i < 10; i++) {
        owned_memory char *line = memory_printf(
            "{\"path\":\"/strange/s%d\",\"type\":\"x\",\"props\":[[\"type\",\"string\",\"x\"]]}", i);
        peer_add(&other, line);
    }
    owned(qom_store) struct qom_store *store = peer_walk(&other);
    owned(qom_plan) struct qom_plan *plan = qom_plan_make(store, "key", NULL);
    peer_done(&other);
    struct qom_stats s = pull(GETV, plan);
    cr_assert_str_eq(s.plan, "repaired");
}

Test(qom_pull, the_plan_of_another_machine_does_no_harm)
{
    load_small(&tree);
    run(foreign);
}

static void vanish_in_between(struct vmm_peer *peer, const char *command)
{
    if (peer->bulk_calls == 3)
        peer_remove(peer->tree, "/machine/peripheral/disk0");
}

static void hurried(void)
{
    vmm.before = vanish_in_between;
    vmm.no_listing = true;
    struct qom_stats s = pull(GETV, NULL);
    cr_assert_gt(s.calls, 5);
}

Test(qom_pull, an_object_that_goes_between_two_levels_starts_the_pull_again)
{
    load_small(&tree);
    run(hurried);
}

static void vanish_in_walk(struct vmm_peer *peer, const char *command)
{
    if (peer->get_calls == 20)
        peer_remove(peer->tree, "/machine/peripheral");
}

static void hurried_walk(void)
{
    vmm.before = vanish_in_walk;
    pull(0, NULL);
}

Test(qom_pull, an_object_that_goes_during_a_walk_starts_it_again)
{
    load_small(&tree);
    run(hurried_walk);
}

/* --- failures --------------------------------------------------------------------------------- */

static void fails_with(unsigned commands, const char *because)
{
    struct qom_stats stats;
    error_scope(err);
    cr_assert_null(qom_pull(&vmm.monitor, commands, NULL, &stats, &err));
    cr_assert_not_null(strstr(error_text(&err), because), "%s", error_text(&err));
    cr_assert_not_null(strstr(error_text(&err), "cannot read the object tree"));
}

static void short_answer(void)
{
    vmm.broken_names = true;
    vmm.no_listing = true;
    fails_with(GETV, "has not one item for each of 1 paths");
}

Test(qom_pull, an_answer_of_the_wrong_length_is_an_error)
{
    load_small(&tree);
    run(short_answer);
}

static void silent(void)
{
    monitor_set_timeout(vmm.monitor, 100);
    vmm.mute = true;
    fails_with(GETV, "human-monitor-command");
}

Test(qom_pull, a_silent_vmm_ends_in_an_error_that_names_it)
{
    load_small(&tree);
    run(silent);
}

static void hang_up(struct vmm_peer *peer, const char *command)
{
    if (peer->get_calls == 5) {
        stream_free(peer->stream);
        peer->stream = NULL;
        peer->mute = true;
        peer->before = NULL;
    }
}

static void dying(void)
{
    vmm.before = hang_up;
    fails_with(0, "closed its monitor");
}

Test(qom_pull, a_vmm_that_dies_during_a_walk_ends_in_an_error)
{
    load_small(&tree);
    run(dying);
}

/* --- the recorded trees ----------------------------------------------------------------------- */

static void recorded(void)
{
    struct qom_stats c = pull(GET, NULL);
    cr_assert_eq(c.calls, 2);
    cr_assert_leq(c.request_bytes, 6200);
    owned(qom_plan) struct qom_plan *plan = learn();
    vmm.largest_request = 0;
    struct qom_stats w = pull(GET, plan);
    cr_assert_eq(w.calls, 1);
    cr_assert_eq(w.round_trips, 1);
    cr_assert_eq(w.request_bytes, vmm.largest_request);
    cr_assert_leq(w.request_bytes, 4300);
    fprintf(stderr, "pc 11.1: %zu bytes asked, %zu answered, %.1f ms with the peer's\n",
            (size_t) w.request_bytes, (size_t) w.reply_bytes, w.milliseconds);
    struct qom_stats t = pull(GET | TREE, NULL);
    cr_assert_eq(t.calls, 1);
}

Test(qom_pull, the_pc_machine_takes_two_calls_cold_and_one_of_4300_bytes_warm)
{
    if (!load_recorded(&tree, "qom-pc-11.1.json"))
        cr_skip_test("no recorded trees");
    run(recorded);
}

static void recorded_repairs(void)
{
    static const char *const gone[] = { "/machine/peripheral/virtio-disk0", "/machine/peripheral/usb",
                                        "/machine/peripheral/nic0", "/chardevs/ser0",
                                        "/machine/peripheral/balloon0/virtio-backend" };
    owned(qom_plan) struct qom_plan *plan = learn();
    for (size_t i = 0; i < ARRAY_COUNT(gone); i++) {
        peer_remove(&tree, gone[i]);
        struct qom_stats s = pull(GET, plan);
        fprintf(stderr, "without %s too: %zu calls\n", gone[i], s.calls);
        cr_assert_str_eq(s.plan, "repaired");
        cr_assert_leq(s.calls, i ? 4 : 2, "one costs a call, and more cost a listing");
    }
}

Test(qom_pull, devices_of_the_pc_machine_may_go)
{
    if (!load_recorded(&tree, "qom-pc-11.1.json"))
        cr_skip_test("no recorded trees");
    run(recorded_repairs);
}
