/* SPDX-License-Identifier: Apache-2.0 */
/* inject.h - what a test does to a simulated guest past its monitor: simvmm's control socket.
 *
 * A simvmm that we start is told by an environment variable where to listen, beside its monitor; no real
 * emulator is. So this works for guests of simvmm only, and says so for others.
 */
#pragma once
#include "loop/fiber.h"

struct argv;
struct caps;
struct domain;
struct vmm;

void inject_add_variable(const struct vmm *vmm, struct argv *ret_environment);
void inject_remove(const char *monitor_path);           /* what a killed one leaves behind */

/* Sends one line of simvmm(1)'s script language; `*ret_text` is what it had to say (the caller frees). It
 * takes no job and needs no monitor, so it can end what hangs. */
WAITS int domain_inject(struct domain *dom, const char *line, char **ret_text, struct error *err);
