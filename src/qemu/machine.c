/* SPDX-License-Identifier: Apache-2.0 */
/* The board: machine, accelerator, processors, memory. */
#include "qemu/line.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static bool is_x86(const struct line *line)
{
    return text_equal(line->def->os.arch, "x86_64") || text_equal(line->def->os.arch, "i686");
}

/* --- machine --- */

static int add_machine(struct line *line, const struct caps_machine *machine)
{
    const struct domain_def *def = line->def;
    const struct timer_def *hpet = line_timer(line, TIMER_HPET);
    owned_buffer struct buffer option = { 0 };
    option_add(&option, NULL, def->os.machine);
    option_add(&option, "usb", "off");
    option_add(&option, "vmport", enum_word(&on_off_names, def->features.vmport));
    option_add(&option, "smm", enum_word(&on_off_names, def->features.smm));
    option_add(&option, "dump-guest-core", def->memory.dump_core == ON ? "on" : "off");
    option_add(&option, "memory-backend", machine->default_ram);
    if (hpet)
        option_add_yes_no(&option, "hpet", hpet->present);
    if (is_x86(line))
        option_add_bool(&option, "acpi", def->features.acpi);
    line_option(line, "-machine", &option);
    return 0;
}

static int check_features(const struct line *line, struct error *err)
{
    const struct features *features = &line->def->features;
    if (line->def->type == DOMAIN_TYPE_KVM && !line->caps->kvm_usable)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "domain type 'kvm' needs KVM, which emulator '%s' %s; type 'qemu' runs without it",
                    line->caps->emulator,
                    line->caps->kvm_present ? "cannot use on this host (/dev/kvm)" : "was built without");
    if (features->viridian || features->hap || features->privnet)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<features>: %s is not supported",
                    features->viridian ? "viridian" : features->hap ? "hap" : "privnet");
    if (features->vmcoreinfo == ON && !caps_has_type(line->caps, "vmcoreinfo"))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<features>: this emulator has no vmcoreinfo");
    return 0;
}

/* --- processor --- */

/* "qemu64-x86_64-cpu" is model qemu64. */
static char *default_cpu_model(const struct line *line, const struct caps_machine *machine)
{
    const char *type = machine->default_cpu;
    if (!type)
        return NULL;
    owned_memory char *suffix = memory_printf("-%s-cpu", line->caps->arch);
    size_t length = strlen(type), cut = strlen(suffix);
    return text_ends(type, suffix) ? memory_copy_bytes(type, length - cut) : memory_copy_text(type);
}

/* What a mode means with the accelerator at hand: "host" is KVM's word for all that the host has, "max" TCG's
 * for all that it can emulate. */
static int choose_model(const struct line *line, const struct caps_machine *machine, char **ret_model,
                        struct error *err)
{
    const struct cpu *cpu = line->def->cpu;
    bool kvm = line->def->type == DOMAIN_TYPE_KVM;
    enum cpu_mode mode = cpu ? cpu->mode : CPU_MODE_ABSENT;
    if (mode == CPU_HOST_PASSTHROUGH && !kvm)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "CPU mode 'host-passthrough' needs domain type 'kvm'; this is '%s'",
                    enum_word(&domain_type_names, line->def->type));
    if (mode == CPU_HOST_PASSTHROUGH || (mode == CPU_HOST_MODEL && kvm))
        *ret_model = memory_copy_text("host");
    else if (mode == CPU_MAXIMUM || mode == CPU_HOST_MODEL)
        *ret_model = memory_copy_text("max");
    else
        *ret_model = cpu && cpu->model ? memory_copy_text(cpu->model) : default_cpu_model(line, machine);
    return 0;
}

static int check_model(const struct line *line, const char *model, struct error *err)
{
    for (size_t i = 0; i < line->caps->cpus_count; i++)
        if (text_equal(line->caps->cpus[i].name, model))
            return 0;
    if (!line->caps->cpus_count || text_equal(model, "host"))
        return 0;
    return fail(err, ERR_CONFIG_UNSUPPORTED, "<cpu>: emulator '%s' knows no model '%s'", line->caps->emulator,
                model);
}

/* Ours are libvirt's names, with underscores; QEMU's have hyphens, and one is another word. */
static void add_cpu_feature(struct buffer *option, const struct cpu_feature *feature)
{
    bool other = text_equal(feature->name, "pclmuldq");
    owned_memory char *name = memory_copy_text(other ? "pclmulqdq" : feature->name);
    for (char *c = name; *c; c++)
        if (*c == '_')
            *c = '-';
    bool on = feature->policy != CPU_DISABLE && feature->policy != CPU_FORBIDDEN;
    option_add_bool(option, name, on);
}

/* The clocks that are a matter of the processor. */
static int add_cpu_timers(const struct line *line, struct buffer *option, struct error *err)
{
    const struct clock *clock = &line->def->clock;
    for (size_t i = 0; i < clock->timers.count; i++) {
        const struct timer_def *timer = clock->timers.items[i];
        if (timer->name == TIMER_KVMCLOCK)
            option_add_yes_no(option, "kvmclock", timer->present);
        else if (timer->name == TIMER_HYPERVCLOCK)
            option_add_yes_no(option, "hv-time", timer->present);
        else if (timer->name == TIMER_TSC && timer->frequency)
            option_add_u64(option, "tsc-frequency", timer->frequency);
        else if (timer->name == TIMER_PLATFORM || timer->name == TIMER_ARMVTIMER || timer->mode)
            return fail(err, ERR_CONFIG_UNSUPPORTED, "<clock>: timer '%s'%s is not supported",
                        enum_word(&timer_name_names, timer->name), timer->mode ? " with a mode" : "");
    }
    return 0;
}

/* Whether the guest sees the host's caches, an emulated level 3, or neither. */
static void add_cpu_cache(struct buffer *option, const struct cpu *cpu)
{
    if (cpu->cache_mode == CPU_CACHE_PASSTHROUGH)
        option_add(option, "host-cache-info", "on");
    if (cpu->cache_mode == CPU_CACHE_EMULATE)
        option_add(option, "l3-cache", "on");
    else if (cpu->cache_mode)
        option_add(option, "l3-cache", "off");
    bool whole_host = cpu->mode == CPU_HOST_PASSTHROUGH || cpu->mode == CPU_MAXIMUM;
    if (whole_host && cpu->cache_mode && cpu->cache_mode != CPU_CACHE_PASSTHROUGH)
        option_add(option, "host-cache-info", "off");
}

static int add_cpu(struct line *line, const struct caps_machine *machine, struct error *err)
{
    const struct cpu *cpu = line->def->cpu;
    owned_memory char *model = NULL;
    if (choose_model(line, machine, &model, err) < 0)
        return -1;
    if (!model)
        return 0;
    if (check_model(line, model, err) < 0)
        return -1;
    owned_buffer struct buffer option = { 0 };
    option_add(&option, NULL, model);
    if (text_equal(model, "host"))
        option_add(&option, "migratable", cpu->migratable == OFF ? "off" : "on");
    if (cpu)
        option_add(&option, "vendor", cpu->vendor_id);
    for (size_t i = 0; cpu && i < cpu->features.count; i++)
        add_cpu_feature(&option, cpu->features.items[i]);
    if (add_cpu_timers(line, &option, err) < 0)
        return -1;
    const struct features *features = &line->def->features;
    option_add(&option, "kvm-pv-eoi", enum_word(&on_off_names, features->apic_eoi));
    option_add(&option, "kvm-pv-unhalt", enum_word(&on_off_names, features->pvspinlock));
    option_add(&option, "pmu", enum_word(&on_off_names, features->pmu));
    if (cpu)
        add_cpu_cache(&option, cpu);
    line_option(line, "-cpu", &option);
    return 0;
}

static int add_smp(struct line *line, const struct caps_machine *machine, struct error *err)
{
    const struct domain_def *def = line->def;
    const struct cpu *cpu = def->cpu;
    if (machine->cpus_max && def->max_vcpus > machine->cpus_max)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<vcpu>: machine '%s' takes at most %u processors, not %u",
                    def->os.machine, machine->cpus_max, def->max_vcpus);
    owned_buffer struct buffer option = { 0 };
    option_add_u64(&option, NULL, def->vcpus);
    if (def->vcpus != def->max_vcpus)
        option_add_u64(&option, "maxcpus", def->max_vcpus);
    bool topology = cpu && cpu->sockets;
    option_add_u64(&option, "sockets", topology ? cpu->sockets : def->max_vcpus);
    if (topology) {
        option_add_u64(&option, "dies", cpu->dies ? cpu->dies : 1);
        if (line->caps->version >= 7001000)
            option_add_u64(&option, "clusters", cpu->clusters ? cpu->clusters : 1);
    }
    option_add_u64(&option, "cores", topology && cpu->cores ? cpu->cores : 1);
    option_add_u64(&option, "threads", topology && cpu->threads ? cpu->threads : 1);
    line_option(line, "-smp", &option);
    return 0;
}

/* --- memory --- */

static void add_memory(struct line *line, const struct caps_machine *machine)
{
    uint64_t kib = line_memory_kib(line->def);
    owned_memory char *size = memory_printf("size=%" PRIu64 "k", kib);
    argv_add_pair(line->argv, "-m", size);
    if (machine->default_ram) {
        owned_props struct props ram;
        props_begin(&ram, "qom-type", "memory-backend-ram");
        props_text(&ram, "id", machine->default_ram);
        props_u64(&ram, "size", kib * 1024);
        line_object(line, &ram);
    }
    argv_add_pair(line->argv, "-overcommit", "mem-lock=off");
}

int line_machine(struct line *line, struct error *err)
{
    const char *name = line->def->os.machine;
    const struct caps_machine *machine = caps_machine_find(line->caps, name);
    if (!machine)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<os>: emulator '%s' has no machine '%s'",
                    line->caps->emulator, name);
    if (check_features(line, err) < 0)
        return -1;
    add_machine(line, machine);
    argv_add_pair(line->argv, "-accel", line->def->type == DOMAIN_TYPE_KVM ? "kvm" : "tcg");
    if (add_cpu(line, machine, err) < 0)
        return -1;
    if (line->def->os.loader)
        argv_add_pair(line->argv, "-bios", line->def->os.loader);
    add_memory(line, machine);
    return add_smp(line, machine, err);
}
