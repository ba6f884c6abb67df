/* SPDX-License-Identifier: Apache-2.0 */
/* launch.h - the steps that turn a definition into a running VMM.
 *
 * A table of steps, run in order and timed; each relies on those before it.  Whatever step fails,
 * launch_undo() takes everything back: process, socket, status file, the domain's number.
 */
#pragma once
#include "qemu/argv.h"
#include "qemu/command_line.h"
#include "qemu/vmm.h"

struct launch {
    struct domain *domain;
    struct vmm *vmm;
    struct argv argv;
    unsigned flags;                     /* START_PAUSED */
    uint64_t deadline;
    int listener;                       /* the monitor's socket, which the child inherits */
    VECTOR(struct monitor_call *) calls;        /* sent behind the negotiation, answered after it */
    struct monitor_call *chardevs;      /* the one of them that asks for ptys, or NULL */
    struct monitor_call *cont;          /* the one that lets it run, or NULL */
    bool recording;                     /* the record is being written; it is done when `record` says so */
    struct wait record;
    struct error record_error;
};

/* Fails with an error that names domain and step, and what the VMM said about it. */
WAITS int launch_run(struct launch *launch, struct error *err);
/* After a failure, from a cancelled fiber, too. */
WAITS void launch_undo(struct launch *launch, int shutoff_reason);
void launch_done(struct launch *launch);
#define owned_launch __attribute__((cleanup(launch_done)))

/* The copy of a definition that a guest of it runs: aliases, ports, the cache modes that hold. */
struct domain_def *launch_definition(const struct domain_def *def, const char *emulator, struct error *err);
/* The domain's log, with a line of ours unless `note` is NULL. */
WAITS struct guest_log *launch_open_log(const struct domain *dom, const char *note, struct error *err);
/* The paths that the VMM gave its pty character devices, from a reply to query-chardev. */
void launch_note_ptys(struct domain *dom, const struct json *chardevs);
/* Whether the definition has any. */
bool launch_has_ptys(const struct domain_def *def);
/* What commandline needs beside the definition. */
struct command_line launch_command_line(const struct domain_def *def, const struct caps *caps);
enum { MONITOR_FD = 3 };                /* the number in the child */

/* Steps of launch_monitor.c. */
struct monitor_call *launch_ask(struct launch *launch, const char *command, const char *arguments);
WAITS int launch_handshake(struct launch *launch, struct error *err);
WAITS int launch_read_answers(struct launch *launch, struct error *err);
