/* SPDX-License-Identifier: Apache-2.0 */
/* The processors: model, features, what makes a guest feel at home, and how many there are. */
#include "qemu/line.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* --- model --- */

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

static void add_cpu_addresses(struct buffer *option, const struct cpu *cpu)
{
    if (cpu->address_mode == CPU_ADDRESS_EMULATE) {
        option_add_u64(option, "phys-bits", cpu->address_bits);
    } else if (cpu->address_mode == CPU_ADDRESS_PASSTHROUGH) {
        option_add_bool(option, "host-phys-bits", true);
        if (cpu->address_limit)
            option_add_u64(option, "host-phys-bits-limit", cpu->address_limit);
    }
}

/* --- clocks and enlightenments --- */

/* The clocks that are a matter of the processor. */
static int add_clocks(const struct line *line, struct buffer *option, struct error *err)
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

/* In libvirt's order; only what is on is said. */
static void add_hyperv(struct buffer *option, const struct hyperv *hv)
{
    if (hv->mode == HYPERV_PASSTHROUGH)
        option_add_bool(option, "hv-passthrough", true);
    owned_memory char *retries = hv->spinlocks == ON ? memory_printf("0x%x", hv->retries.value) : NULL;
    const struct { const char *key; enum on_off state; const char *value; } enlightenments[] = {
        { "hv-relaxed", hv->relaxed, "on" },
        { "hv-vapic", hv->vapic, "on" },
        { "hv-spinlocks", hv->spinlocks, retries },
        { "hv-vpindex", hv->vpindex, "on" },
        { "hv-runtime", hv->runtime, "on" },
        { "hv-synic", hv->synic, "on" },
        { "hv-stimer", hv->stimer, "on" },
        { "hv-stimer-direct", hv->stimer == ON ? hv->stimer_direct : OFF, "on" },
        { "hv-reset", hv->reset, "on" },
        { "hv-vendor-id", hv->vendor, hv->vendor_id },
        { "hv-frequencies", hv->frequencies, "on" },
        { "hv-reenlightenment", hv->reenlightenment, "on" },
        { "hv-tlbflush", hv->tlbflush, "on" },
        { "hv-tlbflush-direct", hv->tlbflush == ON ? hv->tlbflush_direct : OFF, "on" },
        { "hv-tlbflush-ext", hv->tlbflush == ON ? hv->tlbflush_extended : OFF, "on" },
        { "hv-ipi", hv->ipi, "on" },
        { "hv-evmcs", hv->evmcs, "on" },
        { "hv-avic", hv->avic, "on" },
        { "hv-emsr-bitmap", hv->emsr_bitmap, "on" },
        { "hv-xmm-input", hv->xmm_input, "on" },
    };
    for (size_t i = 0; i < ARRAY_COUNT(enlightenments); i++)
        if (enlightenments[i].state == ON)
            option_add(option, enlightenments[i].key, enlightenments[i].value);
}

/* <panic model='hyperv'/> is no device: the guest says it through the processor. */
static void add_hyperv_panic(struct buffer *option, const struct domain_def *def)
{
    for (size_t i = 0; i < def->panics.count; i++)
        if (def->panics.items[i]->model == PANIC_HYPERV) {
            option_add(option, NULL, "hv-crash");
            return;
        }
}

static void add_kvm(struct buffer *option, const struct features *features)
{
    if (features->kvm_hidden == ON)
        option_add_bool(option, "kvm", false);
    if (features->kvm_hint_dedicated == ON)
        option_add_bool(option, "kvm-hint-dedicated", true);
    if (features->kvm_poll_control == ON)
        option_add_bool(option, "kvm-poll-control", true);
    if (features->kvm_pv_ipi == OFF)
        option_add_bool(option, "kvm-pv-ipi", false);
}

int line_cpu(struct line *line, const struct caps_machine *machine, struct error *err)
{
    const struct cpu *cpu = line->def->cpu;
    const struct features *features = &line->def->features;
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
    if (add_clocks(line, &option, err) < 0)
        return -1;
    option_add(&option, "kvm-pv-eoi", enum_word(&on_off_names, features->apic_eoi));
    option_add(&option, "kvm-pv-unhalt", enum_word(&on_off_names, features->pvspinlock));
    if (features->hyperv)
        add_hyperv(&option, features->hyperv);
    add_hyperv_panic(&option, line->def);
    add_kvm(&option, features);
    option_add(&option, "pmu", enum_word(&on_off_names, features->pmu));
    if (cpu) {
        add_cpu_cache(&option, cpu);
        add_cpu_addresses(&option, cpu);
    }
    line_option(line, "-cpu", &option);
    return 0;
}

/* QEMU enables the first ones. */
static int check_vcpu_list(const struct domain_def *def, struct error *err)
{
    for (size_t i = 0; i < def->vcpu_list.count; i++) {
        const struct vcpu *vcpu = def->vcpu_list.items[i];
        if ((vcpu->enabled == YES) != (vcpu->id.value < def->vcpus))
            return fail(err, ERR_CONFIG_UNSUPPORTED,
                        "<vcpus>: with %u vcpus at boot, vcpu %u cannot be %s: the first ones are there",
                        def->vcpus, vcpu->id.value, vcpu->enabled == YES ? "one of them" : "left out");
    }
    return 0;
}

/* --- how many --- */

int line_smp(struct line *line, const struct caps_machine *machine, struct error *err)
{
    const struct domain_def *def = line->def;
    const struct cpu *cpu = def->cpu;
    if (machine->cpus_max && def->max_vcpus > machine->cpus_max)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<vcpu>: machine '%s' takes at most %u processors, not %u",
                    def->os.machine, machine->cpus_max, def->max_vcpus);
    if (check_vcpu_list(def, err) < 0)
        return -1;
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

