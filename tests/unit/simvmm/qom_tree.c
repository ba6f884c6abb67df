/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "simvmm/qom_tree.h"

/* /a/x, /b/x, /b/y; /a links to /b/y as "other". */
static struct qom_tree *tree;
static struct qom_node *a, *b, *ax, *bx, *y;

static void setup(void)
{
    tree = qom_tree_new();
    a = qom_node_add(tree, qom_root(tree), "a", "container");
    b = qom_node_add(tree, qom_root(tree), "b", "container");
    ax = qom_node_add(tree, a, "x", "thing");
    bx = qom_node_add(tree, b, "x", "thing");
    y = qom_node_add(tree, b, "y", "thing");
    qom_add(tree, a,
            &(struct qom_property) { .name = "other", .type = "link<thing>", .kind = QOM_LINK, .node = y });
    qom_add(tree, a,
            &(struct qom_property) { .name = "size", .type = "int", .kind = QOM_VALUE, .value = "5" });
}

static void teardown(void)
{
    qom_tree_free(tree);
}

TestSuite(qom_tree, .init = setup, .fini = teardown);

static void resolves(const char *path, const struct qom_node *wanted, bool ambiguous)
{
    bool got_ambiguous;
    const struct qom_node *got = qom_resolve(tree, path, &got_ambiguous);
    cr_assert_eq(got, wanted, "%s", path);
    cr_assert_eq(got_ambiguous, ambiguous, "%s", path);
}

Test(qom_tree, an_absolute_path_goes_through_children_and_links)
{
    resolves("/", qom_root(tree), false);
    resolves("/b/y", y, false);
    resolves("//b//y/", y, false);
    resolves("/a/other", y, false);
    resolves("/a/nope", NULL, false);
    resolves("/a/size", NULL, false);
}

Test(qom_tree, a_partial_path_must_fit_at_exactly_one_node)
{
    resolves("a", a, false);
    resolves("a/x", ax, false);
    resolves("other", y, false);
    resolves("x", NULL, true);
    resolves("nope", NULL, false);
    resolves("", NULL, true);
}

Test(qom_tree, a_link_of_the_same_name_makes_a_child_ambiguous)
{
    resolves("y", y, false);
    qom_add(tree, ax,
            &(struct qom_property) { .name = "y", .type = "link<thing>", .kind = QOM_LINK, .node = y });
    resolves("y", NULL, true);
}

Test(qom_tree, links_show_the_path_of_what_they_lead_to)
{
    owned_buffer struct buffer out = { 0 };
    cr_assert(qom_print_value(qom_property_find(a, "other"), &out));
    cr_assert_str_eq(buffer_text(&out), "\"/b/y\"");
}

Test(qom_tree, what_is_removed_takes_its_links_along)
{
    owned_buffer struct buffer out = { 0 };
    qom_node_remove(tree, y);
    cr_assert_null(qom_child(b, "y"));
    cr_assert(qom_print_value(qom_property_find(a, "other"), &out));
    cr_assert_str_eq(buffer_text(&out), "\"\"");
    resolves("other", NULL, false);
}

Test(qom_tree, a_value_set_again_replaces_the_first)
{
    owned_buffer struct buffer out = { 0 };
    qom_set_number(a, "size", 6);
    qom_set_text(a, "size", "q\"\\");
    cr_assert(qom_print_value(qom_property_find(a, "size"), &out));
    cr_assert_str_eq(buffer_text(&out), "\"q\\\"\\\\\"");
}

Test(qom_tree, a_property_without_a_value_cannot_be_read)
{
    owned_buffer struct buffer out = { 0 };
    qom_add(tree, a, &(struct qom_property) { .name = "crash", .type = "x", .kind = QOM_VALUE });
    cr_assert(!qom_print_value(qom_property_find(a, "crash"), &out));
    cr_assert_eq(out.length, 0);
}
