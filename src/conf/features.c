/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/features.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(ioapic_driver, IOAPIC_DRIVERS);
DEFINE_ENUM_CODEC(gic_version, GIC_VERSIONS);

static void features_check(void *self, struct xml_context *x)
{
    struct features *features = self;
    uint32_t size = features->kvm_dirty_ring_size;
    bool fits = size >= 1024 && size <= 65536 && (size & (size - 1)) == 0;
    if (features->kvm_dirty_ring == ON && !fits)
        xml_refuse(x, &features->kvm_dirty_ring_size, ERR_XML, "a power of 2 from 1024 to 65536",
                   "kvm's dirty-ring cannot have %u entries", size);
}

#define SELF struct memory_amount
PART_CHECKED(tseg, "tseg", "Memory of the system management mode.", memory_check,
    ATTR("unit", unit, string, "unit of the amount", DEFAULT("MiB")),
    TEXT(kib, u64, "amount", REQUIRED));
PART_CHECKED(tb_cache, "tb-cache", "Memory for translated code.", memory_check,
    ATTR("unit", unit, string, "unit of the amount", DEFAULT("KiB")),
    TEXT(kib, u64, "amount", REQUIRED));
#undef SELF

#define SELF struct features
PART(apic, "apic", "Interrupt controllers of the processors.",
    PRESENT(apic), ATTR("eoi", apic_eoi, on_off, "paravirtual end of interrupt"));
PART(hap, "hap", "Nested page tables.", ATTR("state", hap, on_off, "on or off", DEFAULT("on")));
PART(hidden, "hidden", "Does the guest not see KVM?",
    ATTR("state", kvm_hidden, on_off, "on or off", REQUIRED));
PART(hint_dedicated, "hint-dedicated", "Has each vcpu a processor of its own?",
    ATTR("state", kvm_hint_dedicated, on_off, "on or off", REQUIRED));
PART(poll_control, "poll-control", "May the guest wait for itself?",
    ATTR("state", kvm_poll_control, on_off, "on or off", REQUIRED));
PART(pv_ipi, "pv-ipi", "Paravirtual interrupts between processors.",
    ATTR("state", kvm_pv_ipi, on_off, "on or off", REQUIRED));
PART(dirty_ring, "dirty-ring", "How changed memory is recorded.",
    ATTR("state", kvm_dirty_ring, on_off, "on or off", REQUIRED),
    ATTR("size", kvm_dirty_ring_size, u32, "entries", IF(kvm_dirty_ring, ON)));
PART(kvm, "kvm", "What the guest sees of KVM.",
    INLINE(hidden), INLINE(hint_dedicated), INLINE(poll_control), INLINE(pv_ipi), INLINE(dirty_ring));
PART(pvspinlock, "pvspinlock", "Paravirtual spin locks.",
    ATTR("state", pvspinlock, on_off, "on or off", DEFAULT("on")));
PART(vmport, "vmport", "VMware's port.", ATTR("state", vmport, on_off, "on or off", DEFAULT("on")));
PART(smm, "smm", "System management mode.", ATTR("state", smm, on_off, "on or off", DEFAULT("on")),
    NESTED(tseg, tseg, IF(smm, ON)));
PART(pmu, "pmu", "Performance counters.", ATTR("state", pmu, on_off, "on or off", DEFAULT("on")));
PART(gic, "gic", "Interrupt controller of ARM.", PRESENT(has_gic),
    ATTR("version", gic, gic_version, "version"));
PART(ioapic, "ioapic", "Interrupt controller of the board.",
    ATTR("driver", ioapic, ioapic_driver, "who emulates it", REQUIRED));
PART(vmcoreinfo, "vmcoreinfo", "Lets a crashed guest leave notes.",
    ATTR("state", vmcoreinfo, on_off, "on or off", DEFAULT("on")));
PART(tcg, "tcg", "Translation of the guest's code.", NESTED(tb_cache, tb_cache));
PART(async_teardown, "async-teardown", "Does the memory go after the guest's end?",
    ATTR("enabled", async_teardown, yes_no, "yes or no", DEFAULT("yes")));
PART(ps2, "ps2", "The old ports of keyboard and mouse.",
    ATTR("state", ps2, on_off, "on or off", DEFAULT("on")));

const struct element features_element = ELEMENT_CHECKED(
    "features", "What the machine offers beside its processor and devices.", features_check,
    FLAG("acpi", acpi, "ACPI tables."),
    INLINE(apic),
    FLAG("pae", pae, "Memory beyond 4 GiB on 32 bits."),
    INLINE(hap),
    FLAG("viridian", viridian, "Hyper-V's interface, as Xen has it."),
    FLAG("privnet", privnet, "A network of its own, for containers."),
    CHILD(hyperv, hyperv_element),
    INLINE(kvm), INLINE(pvspinlock), INLINE(pmu), INLINE(vmport), INLINE(gic), INLINE(smm), INLINE(ioapic),
    INLINE(vmcoreinfo), INLINE(tcg), INLINE(async_teardown), INLINE(ps2));
