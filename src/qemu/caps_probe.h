/* SPDX-License-Identifier: Apache-2.0 */
/* caps_probe.h - one emulator, run on no machine and asked what it can do.
 *
 * All questions leave together, right after the negotiation, so a probe is one round trip; the replies are
 * 170 kB on QEMU 11.1, most of it processor models.  The 250 kB schema is not asked for: what we need from
 * it, versions tell.
 */
#pragma once
#include "base/error.h"
#include "loop/fiber.h"

struct caps;

enum caps_question {
    ASK_VERSION, ASK_TARGET, ASK_KVM, ASK_COMMANDS, ASK_TYPES, ASK_MACHINES, ASK_CPUS, ASK_SANDBOX, ASK_COUNT
};

enum { CAPS_PROBE_MS = 10000 };         /* a program that has not answered by then is no emulator for us */

/* Runs `emulator` (with `sim_options` if it is simvmm), asks, ends it.  ERR_TIMEOUT if it took too long. */
WAITS struct caps *caps_probe(const char *emulator, const char *sim_options, const char *key,
                              struct error *err);
