/* SPDX-License-Identifier: Apache-2.0 */
/* features.h - <features>: what the machine offers beside its processor and devices. */
#pragma once
#include "xml/value.h"

/* <pmu state='on'/>: an element without the attribute means on. */
struct features {
    struct extras extras;
    bool acpi, apic, pae, hap, viridian, privnet;
    enum on_off apic_eoi;
    enum on_off vmport, smm, pmu, vmcoreinfo, pvspinlock;
};

DECLARE_ELEMENT(features_element, struct features);
