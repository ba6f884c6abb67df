/* SPDX-License-Identifier: Apache-2.0 */
/* features.h - <features>: what the machine offers beside its processor and devices. */
#pragma once
#include "conf/hyperv.h"
#include "conf/memory.h"
#include "xml/value.h"

#define IOAPIC_DRIVERS(_) _(IOAPIC_KVM, "kvm") _(IOAPIC_QEMU, "qemu")
DECLARE_ENUM(ioapic_driver, IOAPIC_ABSENT, IOAPIC_DRIVERS);

#define GIC_VERSIONS(_) _(GIC_2, "2") _(GIC_3, "3") _(GIC_HOST, "host")
DECLARE_ENUM(gic_version, GIC_ABSENT, GIC_VERSIONS);

/* <pmu state='on'/>: an element without the attribute means on. */
struct features {
    struct extras extras;
    bool acpi, apic, pae, viridian, privnet;
    enum on_off hap;
    enum on_off apic_eoi;
    struct hyperv *hyperv;
    enum on_off kvm_hidden, kvm_hint_dedicated, kvm_poll_control, kvm_pv_ipi, kvm_dirty_ring;   /* <kvm> */
    uint32_t kvm_dirty_ring_size;               /* a power of 2 */
    enum on_off vmport, smm, pmu, vmcoreinfo, pvspinlock, ps2;
    struct memory_amount tseg;                  /* <smm>; 0 KiB: the firmware's choice */
    enum ioapic_driver ioapic;
    bool has_gic;                               /* of ARM */
    enum gic_version gic;
    struct memory_amount tb_cache;              /* <tcg> */
    enum yes_no async_teardown;
};

DECLARE_ELEMENT(features_element, struct features);
