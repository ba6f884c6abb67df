/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/features.h"

#include "conf/rows.h"

#define SELF struct features
PART(apic, "apic", "Interrupt controllers of the processors.",
    PRESENT(apic), ATTR("eoi", apic_eoi, on_off, "paravirtual end of interrupt"));
PART(pvspinlock, "pvspinlock", "Paravirtual spin locks.",
    ATTR("state", pvspinlock, on_off, "on or off", DEFAULT("on")));
PART(vmport, "vmport", "VMware's port.", ATTR("state", vmport, on_off, "on or off", DEFAULT("on")));
PART(smm, "smm", "System management mode.", ATTR("state", smm, on_off, "on or off", DEFAULT("on")));
PART(pmu, "pmu", "Performance counters.", ATTR("state", pmu, on_off, "on or off", DEFAULT("on")));
PART(vmcoreinfo, "vmcoreinfo", "Lets a crashed guest leave notes.",
    ATTR("state", vmcoreinfo, on_off, "on or off", DEFAULT("on")));

const struct element features_element = ELEMENT(
    "features", "What the machine offers beside its processor and devices.",
    FLAG("acpi", acpi, "ACPI tables."),
    INLINE(apic),
    FLAG("pae", pae, "Memory beyond 4 GiB on 32 bits."),
    FLAG("hap", hap, "Nested page tables."),
    FLAG("viridian", viridian, "Hyper-V's interface, as Xen has it."),
    FLAG("privnet", privnet, "A network of its own, for containers."),
    INLINE(pvspinlock), INLINE(pmu), INLINE(vmport), INLINE(smm), INLINE(vmcoreinfo));
