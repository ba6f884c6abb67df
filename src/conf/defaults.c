/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/defaults.h"

#include <string.h>

#include "base/text.h"
#include "conf/kept.h"
#include "conf/machine.h"
#include "conf/pci.h"
#include "conf/usb.h"
#include "conf/virtio_serial.h"
#include "xml/element.h"

void defaults_fill_os(struct domain_def *def, const struct conf_defaults *defaults, struct arena *arena)
{
    if (!def->emulator)
        def->emulator = arena_copy(arena, defaults ? defaults->emulator : NULL);
    if (!def->os.arch)
        def->os.arch = arena_copy(arena, defaults && defaults->arch ? defaults->arch : "x86_64");
    const char *canonical = defaults && defaults->canonical_machine
        ? defaults->canonical_machine(defaults->arg, def->emulator, def->os.machine) : NULL;
    if (canonical)
        def->os.machine = arena_copy(arena, canonical);
    else if (!def->os.machine && machine_is_x86(def))
        def->os.machine = "pc";
}

static void fill_amounts(struct domain_def *def)
{
    if (def->current_memory.kib == 0 || def->current_memory.kib > def->memory.kib)
        def->current_memory.kib = def->memory.kib;
    def->current_memory.unit = "KiB";
    if (!def->max_vcpus)
        def->max_vcpus = 1;
    if (!def->vcpus)
        def->vcpus = def->max_vcpus;
    if (!def->vcpu_placement)
        def->vcpu_placement = VCPU_STATIC;
}

/* What the emulator takes when nobody chooses, said aloud, so that it stays when the emulator changes its
 * mind. */
static void fill_cpu(struct domain_def *def, struct arena *arena)
{
    if (!machine_is_x86(def))
        return;
    if (!def->cpu)
        def->cpu = ARENA_NEW(arena, struct cpu);
    struct cpu *cpu = def->cpu;
    if (!cpu->mode)
        cpu->mode = CPU_CUSTOM;
    if (cpu->mode == CPU_CUSTOM && !cpu->model) {
        cpu->model = "qemu64";
        cpu->fallback = CPU_FORBID;
        if (!cpu->check)
            cpu->check = CPU_CHECK_NONE;
    }
    if (cpu->mode == CPU_CUSTOM && !cpu->match)
        cpu->match = CPU_EXACT;
    if (cpu->mode == CPU_HOST_PASSTHROUGH && !cpu->migratable && def->type == DOMAIN_TYPE_KVM)
        cpu->migratable = ON;
    if (cpu->check)
        return;
    cpu->check = cpu->mode == CPU_HOST_MODEL || (cpu->mode == CPU_CUSTOM && def->type == DOMAIN_TYPE_KVM)
        ? CPU_CHECK_PARTIAL : CPU_CHECK_NONE;
}

static bool has_boot_order(const struct domain_def *def)
{
    for (size_t i = 0; i < def->disks.count; i++)
        if (def->disks.items[i]->boot_order)
            return true;
    for (size_t i = 0; i < def->interfaces.count; i++)
        if (def->interfaces.items[i]->boot_order)
            return true;
    for (size_t i = 0; i < def->hostdevs.count; i++)
        if (def->hostdevs.items[i]->boot_order)
            return true;
    for (size_t i = 0; i < def->redirdevs.count; i++)
        if (def->redirdevs.items[i]->boot_order)
            return true;
    for (size_t i = 0; i < def->filesystems.count; i++)
        if (def->filesystems.items[i]->boot_order)
            return true;
    return kept_has_boot_order(def);
}

static void fill_boot(struct domain_def *def, struct arena *arena)
{
    if (def->os.boots.count || has_boot_order(def))
        return;
    struct boot *boot = ARENA_NEW(arena, struct boot);
    boot->device = BOOT_DISK;
    list_add(arena, &def->os.boots, boot);
}

static void fill_actions(struct domain_def *def)
{
    if (!def->on_poweroff)
        def->on_poweroff = ACTION_DESTROY;
    if (!def->on_reboot)
        def->on_reboot = ACTION_RESTART;
    if (!def->on_crash)
        def->on_crash = ACTION_DESTROY;
    if (!def->clock.offset)
        def->clock.offset = CLOCK_UTC;
}

void defaults_fill(struct domain_def *def, const struct conf_defaults *defaults, struct xml_context *x)
{
    struct arena *arena = xml_arena(x);
    if (uuid_is_zero(&def->uuid))
        def->uuid = uuid_random();
    if (def->has_genid && uuid_is_zero(&def->genid))
        def->genid = uuid_random();
    fill_amounts(def);
    fill_cpu(def, arena);
    if (def->cpu && def->cpu->numa)
        numa_fill_first_cell(def->cpu->numa, def->max_vcpus, arena);
    fill_boot(def, arena);
    fill_actions(def);
    defaults_add_devices(def, arena);
    defaults_place_disks(def, x);
    virtio_serial_assign(def, arena);
    pci_assign(def, x);
    usb_assign(def, arena);
}
