/* SPDX-License-Identifier: Apache-2.0 */
/* command_line.h - from a definition to the words that start it.
 *
 * A pure function of the definition, the capabilities and a few facts of this start: no I/O, so that golden
 * files can hold it.  The result is an array of words from end to end; no shell ever sees it, and it is
 * quoted only to be shown.  Aliases, node names and device properties follow libvirt, since its users' tools
 * and snapshots rely on them.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "qemu/argv.h"

struct caps;
struct domain_def;

struct command_line {
    const struct domain_def *def;       /* with aliases, addresses and ports: launch_prepare() */
    const struct caps *caps;
    bool classic_drives;                /* disk_syntax = drive */
    int monitor_fd;                     /* the listening monitor socket's number in the child */
    int64_t now;                        /* seconds since 1970, for clocks that are set off from it */
    const char *sim_options;            /* for simvmm; NULL for anything else */
};

/* Appends the whole command line to `ret_argv`.  Content that we cannot put on it is
 * ERR_CONFIG_UNSUPPORTED. */
int command_line_build(const struct command_line *what, struct argv *ret_argv, struct error *err);
