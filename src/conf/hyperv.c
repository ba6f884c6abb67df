/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/hyperv.h"

#include <string.h>

#include "conf/rows.h"

enum { VENDOR_BYTES = 12 };

DEFINE_ENUM_CODEC(hyperv_mode, HYPERV_MODES);

static void hyperv_check(void *self, struct xml_context *x)
{
    struct hyperv *hyperv = self;
    if (hyperv->spinlocks == ON && !hyperv->retries.set)
        xml_refuse(x, &hyperv->spinlocks, ERR_XML, "retries='8191', say",
                   "hyperv's spinlocks need a number of retries");
    if (hyperv->vendor == ON && !hyperv->vendor_id)
        xml_refuse(x, &hyperv->vendor, ERR_XML, "value='...'", "hyperv's vendor_id has no value");
    if (hyperv->vendor_id && (strlen(hyperv->vendor_id) > VENDOR_BYTES || strchr(hyperv->vendor_id, ',')))
        xml_refuse(x, &hyperv->vendor_id, ERR_XML, "at most 12 bytes, none of them a comma",
                   "'%s' cannot be hyperv's vendor_id", hyperv->vendor_id);
}

/* <relaxed state='on'/>, and what it may have beside the state. */
#define ENLIGHTENMENT(table, word, member, text, ...) \
    PART(table, word, text, ATTR("state", member, on_off, "on or off", REQUIRED), ##__VA_ARGS__)

#define SELF struct hyperv
PART(stimer_direct, "direct", "Delivered straight to the processor.",
    ATTR("state", stimer_direct, on_off, "on or off", REQUIRED));
PART(tlbflush_direct, "direct", "Flushes of a nested guest.",
    ATTR("state", tlbflush_direct, on_off, "on or off", REQUIRED));
PART(tlbflush_extended, "extended", "Flushes of single ranges.",
    ATTR("state", tlbflush_extended, on_off, "on or off", REQUIRED));
ENLIGHTENMENT(relaxed, "relaxed", relaxed, "No watchdog that a busy host would trip.");
ENLIGHTENMENT(vapic, "vapic", vapic, "A quicker interrupt controller.");
ENLIGHTENMENT(spinlocks, "spinlocks", spinlocks, "Waiting vcpus tell the host.",
    ATTR("retries", retries, opt_u32, "spins before it tells", RANGE(4095, UINT32_MAX)));
ENLIGHTENMENT(vpindex, "vpindex", vpindex, "Processors know their number.");
ENLIGHTENMENT(runtime, "runtime", runtime, "Time that each processor ran.");
ENLIGHTENMENT(synic, "synic", synic, "Synthetic interrupts.");
ENLIGHTENMENT(stimer, "stimer", stimer, "Synthetic timers.", INLINE(stimer_direct));
ENLIGHTENMENT(reset, "reset", reset, "Reset by the hypervisor.");
ENLIGHTENMENT(vendor_id, "vendor_id", vendor, "The hypervisor's name.",
    ATTR("value", vendor_id, string, "the name"));
ENLIGHTENMENT(frequencies, "frequencies", frequencies, "Frequencies of clock and interrupts.");
ENLIGHTENMENT(reenlightenment, "reenlightenment", reenlightenment, "Told when the clock's speed changes.");
ENLIGHTENMENT(tlbflush, "tlbflush", tlbflush, "Flushes of other processors' address caches.",
    INLINE(tlbflush_direct), INLINE(tlbflush_extended));
ENLIGHTENMENT(ipi, "ipi", ipi, "Interrupts between processors.");
ENLIGHTENMENT(evmcs, "evmcs", evmcs, "Quicker nested guests on Intel.");
ENLIGHTENMENT(avic, "avic", avic, "Interrupts by the processor's own means.");
ENLIGHTENMENT(emsr_bitmap, "emsr_bitmap", emsr_bitmap, "Quicker registers of nested guests.");
ENLIGHTENMENT(xmm_input, "xmm_input", xmm_input, "Arguments in wide registers.");

const struct element hyperv_element = ELEMENT_CHECKED("hyperv", "Hyper-V's interface.", hyperv_check,
    ATTR("mode", mode, hyperv_mode, "all of the host's, or the ones listed", DEFAULT("custom")),
    INLINE(relaxed), INLINE(vapic), INLINE(spinlocks), INLINE(vpindex), INLINE(runtime), INLINE(synic),
    INLINE(stimer), INLINE(reset), INLINE(vendor_id), INLINE(frequencies), INLINE(reenlightenment),
    INLINE(tlbflush), INLINE(ipi), INLINE(evmcs), INLINE(avic), INLINE(emsr_bitmap), INLINE(xmm_input));
