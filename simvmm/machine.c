/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "simvmm/compose.h"
#include "simvmm/keyval.h"
#include "simvmm/message.h"
#include "simvmm/option.h"
#include "simvmm/processor.h"
#include "simvmm/property.h"
#include "simvmm/run.h"
#include "simvmm/value.h"

static const struct { const char *prefix, *part; uint64_t low_limit, low; } families[] = {
    { "pc-i440fx-", "pc", 0xe0000000, 0xc0000000 },
    { "pc-q35-", "q35", 0xb0000000, 0x80000000 },
    { "microvm", "microvm", 0xc0000000, 0xc0000000 },
    { "none", "none", UINT64_MAX, UINT64_MAX },
};

/* The entry of query-machines with that name or alias. */
static const struct json *machine_entry(const struct vm *vm, const char *name)
{
    error_scope(err);
    const struct json *all = json_parse(data_reply(vm->data, "query-machines"),
                                        strlen(data_reply(vm->data, "query-machines")), vm->arena, &err);
    for (size_t i = 0; all && i < all->length; i++)
        if (text_equal(json_get_text(all->items[i], "name"), name) ||
            text_equal(json_get_text(all->items[i], "alias"), name))
            return all->items[i];
    return NULL;
}

static int find_machine(struct vm *vm, struct error *err)
{
    if (!vm->machine)
        vm->machine = "pc";
    const struct json *entry = machine_entry(vm, vm->machine);
    if (!entry) {
        if (vm_is(vm, 11))
            fail(err, ERR_INVALID_ARG,
                 "unsupported machine type: \"%s\"\nUse -machine help to list supported machines",
                 vm->machine);
        else
            fail(err, ERR_INVALID_ARG,
                 "unsupported machine type\nUse -machine help to list supported machines");
        return -1;
    }
    vm->machine = json_get_text(entry, "name");
    vm->machine_type = arena_printf(vm->arena, "%s-machine", vm->machine);
    uint64_t most = 255;
    json_to_u64(json_get(entry, "cpu-max"), &most);
    return processor_check_topology(vm, (unsigned) most, err);
}

/* A part was harvested from the newest machine of its family; ours may be an older one. */
static void rename_machine(struct vm *vm)
{
    struct qom_node *machine = qom_at(vm->tree, "/machine");
    struct qom_property *child = qom_property_find(qom_root(vm->tree), "machine");
    if (text_equal(machine->type, vm->machine_type))
        return;
    machine->type = vm->machine_type;
    child->type = arena_printf(vm->arena, "child<%s>", vm->machine_type);
    qom_set_text(machine, "type", vm->machine_type);
}

int machine_create(struct vm *vm, struct error *err)
{
    if (find_machine(vm, err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_COUNT(families); i++) {
        if (!text_starts(vm->machine, families[i].prefix))
            continue;
        vm->low_memory = vm->memory < families[i].low_limit ? vm->memory : families[i].low;
        if (compose_machine(vm, families[i].part, err) < 0)
            return -1;
        rename_machine(vm);
        vm->family = families[i].part;
        vm->own_memory = qom_at(vm->tree, "/objects/pc.ram");
        return 0;
    }
    return fail(err, ERR_NO_SUPPORT, "machine '%s' exists in QEMU %s, but is not simulated", vm->machine,
                vm->version);
}

/* ---- memory ---- */

static void set_number_at(struct vm *vm, const char *path, const char *property, uint64_t number)
{
    struct qom_node *node = qom_at(vm->tree, path);
    if (node)
        qom_set_number(node, property, number);
}

static void add_high_memory(struct vm *vm, uint64_t high)
{
    struct qom_node *unattached = qom_at(vm->tree, "/machine/unattached"),
                    *low = qom_at(vm->tree, "/machine/unattached/ram-below-4g[0]");
    if (!low)
        return;
    struct qom_node *node = qom_node_add(vm->tree, unattached, "ram-above-4g[0]", "memory-region");
    for (size_t i = 0; i < low->properties.count; i++) {
        struct qom_property p = low->properties.items[i];
        p.own = NULL;
        qom_add(vm->tree, node, &p);
    }
    qom_set_number(node, "addr", 1ull << 32);
    qom_set_number(node, "size", high);
    qom_set_number(node, "priority", 0);
}

static void set_memory(struct vm *vm)
{
    struct qom_node *machine = qom_at(vm->tree, "/machine");
    uint64_t high = vm->memory - vm->low_memory;
    owned_memory char *json =
        vm->memory_max ? memory_printf("{\"max-size\": %llu, \"size\": %llu, \"slots\": %llu}",
                                       (unsigned long long) vm->memory_max, (unsigned long long) vm->memory,
                                       (unsigned long long) vm->memory_slots)
                       : memory_printf("{\"size\": %llu}", (unsigned long long) vm->memory);
    qom_set(machine, "memory", json);
    static const char *const hosts[] = { "/machine/i440fx", "/machine/q35" };
    for (size_t i = 0; i < ARRAY_COUNT(hosts); i++) {
        set_number_at(vm, hosts[i], "below-4g-mem-size", vm->low_memory);
        set_number_at(vm, hosts[i], "above-4g-mem-size", high);
        set_number_at(vm, hosts[i], "pci-hole-start", vm->low_memory);
        set_number_at(vm, hosts[i], "pci-hole64-start", (1ull << 32) + high);
    }
    set_number_at(vm, "/machine/i440fx", "pci-hole64-end", (6ull << 30) + high);
    set_number_at(vm, "/machine/unattached/ram-below-4g[0]", "size", vm->low_memory);
    if (high)
        add_high_memory(vm, high);
}

/* Whoever made it: the board maps it, and -machine and -smp have a say in it. */
static void finish_backend(struct vm *vm, struct qom_node *backend)
{
    bool dump = true;
    error_scope(ignored);
    if (!backend)
        return;
    for (size_t i = 0; i < backend->properties.count; i++) {
        const struct qom_property *p = &backend->properties.items[i];
        if (p->kind != QOM_CHILD || !p->node || !text_equal(p->node->type, "memory-region"))
            continue;
        static const char *const hosts[] = { "/machine/i440fx", "/machine/q35" };
        for (size_t k = 0; k < ARRAY_COUNT(hosts); k++)
            if (qom_at(vm->tree, hosts[k]))
                qom_link(vm->tree, qom_at(vm->tree, hosts[k]), "ram-mem", p->node);
        break;
    }
    if (keyval_bool(vm->machine_options, "dump-guest-core", &dump, &ignored) == 0)
        qom_set_bool(backend, "dump", dump);
    const struct qom_property *threads = qom_property_find(backend, "prealloc-threads");
    if (threads && text_equal(threads->value, "1"))
        qom_set_number(backend, "prealloc-threads", vm->cpus);
}

/* The memory that QEMU makes by itself, unless -machine names one that -object made. */
static int set_backend(struct vm *vm, struct error *err)
{
    const char *name = keyval_text(vm->machine_options, "memory-backend");
    struct qom_node *own = vm->own_memory;
    if (name) {
        owned_memory char *path = memory_printf("/objects/%s", name);
        struct qom_node *given = qom_at(vm->tree, path);
        if (!given || given == own)
            return fail(err, ERR_INVALID_ARG, "Memory backend '%s' not found", name), option_bare(err);
        if (own)
            qom_node_remove(vm->tree, own);
        vm->own_memory = own = given;
        qom_link(vm->tree, qom_at(vm->tree, "/machine"), "memory-backend", given);
    } else if (own && vm->memory_in_cells) {
        qom_node_remove(vm->tree, own);
        vm->own_memory = own = NULL;
    } else if (own) {
        qom_set_number(own, "size", vm->memory);
        qom_child_is_new(vm->tree, own);
        struct qom_node *region = qom_child(own, "pc.ram[0]");
        if (region)
            qom_set_number(region, "size", vm->memory);
    }
    finish_backend(vm, own);
    return 0;
}

/* ---- properties ---- */

/* What is no property of the board: its own, and what QEMU hands on to the accelerator, which here is TCG and
 * does not care. */
static bool is_for_another(const char *key)
{
    static const char *const words[] = {
        "type", "accel", "memory-backend", "kernel_irqchip", "kernel-irqchip", "kvm-shadow-mem",
    };
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if (text_equal(key, words[i]))
            return true;
    return false;
}

static int set_options(struct vm *vm, struct error *err)
{
    struct qom_node *machine = qom_at(vm->tree, "/machine");
    for (size_t i = 0; vm->machine_options && i < vm->machine_options->length; i++) {
        const struct json_member *m = &vm->machine_options->members[i];
        if (is_for_another(m->key))
            continue;
        if (property_set(vm, machine, m->key, m->value, false, err) < 0)
            return -1;
    }
    qom_set_text(machine, "kernel", vm->kernel ? vm->kernel : "");
    qom_set_text(machine, "initrd", vm->initrd ? vm->initrd : "");
    qom_set_text(machine, "append", vm->append ? vm->append : "");
    if (vm->firmware)
        qom_set_text(machine, "firmware", vm->firmware);
    return 0;
}

static void set_boot(struct vm *vm)
{
    static const char *const words[] = { "order", "once", "splash" },
                             *const numbers[] = { "splash-time", "reboot-timeout" },
                             *const switches[] = { "menu", "strict" };
    if (!vm->boot)
        return;
    struct json *boot = value_object(vm->arena);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        value_set_text(vm->arena, boot, words[i], keyval_text(vm->boot, words[i]));
    if (!json_get(boot, "order"))
        value_set_text(vm->arena, boot, "order", "cad");
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        if (keyval_text(vm->boot, numbers[i]))
            value_set(vm->arena, boot, numbers[i],
                      value_digits(vm->arena, keyval_text(vm->boot, numbers[i])));
    for (size_t i = 0; i < ARRAY_COUNT(switches); i++) {
        bool on = false;
        if (keyval_text(vm->boot, switches[i]) && keyval_parse_bool(keyval_text(vm->boot, switches[i]), &on))
            value_set_bool(vm->arena, boot, switches[i], on);
    }
    owned_buffer struct buffer b = { 0 };
    value_print(&b, boot);
    qom_set(qom_at(vm->tree, "/machine"), "boot", buffer_text(&b));
}

/* hpet=off and the like: the board is another one. */
static void apply_switches(struct vm *vm)
{
    bool any = false;
    for (size_t i = 0; vm->machine_options && i < vm->machine_options->length; i++) {
        const struct json_member *m = &vm->machine_options->members[i];
        bool on;
        if (!json_text(m->value) || !keyval_parse_bool(json_text(m->value), &on))
            continue;
        owned_memory char *name = memory_printf("%s %s=%s", vm->family, m->key, on ? "on" : "off");
        const struct part *part = data_part(vm->data, "variant", name);
        if (part)
            compose_variant(vm, part);
        any |= part != NULL;
    }
    if (any)
        compose_close_numbers(vm);
}

int machine_finish(struct vm *vm, struct error *err)
{
    if (text_equal(vm->machine, "none"))
        return 0;
    set_memory(vm);
    if (set_backend(vm, err) < 0 || set_options(vm, err) < 0)
        return -1;
    set_boot(vm);
    apply_switches(vm);
    compose_globals(vm, qom_root(vm->tree));
    return processor_create_all(vm, err);
}
