/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/device.h"
#include "simvmm/input.h"
#include "simvmm/machine.h"
#include "simvmm/vm.h"

static struct vm vm;

static void begin(const char *version, unsigned cpus)
{
    error_scope(err);
    vm_init(&vm, "/usr/bin/simvmm");
    vm.version = version;
    vm.cpus = cpus;
    cr_assert_eq(vm_open_data(&vm, &err), 0);
    cr_assert(machine_create(&vm, &err) == 0 && machine_finish(&vm, &err) == 0, "%s", error_text(&err));
}

static struct device *add(const char *json)
{
    error_scope(err);
    const struct json *given = input_parse(json, true, vm.arena, &err);
    struct device *device = device_create(&vm, given, DEVICE_STRICT, &err);
    cr_assert_not_null(device, "%s: %s", json, error_text(&err));
    return device;
}

static void refuses(const char *json, const char *because)
{
    error_scope(err);
    const struct json *given = input_parse(json, true, vm.arena, &err);
    cr_assert_null(device_create(&vm, given, 0, &err));
    cr_assert_str_eq(error_text(&err), because);
}

static void count(struct qom_node *node, void *arg)
{
    *(size_t *) arg += node != NULL;
}

static size_t nodes(void)
{
    size_t n = 0;
    qom_walk(qom_root(vm.tree), count, &n);
    return n;
}

static const char *value(const char *path, const char *property)
{
    static struct buffer out;
    struct qom_node *node = qom_at(vm.tree, path);
    cr_assert_not_null(node, "%s", path);
    const struct qom_property *p = qom_property_find(node, property);
    cr_assert_not_null(p, "%s.%s", path, property);
    out.length = 0;
    return qom_print_value(p, &out) ? buffer_text(&out) : NULL;
}

static void end(void)
{
    vm_done(&vm);
}

TestSuite(compose, .fini = end);

/* Counted on QEMU 11.1.3 and 7.2.22 with -nodefaults. */
Test(compose, a_bare_pc_has_as_many_objects_as_qemus)
{
    begin("11.1", 1);
    cr_assert_eq(nodes(), 253 - 2, "%zu, without the monitor's two", nodes());
}

Test(compose, an_older_pc_is_another_one)
{
    begin("7.2", 1);
    cr_assert_str_eq(value("/machine", "type"), "\"pc-i440fx-7.2-machine\"");
    cr_assert_null(qom_at(vm.tree, "/audiodevs"));
}

Test(compose, a_device_stands_on_its_bus_with_the_values_given)
{
    begin("11.1", 1);
    size_t before = nodes();
    add("{\"driver\": \"virtio-balloon-pci\", \"id\": \"b0\", \"bus\": \"pci.0\", \"addr\": \"0x7\", "
        "\"deflate-on-oom\": true}");
    cr_assert_eq(nodes() - before, 15);
    cr_assert_str_eq(value("/machine/peripheral/b0", "addr"), "56");
    cr_assert_str_eq(value("/machine/peripheral/b0", "parent_bus"), "\"/machine/i440fx/pci.0\"");
    cr_assert_str_eq(value("/machine/peripheral/b0/virtio-backend", "deflate-on-oom"), "true");
    cr_assert_str_eq(value("/machine/i440fx/pci.0", "child[4]"), "\"/machine/peripheral/b0\"");
}

Test(compose, a_bus_is_named_after_its_device_or_counted)
{
    begin("11.1", 1);
    add("{\"driver\": \"piix3-usb-uhci\", \"id\": \"usb\"}");
    add("{\"driver\": \"piix3-usb-uhci\"}");
    add("{\"driver\": \"usb-tablet\", \"id\": \"t\", \"bus\": \"usb.0\"}");
    cr_assert_str_eq(value("/machine/peripheral/t", "parent_bus"), "\"/machine/peripheral/usb/usb.0\"");
    cr_assert_not_null(qom_at(vm.tree, "/machine/peripheral-anon/device[0]/usb-bus.0"));
}

Test(compose, further_processors_move_the_board_up)
{
    begin("11.1", 3);
    cr_assert_str_eq(value("/machine/unattached/device[3]", "type"), "\"qemu64-x86_64-cpu\"");
    cr_assert_str_eq(value("/machine/unattached/device[3]", "core-id"), "2");
    cr_assert_str_eq(value("/machine/unattached/device[4]", "type"), "\"i440FX\"");
    cr_assert_str_eq(value("/machine", "smram"), "\"/machine/unattached/device[4]/smram[0]\"");
}

Test(compose, what_cannot_be_is_refused_and_leaves_nothing_behind)
{
    begin("11.1", 1);
    size_t before = nodes();
    refuses("{\"driver\": \"nope\"}", "'nope' is not a valid device model name");
    refuses("{\"driver\": \"pci-device\"}", "Parameter 'driver' expects a non-abstract device type");
    refuses("{\"driver\": \"virtio-balloon-pci\", \"foo\": 1}",
            "Property 'virtio-balloon-pci.foo' not found");
    refuses("{\"driver\": \"virtio-balloon-pci\", \"bus\": \"zz\"}", "Bus 'zz' not found");
    refuses("{\"driver\": \"virtio-balloon-pci\", \"addr\": \"1.0\"}",
            "PCI: slot 1 function 0 not available for virtio-balloon-pci, in use by PIIX3,id=(null)");
    refuses("{\"driver\": \"virtio-blk-pci\", \"drive\": \"zz\"}",
            "Property 'virtio-blk-device.drive' can't find value 'zz'");
    cr_assert_eq(nodes(), before);
}

Test(compose, an_id_is_taken_once)
{
    begin("11.1", 1);
    add("{\"driver\": \"virtio-serial-pci\", \"id\": \"a\"}");
    refuses("{\"driver\": \"virtio-scsi-pci\", \"id\": \"a\"}", "Duplicate ID 'a' for device");
}
