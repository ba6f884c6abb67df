/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/processor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/compose.h"
#include "simvmm/cpu_model.h"
#include "simvmm/option.h"

static int wrong(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int wrong(struct error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    owned_memory char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    va_end(arguments);
    fail(err, ERR_INVALID_ARG, "%s", text);
    return option_bare(err);
}

int processor_check_topology(struct vm *vm, unsigned most, struct error *err)
{
    unsigned given = vm->sockets + vm->cores;
    if (!vm->cpus && !vm->cpus_max)
        vm->cpus = given || vm->threads || vm->dies ? 0 : 1;
    vm->dies = vm->dies ? vm->dies : 1;
    vm->modules = vm->modules ? vm->modules : 1;
    unsigned total = vm->cpus_max ? vm->cpus_max : vm->cpus;
    unsigned threads = vm->threads ? vm->threads : 1;
    /* Newer machines fill up with cores, not with sockets. */
    if (!total) {
        vm->sockets = vm->sockets ? vm->sockets : 1;
        vm->cores = vm->cores ? vm->cores : 1;
        total = vm->sockets * vm->dies * vm->modules * vm->cores * threads;
    } else if (!vm->cores) {
        vm->sockets = vm->sockets ? vm->sockets : 1;
        vm->cores = total / (vm->sockets * vm->dies * vm->modules * threads);
    } else if (!vm->sockets) {
        vm->sockets = total / (vm->dies * vm->modules * vm->cores * threads);
    }
    if (!vm->threads)
        vm->threads = given && vm->cores && vm->sockets
                          ? total / (vm->sockets * vm->dies * vm->modules * vm->cores)
                          : 1;
    vm->threads = vm->threads ? vm->threads : 1;
    vm->cpus_max = total;
    vm->cpus = vm->cpus ? vm->cpus : total;
    unsigned product = vm->sockets * vm->dies * vm->modules * vm->cores * vm->threads;
    owned_memory char *hierarchy =
        vm_is(vm, 11) ? memory_printf("sockets (%u) * dies (%u) * modules (%u) * cores (%u) * threads (%u)",
                                      vm->sockets, vm->dies, vm->modules, vm->cores, vm->threads)
                      : memory_printf("sockets (%u) * dies (%u) * cores (%u) * threads (%u)", vm->sockets,
                                      vm->dies, vm->cores, vm->threads);
    if (product != vm->cpus_max)
        return wrong(err,
                     "Invalid CPU topology: product of the hierarchy must match maxcpus: %s != maxcpus (%u)",
                     hierarchy, vm->cpus_max);
    if (vm->cpus > vm->cpus_max)
        return wrong(
            err,
            "Invalid CPU topology: maxcpus must be equal to or greater than smp: %s == maxcpus (%u) < "
                     "smp_cpus (%u)",
            hierarchy, vm->cpus_max, vm->cpus);
    if (vm->cpus_max > most)
        return wrong(err, "Invalid SMP CPUs %u. The max CPUs supported by machine '%s' is %u", vm->cpus_max,
                     vm->machine, most);
    return 0;
}

struct processor_place processor_place(const struct vm *vm, unsigned index)
{
    struct processor_place place;
    place.thread = index % vm->threads;
    index /= vm->threads;
    place.core = index % vm->cores;
    index /= vm->cores;
    place.module = index % vm->modules;
    index /= vm->modules;
    place.die = index % vm->dies;
    place.socket = index / vm->dies;
    return place;
}

static bool is_cpu(const struct vm *vm, const struct qom_node *node)
{
    return data_type_is(vm->data, node->type, "x86_64-cpu") || data_type_is(vm->data, node->type, "cpu");
}

struct qom_node *processor_node(const struct vm *vm, unsigned index)
{
    struct qom_node *unattached = qom_at(vm->tree, "/machine/unattached");
    for (unsigned n = 0; unattached; n++) {
        owned_memory char *name = memory_printf("device[%u]", n);
        struct qom_node *node = qom_child(unattached, name);
        if (!node)
            return NULL;
        if (is_cpu(vm, node) && index-- == 0)
            return node;
    }
    return NULL;
}

/* ---- objects ---- */

static unsigned bits(unsigned count)
{
    unsigned n = 0;
    while ((1u << n) < count)
        n++;
    return n;
}

static void set_place(const struct vm *vm, struct qom_node *cpu, unsigned index)
{
    struct processor_place p = processor_place(vm, index);
    unsigned apic = p.thread | p.core << bits(vm->threads);
    unsigned shift = bits(vm->threads) + bits(vm->cores);
    apic |= p.module << shift;
    shift += bits(vm->modules);
    apic |= p.die << shift;
    shift += bits(vm->dies);
    apic |= p.socket << shift;
    qom_set_number(cpu, "apic-id", apic);
    qom_set_number(cpu, "socket-id", p.socket);
    qom_set_number(cpu, "die-id", p.die);
    qom_set_number(cpu, "module-id", p.module);
    qom_set_number(cpu, "core-id", p.core);
    qom_set_number(cpu, "thread-id", p.thread);
    struct qom_node *lapic = qom_child(cpu, "lapic");
    if (lapic) {
        qom_set_number(lapic, "id", apic);
        qom_set_number(lapic, "index", index);
    }
}

/* QEMU numbers what has no name in the order of making, and makes all processors before the rest of the
 * board: what comes after them moves up. */
static void make_room(struct vm *vm, struct qom_node *unattached, unsigned from, unsigned by)
{
    for (size_t i = 0; i < unattached->properties.count; i++) {
        struct qom_property *p = &unattached->properties.items[i];
        unsigned number;
        if (p->kind != QOM_CHILD || sscanf(p->name, "device[%u]", &number) != 1 || number < from)
            continue;
        p->name = p->node->name = arena_printf(vm->arena, "device[%u]", number + by);
    }
    qom_changed(vm->tree);
}

static void set_topology(struct vm *vm)
{
    owned_buffer struct buffer b = { 0 };
    if (vm_is(vm, 11))
        buffer_printf(
            &b,
            "{\"modules\": %u, \"cpus\": %u, \"maxcpus\": %u, \"books\": 1, \"threads\": %u, \"cores\": %u, "
                      "\"dies\": %u, "
            "\"sockets\": %u, \"clusters\": 1, \"drawers\": 1}",
            vm->modules, vm->cpus, vm->cpus_max, vm->threads, vm->cores, vm->dies, vm->sockets);
    else
        buffer_printf(
            &b,
            "{\"cores\": %u, \"threads\": %u, \"cpus\": %u, \"sockets\": %u, \"clusters\": 1, \"dies\": %u, "
            "\"maxcpus\": %u}",
            vm->cores, vm->threads, vm->cpus, vm->sockets, vm->dies, vm->cpus_max);
    qom_set(qom_at(vm->tree, "/machine"), "smp", buffer_text(&b));
}

int processor_create_all(struct vm *vm, struct error *err)
{
    struct qom_node *unattached = qom_at(vm->tree, "/machine/unattached");
    const struct part *part = data_part(vm->data, "cpu", "pc");
    unsigned together = vm->dies * vm->modules * vm->cores * vm->threads;
    set_topology(vm);
    if (!processor_node(vm, 0))
        return 0;
    if (cpu_model_check(vm, processor_node(vm, 0), err) < 0)
        return -1;
    set_place(vm, processor_node(vm, 0), 0);
    cpu_model_apply(vm, processor_node(vm, 0), together);
    if (vm->cpus == 1)
        return 0;
    if (!part)
        return fail(err, ERR_NO_SUPPORT, "a second processor of QEMU %s has not been harvested", vm->version);
    struct qom_node *after = qom_child(unattached, "device[1]");
    unsigned first = after && text_equal(after->type, "kvmvapic") ? 2 : 1;
    make_room(vm, unattached, first, vm->cpus - 1);
    for (unsigned n = 1; n < vm->cpus; n++) {
        const char *name = arena_printf(vm->arena, "device[%u]", first + n - 1);
        struct placing place = { .parent = unattached, .name = name };
        struct qom_node *cpu = compose_part(vm, part, &place);
        set_place(vm, cpu, n);
        cpu_model_apply(vm, cpu, together);
    }
    return 0;
}
