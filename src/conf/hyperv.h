/* SPDX-License-Identifier: Apache-2.0 */
/* hyperv.h - <features><hyperv>: what makes a Windows guest believe that Hyper-V runs it. */
#pragma once
#include "xml/value.h"

#define HYPERV_MODES(_) \
    _(HYPERV_CUSTOM, "custom") _(HYPERV_PASSTHROUGH, "passthrough") _(HYPERV_HOST_MODEL, "host-model")
DECLARE_ENUM(hyperv_mode, HYPERV_MODE_ABSENT, HYPERV_MODES);

struct hyperv {
    struct extras extras;
    enum hyperv_mode mode;
    enum on_off relaxed, vapic, spinlocks, vpindex, runtime, synic, stimer, stimer_direct, reset, vendor;
    enum on_off frequencies, reenlightenment, tlbflush, tlbflush_direct, tlbflush_extended, ipi, evmcs, avic;
    enum on_off emsr_bitmap, xmm_input;
    struct opt_u32 retries;                     /* of spinlocks, from 4095 */
    const char *vendor_id;                      /* at most 12 bytes, no comma */
};

DECLARE_ELEMENT(hyperv_element, struct hyperv);
