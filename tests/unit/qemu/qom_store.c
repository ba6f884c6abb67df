/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_store.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"
#include "qom_files.h"

static struct peer_tree tree;
static struct qom_store *store;

static void setup(void)
{
    load_small(&tree);
    store = peer_walk(&tree);
}

static void teardown(void)
{
    qom_store_free(store);
    peer_done(&tree);
}

TestSuite(qom_store, .init = setup, .fini = teardown);

static uint32_t find(const char *path)
{
    bool ambiguous;
    uint32_t object = qom_store_find(store, path, &ambiguous);
    cr_assert_neq(object, QOM_NONE, "%s", path);
    return object;
}

static struct qom_property property(const char *path, const char *name)
{
    struct qom_property p = { 0 };
    cr_assert(qom_store_find_property(store, find(path), name, &p), "%s %s", path, name);
    return p;
}

static int put(struct qom_store *s, uint32_t object, const char *text, struct error *err)
{
    owned(arena) struct arena *arena = arena_new();
    return qom_store_put(s, object, json_parse(text, strlen(text), arena, err), err);
}

Test(qom_store, holds_every_object_and_property_of_the_vmm)
{
    size_t entries = 0;
    for (size_t i = 0; i < tree.count; i++) {
        uint32_t object = find(tree.nodes[i]->path);
        cr_assert_str_eq(qom_store_type(store, object), tree.nodes[i]->type);
        entries += tree.nodes[i]->props->length;
    }
    cr_assert_eq(qom_store_count(store), tree.count);
    cr_assert_eq(qom_store_properties(store), entries);
}

Test(qom_store, none_null_and_the_empty_string_differ)
{
    cr_assert_null(property("/machine/unattached/device[0]", "crash-information").value);
    cr_assert_str_eq(property("/machine", "notes").value, "null");
    cr_assert_str_eq(property("/machine", "kernel").value, "\"\"");
}

Test(qom_store, numbers_and_texts_stay_exact)
{
    cr_assert_str_eq(property("/machine", "big").value, "9223372036854775808");
    cr_assert_str_eq(property("/machine", "max").value, "18446744073709551615");
    cr_assert_str_eq(property("/machine/bus", "features").value, "[1,2.5,\"\xC3\xA9\",null,{\"a\":{}}]");
    cr_assert_str_eq(property("/objects/pc.ram", "\\x2fodd \"name\"").value, "\"tab\\there\"");
}

Test(qom_store, the_data_of_a_secret_is_not_even_kept)
{
    struct qom_property data = property("/objects/masterKey0", "data");
    cr_assert(data.secret);
    cr_assert_null(data.value);
    cr_assert_str_eq(property("/objects/masterKey0", "loaded").value, "true");
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out };
    for (uint32_t o = 0; o < qom_store_count(store); o++, w.comma = false)
        qom_store_write(store, o, &w);
    cr_assert_null(strstr(out.data, "c2VjcmV0"));
    cr_assert_not_null(strstr(out.data, "{\"name\":\"data\",\"type\":\"string\",\"secret\":true}"));
}

Test(qom_store, a_secret_is_known_by_what_it_says_it_is_too)
{
    error_scope(err);
    owned(qom_store) struct qom_store *s = qom_store_new();
    cr_assert_eq(put(s, QOM_ROOT, "[{\"name\":\"x\",\"type\":\"child<container>\"}]", &err), 0);
    cr_assert_eq(put(s, 1, "[{\"name\":\"data\",\"type\":\"string\",\"value\":\"pw\"},"
                           "{\"name\":\"type\",\"type\":\"string\",\"value\":\"secret_keyring\"}]", &err), 0);
    cr_assert(qom_store_property(s, 1, 0).secret);
}

Test(qom_store, secrets_asked_for_past_the_store_are_hidden)
{
    cr_assert(qom_store_hides(store, "/objects/masterKey0", "data"));
    cr_assert(qom_store_hides(store, "masterKey0", "data"));
    cr_assert(qom_store_hides(store, "//objects//masterKey0/", "data"));
    cr_assert(qom_store_hides(store, "/objects/new-one", "data"), "not known, so better not");
    cr_assert_not(qom_store_hides(store, "/objects/masterKey0", "loaded"));
    cr_assert_not(qom_store_hides(store, "/objects/pc.ram", "data"));
}

Test(qom_store, irq_leaves_are_filled_in)
{
    cr_assert_str_eq(property("/machine/unattached/device[1]/unnamed-gpio-in[0]", "type").value, "\"irq\"");
    cr_assert(qom_store_is_leaf(store, find("/machine/unattached/device[1]/unnamed-gpio-in[1]")));
    cr_assert_not(qom_store_is_leaf(store, find("/chardevs/serial0")));
}

Test(qom_store, the_walk_visits_parents_before_children_and_only_what_is_below)
{
    size_t seen = 0;
    for (uint32_t o = QOM_ROOT, last = QOM_NONE; o != QOM_NONE;
         last = o, o = qom_store_next(store, QOM_ROOT, o), seen++)
        cr_assert(o == QOM_ROOT || last != QOM_NONE);
    cr_assert_eq(seen, tree.count);
    owned_buffer struct buffer paths = { 0 };
    uint32_t top = find("/machine/peripheral/disk0");
    for (uint32_t o = top; o != QOM_NONE; o = qom_store_next(store, top, o)) {
        qom_store_add_path(store, o, &paths);
        buffer_add_char(&paths, '\n');
    }
    cr_assert_str_eq(paths.data,
                     "/machine/peripheral/disk0\n/machine/peripheral/disk0/msix[0]\n"
                     "/machine/peripheral/disk0/virtio-backend\n/machine/peripheral/disk0/virtio-bus\n");
}

static void paths_agree(const struct peer_tree *t, const struct qom_store *s, const char *path)
{
    bool theirs, ours;
    const struct peer_node *node = peer_resolve(t, path, &theirs);
    uint32_t object = qom_store_find(s, path, &ours);
    cr_assert_eq(theirs, ours, "%s", path);
    cr_assert_eq(node == NULL, object == QOM_NONE, "%s", path);
    if (node) {
        owned_buffer struct buffer canonical = { 0 };
        qom_store_add_path(s, object, &canonical);
        cr_assert_str_eq(canonical.data, node->path, "%s", path);
    }
}

Test(qom_store, paths_resolve_as_the_vmm_resolves_them)
{
    static const char *const paths[] = {
        "/", "", "//machine/", "/machine/bus/child[1]/virtio-backend", "disk0", "bus", "parent_bus",
        "child[0]", "child[2]", "virtio-backend", "net0/virtio-backend", "bus/child[0]",
        "virtio-bus/child[0]", "net0/virtio-bus/child[0]", "nope", "/nope", "/machine/kernel", "kernel",
        "container", "irq", "memory[1]/container", "memory[0]/container", "memory-backend",
        "\\x2fetc\\x2facpi[0]", "masterKey0", "/machine/..", "type",
    };
    for (size_t i = 0; i < ARRAY_COUNT(paths); i++)
        paths_agree(&tree, store, paths[i]);
}

Test(qom_store, refuses_what_no_vmm_says)
{
    static const char *const lists[] = {
        "{}",
        "[1]",
        "[{}]",
        "[{\"name\":\"a\"}]",
        "[{\"name\":1,\"type\":\"int\"}]",
        "[{\"name\":\"\",\"type\":\"int\"}]",
        "[{\"name\":\"a\\u0000b\",\"type\":\"int\"}]",
        "[{\"name\":\"a/b\",\"type\":\"child<x>\"}]",
        "[{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"a\",\"type\":\"child<x>\"}]",
    };
    for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
        error_scope(err);
        owned(qom_store) struct qom_store *s = qom_store_new();
        cr_assert_eq(put(s, QOM_ROOT, lists[i], &err), -1, "%s", lists[i]);
        cr_assert_eq(err.code, ERR_VMM);
    }
}

Test(qom_store, depth_is_bounded)
{
    error_scope(err);
    owned(qom_store) struct qom_store *s = qom_store_new();
    uint32_t object = 0;
    while (put(s, object, "[{\"name\":\"a\",\"type\":\"child<container>\"}]", &err) == 0)
        cr_assert_lt(object++, 1000);
    cr_assert_eq(object, QOM_DEPTH_MAX);
    cr_assert_not_null(strstr(error_text(&err), "deeper"));
}

Test(qom_store, a_real_tree_takes_less_than_60_bytes_a_property)
{
    struct peer_tree recorded;
    if (!load_recorded(&recorded, "qom-pc-11.1.json")) {
        cr_assert_lt(qom_store_size(store) / qom_store_properties(store), 60);
        return;
    }
    owned(qom_store) struct qom_store *s = peer_walk(&recorded);
    cr_assert_eq(qom_store_count(s), 327);
    cr_assert_eq(qom_store_properties(s), 2847);
    cr_assert_lt(qom_store_size(s) / qom_store_properties(s), 60, "%zu bytes", qom_store_size(s));
    static const char *const paths[] = {
        "bus/child[4]", "device", "pci-mem", "child[9]", "ide/bus master[0]", "vga[3]", "parent_bus",
        "rtc[0]", "bus", "device[0]/smram[0]", "smram",
    };
    for (size_t i = 0; i < ARRAY_COUNT(paths); i++)
        paths_agree(&recorded, s, paths[i]);
    peer_done(&recorded);
}
