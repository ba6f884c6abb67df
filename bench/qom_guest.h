/* SPDX-License-Identifier: Apache-2.0 */
/* qom_guest.h - for bench qom: an emulator with usual devices, paused, and what it costs. */
#pragma once
#include "loop/process.h"
#include "qemu/monitor.h"

struct guest {
    char *folder;                       /* holds its socket and image */
    struct process *process;
    struct monitor *monitor;
    unsigned commands;                  /* enum qom_commands */
    const char *const *argv;            /* but for the image's name */
};

enum guest_kind {
    GUEST_USUAL,                        /* what known figures were taken with */
    GUEST_OTHER,                        /* of the same parts, in another number and order, with other names */
    GUEST_LARGE,                        /* with 512 processors */
};
WAITS struct guest *guest_start(const char *emulator, enum guest_kind kind, struct error *err);
WAITS void guest_stop(struct guest *guest);
double guest_cpu_ms(const struct guest *guest);         /* of all its threads, since it started */
