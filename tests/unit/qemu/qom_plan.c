/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_plan.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "qom_files.h"

/* Every entry must lead, by the VMM's own rules, to its object, and only through earlier ones. */
static void check_plan(const struct peer_tree *tree, const struct qom_store *store,
                       const struct qom_plan *plan)
{
    owned_memory uint32_t *objects = memory_new(qom_plan_count(plan) * sizeof *objects);
    for (size_t i = 0; i < qom_plan_count(plan); i++) {
        const struct qom_plan_object *o = qom_plan_object(plan, i);
        bool ambiguous;
        const struct peer_node *node = peer_resolve(tree, o->request, &ambiguous);
        cr_assert_not_null(node, "%s", o->request);
        cr_assert(i == 0 || o->parent < i);
        objects[i] = i ? qom_store_child(store, objects[o->parent], o->name) : QOM_ROOT;
        cr_assert_neq(objects[i], QOM_NONE);
        owned_buffer struct buffer path = { 0 };
        qom_store_add_path(store, objects[i], &path);
        cr_assert_str_eq(node->path, path.data);
        if (i && o->request[0] != '/') {
            cr_assert_lt(o->start, i);
            cr_assert_eq(qom_store_walk(store, objects[o->start], o->request), objects[i], "%s", o->request);
        }
    }
}

static size_t leaves(const struct qom_store *store)
{
    size_t count = 0;
    for (uint32_t o = 0; o < qom_store_count(store); o++)
        count += qom_store_is_leaf(store, o);
    return count;
}

Test(qom_plan, names_every_object_that_its_parent_does_not_tell)
{
    struct peer_tree tree;
    load_small(&tree);
    owned(qom_store) struct qom_store *store = peer_walk(&tree);
    owned(qom_plan) struct qom_plan *plan = qom_plan_make(store, "key", NULL);
    cr_assert_eq(qom_plan_count(plan) + leaves(store), qom_store_count(store));
    cr_assert_eq(leaves(store), 2);
    check_plan(&tree, store, plan);
    peer_done(&tree);
}

Test(qom_plan, takes_the_shortest_way_over_links_too)
{
    struct peer_tree tree;
    load_small(&tree);
    owned(qom_store) struct qom_store *store = peer_walk(&tree);
    owned(qom_plan) struct qom_plan *plan = qom_plan_make(store, "key", NULL);
    static const char *const expected[][2] = {
        { "disk0", "disk0" }, { "net0", "net0" }, { "pc.ram", "pc.ram" }, { "bus", "bus" },
        { "io[0]", "io[0]" },
        { "\\x2fetc\\x2facpi[0]", "\\x2fetc\\x2facpi[0]" },
    };
    for (size_t e = 0; e < ARRAY_COUNT(expected); e++)
        for (size_t i = 0; i < qom_plan_count(plan); i++)
            if (strcmp(qom_plan_object(plan, i)->name, expected[e][0]) == 0)
                cr_assert_str_eq(qom_plan_object(plan, i)->request, expected[e][1]);
    peer_done(&tree);
}

Test(qom_plan, recorded_trees_are_named_by_few_bytes)
{
    static const struct { const char *file; size_t most; } rows[] = {
        { "qom-pc-11.1.json", 4240 }, { "qom-q35-11.1.json", 4590 }, { "qom-microvm-11.1.json", 2310 },
        { "qom-pc-7.2.json", 4210 },
    };
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        struct peer_tree tree;
        if (!load_recorded(&tree, rows[r].file))
            cr_skip_test("no recorded trees");
        owned(qom_store) struct qom_store *store = peer_walk(&tree);
        owned(qom_plan) struct qom_plan *plan = qom_plan_make(store, "key", NULL);
        check_plan(&tree, store, plan);
        owned_buffer struct buffer text = { 0 };
        struct json_writer w = { .out = &text };
        for (size_t i = 0; i < qom_plan_count(plan); i++)
            json_string(&w, qom_plan_object(plan, i)->request);
        size_t bytes = strlen("{\"execute\":\"qom-list-get\",\"arguments\":{\"paths\":[]}}") + text.length;
        fprintf(stderr, "%s: %zu objects asked, %zu bytes\n", rows[r].file, qom_plan_count(plan), bytes);
        cr_assert_leq(bytes, rows[r].most);
        peer_done(&tree);
    }
}

/* --- on disk ---------------------------------------------------------------------------------- */

static char folder[] = "/tmp/qom-plan-XXXXXX";
static struct peer_tree small;
static struct qom_plan *saved;

static void setup(void)
{
    cr_assert_not_null(mkdtemp(folder));
    load_small(&small);
    owned(qom_store) struct qom_store *store = peer_walk(&small);
    saved = qom_plan_make(store, "the key", NULL);
    error_scope(err);
    cr_assert_eq(qom_plan_save(saved, folder, &err), 0, "%s", error_text(&err));
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *where)
{
    return remove(path);
}

static void teardown(void)
{
    qom_plan_free(saved);
    peer_done(&small);
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TestSuite(qom_plan_file, .init = setup, .fini = teardown);

static char *file_path(void)
{
    char **names;
    size_t count;
    error_scope(err);
    cr_assert_eq(folder_list(folder, &names, &count, &err), 0);
    cr_assert_eq(count, 1);
    char *path = memory_printf("%s/%s", folder, names[0]);
    folder_names_free(names, count);
    return path;
}

Test(qom_plan_file, what_is_saved_is_loaded)
{
    error_scope(err);
    owned(qom_plan) struct qom_plan *plan = qom_plan_load(folder, "the key", &err);
    cr_assert_not_null(plan, "%s", error_text(&err));
    cr_assert(qom_plan_equal(plan, saved));
}

Test(qom_plan_file, a_missing_file_is_no_error)
{
    error_scope(err);
    cr_assert_null(qom_plan_load(folder, "another key", &err));
    cr_assert_eq(err.code, ERR_NONE);
}

static void refuses(const char *text, size_t length, const char *because)
{
    error_scope(err);
    owned_memory char *path = file_path();
    cr_assert_eq(file_replace(path, text, length, 0600, &err), 0);
    cr_assert_null(qom_plan_load(folder, "the key", &err), "%.*s", (int) length, text);
    cr_assert_not_null(strstr(error_text(&err), because), "%s", error_text(&err));
}

Test(qom_plan_file, a_damaged_file_is_refused_with_a_reason)
{
#define PLAN(rows) "{\"version\":2,\"key\":\"the key\",\"objects\":" rows "}"
    static const struct { const char *text, *because; } rows[] = {
        { "", "found nothing" },
        { "{\"version\":2", "middle" },
        { "{\"version\":3,\"key\":\"the key\",\"objects\":[]}", "version" },
        { "{\"version\":2,\"key\":\"other\",\"objects\":[]}", "another guest" },
        { PLAN("{}"), "no list" },
        { PLAN("[[0,0,\"a\"]]"), "object 1 is not" },
        { PLAN("[[0,0,\"a\",\"a\"]]"), "object 1 is not" },
        { PLAN("[[0,0,\"a\",\"a\",-1]]"), "object 1 is not" },
        { PLAN("[[1,0,\"a\",\"a\",5]]"), "object 1 is not" },
        { PLAN("[[0,1,\"a\",\"a\",5]]"), "object 1 is not" },
        { PLAN("[[-1,0,\"a\",\"a\",5]]"), "object 1 is not" },
        { PLAN("[[0,0,\"\",\"a\",5]]"), "object 1 is not" },
        { PLAN("[[0,0,\"a\",\"a\\u0000b\",5]]"), "object 1 is not" },
        { PLAN("[[0,0,\"a/b\",\"a\",5]]"), "no place" },
        { PLAN("[[0,0,\"a\",\"/b\",5]]"), "something else" },
        { PLAN("[[0,0,\"a\",\"a\",5],[1,1,\"b\",\"/a/b\",5]]"), "something else" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        refuses(rows[i].text, strlen(rows[i].text), rows[i].because);
}

Test(qom_plan_file, every_cut_of_a_file_is_refused_or_harmless)
{
    error_scope(err);
    owned_memory char *path = file_path();
    owned_buffer struct buffer text = { 0 };
    cr_assert_eq(file_read(path, 1 << 20, &text, &err), 0);
    for (size_t length = 0; length + 2 < text.length; length += 7)
        refuses(text.data, length, path);
}

Test(qom_plan_file, a_plan_that_is_too_deep_is_refused)
{
    owned_buffer struct buffer text = { 0 };
    buffer_add_text(&text, "{\"version\":2,\"key\":\"the key\",\"objects\":[");
    for (int i = 0; i < 100; i++)
        buffer_printf(&text, "%s[%d,0,\"a\",\"a\",5]", i ? "," : "", i);
    buffer_add_text(&text, "]}");
    refuses(text.data, text.length, "no place");
}

Test(qom_plan_file, only_so_many_are_kept)
{
    error_scope(err);
    for (int i = 0; i < 520; i++) {
        owned_memory char *path = memory_printf("%s/%016d.json", folder, i);
        FILE *f = fopen(path, "we");
        cr_assert_not_null(f);
        fclose(f);
    }
    char **names;
    size_t before, after;
    folder_list(folder, &names, &before, &err), folder_names_free(names, before);
    cr_assert_eq(qom_plan_save(saved, folder, &err), 0);
    folder_list(folder, &names, &after, &err), folder_names_free(names, after);
    cr_assert_lt(after, before);
    owned(qom_plan) struct qom_plan *plan = qom_plan_load(folder, "the key", &err);
    cr_assert_not_null(plan);
}

/* --- the key ---------------------------------------------------------------------------------- */

static void key_is(const char *const *argv, const char *expected)
{
    owned_memory char *key = qom_plan_key("EMULATOR", argv);
    cr_assert_str_eq(key, expected);
}

Test(qom_plan_key, names_what_shapes_the_tree_and_no_files)
{
    static const char *const argv[] = {
        "qemu", "-name", "guest=vm1", "-machine", "pc-i440fx-11.1,usb=off,firmware=/x/y", "-accel", "tcg",
        "-m", "size=1024k", "-smp", "2,maxcpus=4", "-uuid", "11111111-2222-3333-4444-555555555555", "-S",
        "-blockdev", "{\"driver\":\"file\",\"filename\":\"/a\",\"node-name\":\"s0\",\"cache\":{\"x\":true}}",
        "-device", "{\"driver\":\"virtio-blk-pci\",\"bus\":\"pci.0\",\"addr\":\"0x3\",\"drive\":\"s0\"}",
        "-device", "virtio-net-pci,netdev=n0,id=net0,mac=52:54:00:12:34:56,bus=pci.0,addr=0x4",
        "-drive", "file=/x.img,if=none,id=drive0,format=raw", NULL,
    };
    key_is(argv, "EMULATOR\nname\nmachine pc-i440fx-11.1 usb=off\naccel tcg\nm\nsmp 2 maxcpus=4\nuuid\nS\n"
                 "blockdev driver=\"file\" node-name=\"s0\"\n"
                 "device driver=\"virtio-blk-pci\" bus=\"pci.0\" addr=\"0x3\"\n"
                 "device virtio-net-pci id=net0 bus=pci.0 addr=0x4\n"
                 "drive if=none id=drive0");
}

Test(qom_plan_key, survives_what_is_no_command_line)
{
    key_is((const char *[]) { NULL }, "EMULATOR");
    key_is((const char *[]) { "qemu", "-", "--device", "{broken", "-device", ",,,", "-device", NULL },
           "EMULATOR\ndevice\ndevice\ndevice");
}
