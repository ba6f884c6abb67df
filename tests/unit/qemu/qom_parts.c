/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_parts.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <string.h>

#include "base/text.h"
#include "qemu/qom_listing.h"
#include "qemu/qom_plan.h"
#include "qom_files.h"

static const char *const usual[] = {
    "qemu", "-M", "pc", "-accel", "tcg", "-m", "128", "-nodefaults",
    "-device", "virtio-blk-pci,id=virtio-disk0,drive=d0", "-device", "virtio-net-pci,id=nic0,netdev=net0",
    "-device", "virtio-balloon-pci,id=balloon0", "-device", "piix3-usb-uhci,id=usb",
    "-device", "usb-tablet,id=tablet0,bus=usb.0", "-device", "VGA,id=video0", "-chardev", "null,id=ser0",
    "-device", "isa-serial,id=serial0,chardev=ser0", "-chardev", "socket,id=charmonitor,fd=3",
    "-mon", "chardev=charmonitor,id=monitor,mode=control", NULL,
};

/* --- command lines -------------------------------------------------------------------------------- */

static const struct qom_line_part *part_at(const struct qom_line *line, const char *path)
{
    for (size_t i = 0; i < line->parts.count; i++)
        if (strcmp(line->parts.items[i].path, path) == 0)
            return &line->parts.items[i];
    cr_assert(false, "no part at %s", path);
    abort();
}

Test(qom_parts, names_and_images_do_not_shape_a_device_and_other_words_do)
{
    static const char *const argv[] = {
        "qemu", "-device", "{\"driver\":\"virtio-blk-pci\",\"id\":\"a\",\"drive\":\"x\",\"bus\":\"pci.0\"}",
        "-device", "virtio-blk-pci,bus=pci.3,drive=y,id=b", "-device", "virtio-blk-pci,bus=pcie.0,id=c",
        "-device", "virtio-blk-pci,bus=pci.0,id=d,disable-legacy=on", "-device", "virtio-rng-pci",
        "-device", "virtio-rng-pci,rng=r0", "-smp", "4,sockets=4", NULL,
    };
    owned(qom_line) struct qom_line *line = qom_line_new(argv);
    const char *key = part_at(line, "/machine/peripheral/a")->key;
    cr_assert_str_eq(key, part_at(line, "/machine/peripheral/b")->key);
    cr_assert_str_neq(key, part_at(line, "/machine/peripheral/c")->key, "a bus of another kind");
    cr_assert_str_neq(key, part_at(line, "/machine/peripheral/d")->key);
    cr_assert_str_eq(part_at(line, "/machine/peripheral-anon/device[0]")->key,
                     part_at(line, "/machine/peripheral-anon/device[1]")->key);
    cr_assert_eq(line->cpus, 4);
}

Test(qom_parts, a_machine_is_known_by_what_shapes_it)
{
    static const char *const lines[][10] = {
        { "qemu", "-M", "pc", "-m", "size=131072k", "-cpu", "qemu64,-vmx", NULL },
        { "qemu", "-M", "pc", "-m", "2G", "-cpu", "qemu64", "-smp", "2", NULL },
        { "qemu", "-M", "pc", "-m", "8192", "-cpu", "qemu64", NULL },
        { "qemu", "-M", "q35", "-m", "128", "-cpu", "qemu64", NULL },
        { "qemu", "-M", "pc", "-m", "128", "-cpu", "max", NULL },
    };
    owned(qom_line) struct qom_line *first = qom_line_new(lines[0]);
    for (size_t i = 1; i < ARRAY_COUNT(lines); i++) {
        owned(qom_line) struct qom_line *line = qom_line_new(lines[i]);
        cr_assert_eq(strcmp(first->machine, line->machine) == 0, i == 1, "%zu: %s", i, line->machine);
    }
}

/* --- learning and composing, on what QEMU really had ------------------------------------------------ */

static struct peer_tree tree;
static struct qom_store *store;
static struct qom_line *line;
static struct qom_parts *parts;

static bool learn_recorded(const char *name)
{
    if (!load_recorded(&tree, name))
        return false;
    store = peer_walk(&tree);
    line = qom_line_new(usual);
    parts = qom_parts_learn(NULL, "emulator", line, store);
    cr_assert_not_null(parts);
    return true;
}

static void done(void)
{
    qom_parts_free(parts);
    qom_line_free(line);
    qom_store_free(store);
    peer_done(&tree);
}

/* Every path of its plan leads to the object that is meant. */
static void check_composed(const struct qom_parts *known)
{
    error_scope(err);
    owned(qom_sketch) struct qom_sketch *sketch = qom_parts_compose(known, line);
    cr_assert_not_null(sketch);
    cr_assert_eq(sketch->objects.count, qom_store_count(store));
    owned_memory uint32_t *properties = NULL;
    owned(qom_store) struct qom_store *drawn = qom_sketch_store(sketch, &properties, &err);
    cr_assert_not_null(drawn, "%s", error_text(&err));
    owned(qom_plan) struct qom_plan *plan = qom_plan_make(drawn, "key", properties);
    for (size_t i = 0; i < qom_plan_count(plan); i++) {
        bool ambiguous;
        owned_buffer struct buffer path = { 0 };
        const struct peer_node *node = peer_resolve(&tree, qom_plan_object(plan, i)->request, &ambiguous);
        qom_plan_path(plan, (uint32_t) i, &path);
        cr_assert(node && strcmp(node->path, path.data) == 0, "%s for %s", qom_plan_object(plan, i)->request,
                  path.data);
    }
}

Test(qom_parts, what_was_learnt_composes_to_what_was_there)
{
    if (!learn_recorded("qom-pc-11.1.json"))
        return;
    check_composed(parts);
    cr_assert_null(qom_parts_learn(parts, "emulator", line, store), "nothing new");
    done();
}

Test(qom_parts, a_line_with_an_unknown_part_or_machine_is_not_composed)
{
    if (!learn_recorded("qom-pc-11.1.json"))
        return;
    static const char *const more[] = { "qemu", "-M", "pc", "-accel", "tcg", "-m", "128", "-nodefaults",
                                        "-device", "virtio-rng-pci,id=rng0", NULL };
    static const char *const two[] = { "qemu", "-M", "pc", "-accel", "tcg", "-m", "128", "-nodefaults",
                                       "-smp", "2", NULL };
    static const char *const *const lines[] = { more, more + 2, two };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        owned(qom_line) struct qom_line *other = qom_line_new(lines[i]);
        cr_assert_null(qom_parts_compose(parts, other));
    }
    done();
}

Test(qom_parts, survive_the_disk)
{
    char folder[] = "/tmp/qom-parts-XXXXXX";
    error_scope(err);
    if (!learn_recorded("qom-pc-11.1.json"))
        return;
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_null(qom_parts_load(folder, "emulator", &err));
    cr_assert_eq(err.code, ERR_NONE);
    cr_assert_eq(qom_parts_save(parts, folder, &err), 0, "%s", error_text(&err));
    owned(qom_parts) struct qom_parts *again = qom_parts_load(folder, "emulator", &err);
    cr_assert_not_null(again, "%s", error_text(&err));
    cr_assert_eq(qom_parts_count(again), qom_parts_count(parts));
    check_composed(again);
    cr_assert_null(qom_parts_load(folder, "another", &err));
    owned_memory char *command = memory_printf("rm -r %s", folder);
    cr_assert_eq(system(command), 0);
    done();
}

Test(qom_parts, what_comes_and_goes_is_not_counted_on)
{
    if (!learn_recorded("qom-pc-11.1.json"))
        return;
    peer_remove(&tree, "/machine/unattached/device[6]");
    owned(qom_store) struct qom_store *without = peer_walk(&tree);
    owned(qom_parts) struct qom_parts *less = qom_parts_learn(parts, "emulator", line, without);
    cr_assert_not_null(less);
    owned(qom_parts) struct qom_parts *again = qom_parts_learn(less, "emulator", line, store);
    owned(qom_sketch) struct qom_sketch *sketch = qom_parts_compose(again ? again : less, line);
    cr_assert_eq(qom_sketch_find(sketch, "/machine/unattached/device[6]"), QOM_NONE, "although it came back");
    cr_assert_neq(qom_sketch_find(sketch, "/machine/unattached/device[7]"), QOM_NONE);
    done();
}

/* --- processors ------------------------------------------------------------------------------------- */

/* A machine with that many: each with a part of its own and a link to it, and a device behind them. */
static struct qom_store *machine_with(unsigned cpus)
{
    error_scope(err);
    owned(qom_sketch) struct qom_sketch *sketch = qom_sketch_new();
    uint32_t root = qom_sketch_add(sketch, 0, "/", false, 1);
    uint32_t machine = qom_sketch_add(sketch, root, "machine", false, 1);
    uint32_t unattached = qom_sketch_add(sketch, machine, "unattached", false, 1);
    unsigned row = 0;
    for (unsigned i = 0; i < cpus + 2; i++) {
        bool other = i == 1 || i == cpus + 1;               /* one device stands behind the first processor */
        owned_memory char *name = memory_printf("device[%u]", row++);
        uint32_t device = qom_sketch_add(sketch, unattached, name, false, 1);
        if (other && i == 1)
            continue;
        owned_memory char *path = memory_printf("/machine/unattached/%s/%s", name, other ? "timer" : "part");
        qom_sketch_add(sketch, device, other ? "timer" : "part", false, 1);
        qom_sketch_link(sketch, device, "own", path);
        sketch->objects.items[device].cpu = !other;
    }
    owned_memory uint32_t *properties = NULL;
    return qom_sketch_store(sketch, &properties, &err);
}

static struct qom_parts *learn_machine(unsigned cpus)
{
    owned(qom_store) struct qom_store *bare = machine_with(cpus), *typed = qom_store_new();
    static const char *const argv[] = { "qemu", "-M", "pc", NULL };
    owned(qom_line) struct qom_line *l = qom_line_new(argv);
    error_scope(err);
    /* The same tree with types, which a sketch has none of. */
    for (uint32_t o = 0; o < qom_store_count(bare); o++) {
        uint32_t first, count = qom_store_children(bare, o, &first);
        owned_buffer struct buffer path = { 0 };
        qom_store_add_path(bare, o, &path);
        uint32_t place = qom_store_walk(typed, QOM_ROOT, path.data);
        cr_assert_eq(qom_store_open(typed, place, &err), 0);
        for (uint32_t c = first; c < first + count; c++) {
            uint32_t part;
            bool cpu = qom_store_children(bare, c, &part) &&
                       strcmp(qom_store_name(bare, part), "part") == 0 &&
                       strcmp(qom_store_name(bare, o), "unattached") == 0;
            const char *type = cpu ? "child<x-cpu>" : "child<x>";
            cr_assert_eq(qom_store_add(typed, qom_store_name(bare, c), type, NULL, &err), 0);
        }
        for (size_t i = 0; i < qom_store_property_count(bare, o); i++) {
            struct qom_property p = qom_store_property(bare, o, i);
            cr_assert_eq(qom_store_add(typed, p.name, p.type, p.value, &err), 0);
        }
        cr_assert_eq(qom_store_close(typed, &err), 0);
    }
    return qom_parts_learn(NULL, "emulator", l, typed);
}

static void sorted_paths(const struct qom_sketch *sketch, struct buffer *out)
{
    for (uint32_t o = 0; o < sketch->objects.count; o++) {
        qom_sketch_add_path(sketch, o, out);
        buffer_add_char(out, '\n');
    }
}

Test(qom_parts, a_machine_with_two_processors_tells_of_any_number)
{
    owned(qom_parts) struct qom_parts *two = learn_machine(2);
    for (unsigned cpus = 1; cpus <= 5; cpus++) {
        owned_memory char *number = memory_printf("%u", cpus);
        const char *const argv[] = { "qemu", "-M", "pc", "-smp", number, NULL };
        owned(qom_line) struct qom_line *l = qom_line_new(argv);
        owned(qom_sketch) struct qom_sketch *composed = qom_parts_compose(two, l);
        cr_assert_not_null(composed, "%u", cpus);
        owned(qom_store) struct qom_store *truth = machine_with(cpus);
        owned_buffer struct buffer paths = { 0 };
        cr_assert_eq(composed->objects.count, qom_store_count(truth), "%u", cpus);
        for (uint32_t o = 0; o < qom_store_count(truth); o++) {
            paths.length = 0;
            qom_store_add_path(truth, o, &paths);
            cr_assert_neq(qom_sketch_find(composed, paths.data), QOM_NONE, "%u: %s", cpus, paths.data);
        }
        for (size_t i = 0; i < composed->links.count; i++) {
            paths.length = 0;
            qom_sketch_add_path(composed, composed->links.items[i].object, &paths);
            const char *target = composed->links.items[i].target;
            cr_assert(text_starts(target, paths.data), "%u: %s has %s", cpus, paths.data, target);
        }
    }
}

/* --- listings --------------------------------------------------------------------------------------- */

Test(qom_parts, a_listing_is_read_and_anything_else_is_none)
{
    owned(qom_sketch) struct qom_sketch *sketch = qom_listing_parse(
        "/ (container)\r\n  /machine (pc)\r\n    /bus (x) 1[0] (memory-region)\r\n    /gpio[0] (irq)\r\n"
        "  /objects (container)\r\n");
    cr_assert_not_null(sketch);
    owned_buffer struct buffer paths = { 0 };
    sorted_paths(sketch, &paths);
    cr_assert_str_eq(paths.data, "/\n/machine\n/machine/bus (x) 1[0]\n/machine/gpio[0]\n/objects\n");
    cr_assert(sketch->objects.items[3].leaf);
    static const char *const others[] = {
        "", "unknown command: 'info qom-tree /'\r\n", "/ (container)\r\n      /deep (x)\r\n",
        "/machine (pc)\r\n", "/ (container)\r\n/ (container)\r\n", "/ (container)\r\n  / (x)\r\n",
        "/ (container)\r\n  /a/b (x)\r\n", "/ (container)\r\n  /a\r\n", "/ (container)\r\n   /a (x)\r\n",
        "/ (container)\r\n  /a (x\r\n", "(\r\n", "/)",
    };
    for (size_t i = 0; i < ARRAY_COUNT(others); i++)
        cr_assert_null(qom_listing_parse(others[i]), "%s", others[i]);
}
