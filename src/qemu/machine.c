/* SPDX-License-Identifier: Apache-2.0 */
/* The board: machine, accelerator, threads; other files say what its firmware, processors and memory are. */
#include "qemu/line.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/text.h"

static bool is_x86(const struct line *line)
{
    return text_equal(line->def->os.arch, "x86_64") || text_equal(line->def->os.arch, "i686");
}

/* --- machine --- */

static bool has_nvdimm(const struct domain_def *def)
{
    for (size_t i = 0; i < def->memory_devices.count; i++)
        if (def->memory_devices.items[i]->model == MEMORY_NVDIMM)
            return true;
    return false;
}

/* In libvirt's order. */
static void add_machine(struct line *line, const struct caps_machine *machine)
{
    static const char *const irqchips[] = { [IOAPIC_KVM] = "on", [IOAPIC_QEMU] = "split" };
    const struct domain_def *def = line->def;
    const struct features *features = &def->features;
    const struct timer_def *hpet = line_timer(line, TIMER_HPET);
    bool secure = def->os.loader_secure == YES && features->smm == ON_OFF_ABSENT;
    owned_buffer struct buffer option = { 0 };
    option_add(&option, NULL, def->os.machine);
    option_add(&option, "usb", "off");
    option_add(&option, "vmport", enum_word(&on_off_names, features->vmport));
    option_add(&option, "smm", secure ? "on" : enum_word(&on_off_names, features->smm));
    option_add(&option, "i8042", enum_word(&on_off_names, features->ps2));
    option_add(&option, "dump-guest-core", def->memory.dump_core == ON ? "on" : "off");
    if (def->memory_backing && def->memory_backing->nosharepages)
        option_add(&option, "mem-merge", "off");
    if (features->ioapic)
        option_add(&option, "kernel_irqchip", irqchips[features->ioapic]);
    if (has_nvdimm(def))
        option_add(&option, "nvdimm", "on");
    option_add(&option, "memory-backend", line_has_cells(line) ? NULL : machine->default_ram);
    line_flash_machine(line, &option);
    if (def->os.bios_useserial == YES)
        option_add(&option, "graphics", "off");
    if (hpet)
        option_add_yes_no(&option, "hpet", hpet->present);
    if (is_x86(line))
        option_add_bool(&option, "acpi", features->acpi);
    line_option(line, "-machine", &option);
}

static void add_tseg(struct line *line)
{
    uint64_t kib = line->def->features.tseg.kib;
    if (!kib)
        return;
    owned_memory char *global = memory_printf("mch.extended-tseg-mbytes=%" PRIu64, kib / 1024);
    argv_add_pair(line->argv, "-global", global);
}

static int check_features(const struct line *line, struct error *err)
{
    const struct features *features = &line->def->features;
    if (line->def->type == DOMAIN_TYPE_KVM && !line->caps->kvm_usable)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "domain type 'kvm' needs KVM, which emulator '%s' %s; type 'qemu' runs without it",
                    line->caps->emulator,
                    line->caps->kvm_present ? "cannot use on this host (/dev/kvm)" : "was built without");
    if (features->viridian || features->privnet)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<features>: %s is not supported",
                    features->viridian ? "viridian" : "privnet");
    if (features->async_teardown == YES)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<features>: async-teardown is not supported");
    if (features->hyperv && features->hyperv->mode == HYPERV_HOST_MODEL)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "<hyperv>: mode 'host-model' is not supported, only 'custom' and 'passthrough' are");
    if ((features->tseg.kib || line->def->os.loader_secure == YES) && !line_is_q35(line))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "%s needs machine q35, not '%s'",
                    features->tseg.kib ? "<tseg>" : "<os>: a secure loader", line->def->os.machine);
    if (line->def->os.bios_useserial == YES && !line->def->serials.count)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<os>: bios useserial='yes' needs a <serial>");
    if (features->vmcoreinfo == ON && !caps_has_type(line->caps, "vmcoreinfo"))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<features>: this emulator has no vmcoreinfo");
    return 0;
}

/* Nothing but the two accelerators, and what each can be told. */
static void add_accelerator(struct line *line)
{
    const struct features *features = &line->def->features;
    bool kvm = line->def->type == DOMAIN_TYPE_KVM;
    owned_buffer struct buffer option = { 0 };
    option_add(&option, NULL, kvm ? "kvm" : "tcg");
    if (kvm && features->kvm_dirty_ring == ON)
        option_add_u64(&option, "dirty-ring-size", features->kvm_dirty_ring_size);
    if (!kvm && features->tb_cache.kib)
        option_add_u64(&option, "tb-size", features->tb_cache.kib / 1024);
    line_option(line, "-accel", &option);
}

static void add_iothread(struct line *line, uint32_t id)
{
    const struct iothreads *threads = &line->def->iothreads;
    const struct iothread *said = iothreads_find(threads, id);
    owned_props struct props props;
    props_begin(&props, "qom-type", "iothread");
    props_printf(&props, "id", "iothread%u", id);
    if (said) {
        props_opt_u32(&props, "thread-pool-min", said->pool_min);
        props_opt_u32(&props, "thread-pool-max", said->pool_max);
        if (said->poll_max.set)
            props_u64(&props, "poll-max-ns", said->poll_max.value);
        if (said->poll_grow.set)
            props_u64(&props, "poll-grow", said->poll_grow.value);
        if (said->poll_shrink.set)
            props_u64(&props, "poll-shrink", said->poll_shrink.value);
    }
    line_object(line, &props);
}

static void add_iothreads(struct line *line)
{
    uint32_t ids[IOTHREADS_MAX];
    size_t count = iothreads_ids(&line->def->iothreads, ids);
    for (size_t i = 0; i < count; i++)
        add_iothread(line, ids[i]);
    const struct iothreads *threads = &line->def->iothreads;
    if (!threads->default_pool_min.set && !threads->default_pool_max.set)
        return;
    owned_props struct props props;
    props_begin(&props, "qom-type", "main-loop");
    props_text(&props, "id", "main-loop");
    props_opt_u32(&props, "thread-pool-min", threads->default_pool_min);
    props_opt_u32(&props, "thread-pool-max", threads->default_pool_max);
    line_object(line, &props);
}

int line_machine(struct line *line, struct error *err)
{
    const char *name = line->def->os.machine;
    const struct caps_machine *machine = caps_machine_find(line->caps, name);
    if (!machine)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<os>: emulator '%s' has no machine '%s'",
                    line->caps->emulator, name);
    if (check_features(line, err) < 0 || line_flash(line, err) < 0)
        return -1;
    add_machine(line, machine);
    add_accelerator(line);
    if (line_cpu(line, machine, err) < 0)
        return -1;
    line_firmware(line);
    add_tseg(line);
    if (line_memory(line, machine, err) < 0 || line_smp(line, machine, err) < 0)
        return -1;
    add_iothreads(line);
    line_cells(line);
    return 0;
}
