/* SPDX-License-Identifier: Apache-2.0 */
/* launch.h - the steps that turn a definition into a running VMM.
 *
 * A table of steps, run in order and timed; each relies on those before it.  Whatever step fails,
 * launch_undo() takes everything back: process, socket, status file, the domain's number.
 */
#pragma once
#include "qemu/argv.h"
#include "qemu/channels.h"
#include "qemu/command_line.h"
#include "qemu/vmm.h"

struct launch {
    struct domain *domain;
    struct vmm *vmm;
    struct argv argv;
    unsigned flags;                     /* START_PAUSED */
    unsigned timeout;                   /* milliseconds, of the whole */
    uint64_t deadline;
    struct channels channels;           /* the sockets that the child inherits beside the monitor's */
    int listener;                       /* the monitor's socket, which the child inherits */
    VECTOR(struct monitor_call *) calls;        /* sent behind the negotiation, answered after it */
    struct monitor_call *chardevs;      /* the one of them that asks for ptys, or NULL */
    struct monitor_call *vcpus, *iothreads;     /* the ones that ask for threads to pin, or NULL */
    struct monitor_call *cont;          /* the one that lets it run, or NULL */
    bool recording;                     /* the record is being written; it is done when `record` says so */
    struct wait record;
    struct error record_error;
};

/* Fails with an error that names domain and step, and what the VMM said about it. */
WAITS int launch_run(struct launch *launch, struct error *err);
/* After a failure, from a cancelled fiber, too. */
WAITS void launch_undo(struct launch *launch, int shutoff_reason);
/* After launch_undo(): whether another program has a port that was chosen for this guest. */
bool launch_lost_port(const struct launch *launch);
void launch_done(struct launch *launch);
#define owned_launch __attribute__((cleanup(launch_done)))

/* The domain's log, with a line of ours unless `note` is NULL. */
WAITS struct guest_log *launch_open_log(const struct domain *dom, const char *note, struct error *err);
/* The paths that the VMM gave its pty character devices, from a reply to query-chardev. */
void launch_note_ptys(struct domain *dom, const struct json *chardevs);
/* Whether the definition has any. */
bool launch_has_ptys(const struct domain_def *def);
/* The copy of a definition that a guest of it runs: aliases, ports, the cache modes that hold, the images
 * below those of its disks, and the firmware that it boots. */
WAITS struct domain_def *launch_prepare(const struct domain_def *def, const struct caps *caps,
                                        struct error *err);

/* launch_host.c: what is asked of the host beside a process. */
int launch_check_host(const struct domain_def *def, struct error *err);    /* fails on what it has not */
void launch_environment(const struct domain_def *def, struct argv *ret_environment);
int launch_pin_process(const struct launch *launch, struct error *err);    /* before it runs */
bool launch_pins_threads(const struct domain_def *def);
int launch_pin_threads(const struct launch *launch, struct error *err);    /* when they have said their ids */

/* What commandline needs beside the definition. */
struct command_line launch_command_line(const struct domain_def *def, const struct caps *caps);
enum { MONITOR_FD = 3 };                /* the number in the child */

/* Steps of launch_monitor.c. */
struct monitor_call *launch_ask(struct launch *launch, const char *command, const char *arguments);
WAITS int launch_handshake(struct launch *launch, struct error *err);
WAITS int launch_read_answers(struct launch *launch, struct error *err);
