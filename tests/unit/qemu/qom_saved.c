/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_saved.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "qemu/qom_compare.h"
#include "qemu/qom_search.h"
#include "qom_files.h"

static struct peer_tree tree;
static struct qom_store *store;
static char folder[] = "/tmp/tree-XXXXXX", *path;

static void setup(void)
{
    load_small(&tree);
    store = peer_walk(&tree);
    cr_assert_neq(mkdtemp(folder), NULL);
    path = qom_saved_path(folder, "u", false);
}

static void teardown(void)
{
    qom_saved_remove(folder, "u");
    rmdir(folder);
    free(path);
    qom_store_free(store);
    peer_done(&tree);
}

TestSuite(qom_saved, .init = setup, .fini = teardown);

Test(qom_saved, a_tree_is_read_as_it_was_written)
{
    error_scope(err);
    owned_buffer struct buffer out = { 0 };
    cr_assert_eq(qom_saved_write(path, store, &err), 0, "%s", error_text(&err));
    owned(qom_store) struct qom_store *again = qom_saved_read(path, &err);
    cr_assert_neq(again, NULL, "%s", error_text(&err));
    cr_assert_eq(qom_compare(store, again, &out, 5), 0, "%s", buffer_text(&out));
    cr_assert_eq(qom_store_properties(again), qom_store_properties(store));
}

Test(qom_saved, a_start_makes_the_last_tree_the_previous_one)
{
    error_scope(err);
    cr_assert_eq(qom_saved_write(path, store, &err), 0);
    qom_saved_rotate(folder, "u");
    owned_memory char *previous = qom_saved_path(folder, "u", true);
    cr_assert_eq(access(path, F_OK), -1);
    owned(qom_store) struct qom_store *again = qom_saved_read(previous, &err);
    cr_assert_neq(again, NULL);
    cr_assert_eq(qom_saved_read(path, &err), NULL);
    cr_assert_eq(err.code, ERR_NONE, "what is not there is no failure");
}

Test(qom_saved, a_damaged_file_is_refused)
{
    error_scope(err);
    owned_buffer struct buffer text = { 0 };
    cr_assert_eq(qom_saved_write(path, store, &err), 0);
    cr_assert_eq(file_read(path, QOM_SAVED_BYTES_MAX, &text, &err), 0);
    for (size_t cut = 0; cut + 1 < text.length; cut += 97) {
        error_scope(why);
        FILE *f = fopen(path, "w");
        fwrite(text.data, 1, cut, f);
        fclose(f);
        cr_assert_eq(qom_saved_read(path, &why), NULL, "cut at %zu", cut);
        cr_assert_neq(why.code, ERR_NONE);
    }
}

static unsigned found;

static void count(void *arg, uint32_t object, const struct qom_property *property)
{
    found++;
}

static unsigned search(const struct qom_search *what)
{
    found = 0;
    qom_search(store, what, count, NULL);
    return found;
}

Test(qom_saved, a_search_takes_patterns_for_path_type_property_and_value)
{
    cr_assert_eq(search(&(struct qom_search) { 0 }), qom_store_count(store));
    cr_assert_eq(search(&(struct qom_search) { .path = "/machine" }), 1);
    unsigned types = search(&(struct qom_search) { .property = "type" });
    cr_assert_eq(types, qom_store_count(store), "each object says its type once");
    unsigned quoted = search(&(struct qom_search) { .property = "type", .value = "\"irq\"" });
    cr_assert_gt(quoted, 0);
    cr_assert_eq(search(&(struct qom_search) { .property = "type", .value = "irq" }), quoted);
    cr_assert_eq(search(&(struct qom_search) { .type = "irq" }), quoted);
    cr_assert_eq(search(&(struct qom_search) { .path = "/nowhere*" }), 0);
}
