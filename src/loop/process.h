/* SPDX-License-Identifier: Apache-2.0 */
/* process.h - child processes that are never orphaned, and processes found again.
 *
 * process_fork() makes a child that waits at a gate (a pipe): nothing of the program has run yet, and if we die it
 * exits.  The caller writes down what it must remember (pid, start time, boot id), then process_release() lets it
 * exec.  A process is known by pidfd, or by pid + start time + boot id, never by a pid alone.
 *
 * The child: own session, every descriptor closed but 0, 1, 2 and those listed, signal mask and dispositions and
 * limits reset, umask 0077, the given environment and nothing else, LISTEN_* gone.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/own.h"
#include "loop/fiber.h"

struct process;

struct process_fd { int fd, as; };      /* our descriptor, and its number in the child */

struct process_spec {
    char *const *argv;                  /* argv[0] is the path to run; no PATH search, no shell */
    char *const *environment;           /* NULL-terminated; NULL: only PATH and LC_ALL=C */
    const char *folder;                 /* working directory; NULL: / */
    int output, errors;                 /* our descriptors for its standard output and error; -1: /dev/null */
    const struct process_fd *fds;
    size_t fds_count;
    uid_t user;                         /* (uid_t) -1: unchanged */
    gid_t group;
};

struct process_identity {
    pid_t pid;
    uint64_t start_time;                /* clock ticks since boot: field 22 of /proc/PID/stat */
    char boot_id[40];
};

struct process *process_fork(const struct process_spec *spec, struct error *err);
/* Opens the gate; WAITS until exec happened or failed (then -1, naming the program and errno). */
WAITS int process_release(struct process *p, uint64_t deadline, struct error *err);
/* Finds a process that an earlier daemon started.  NULL without an error set (code ERR_NONE) if it is gone or is not
 * the same one any more. */
struct process *process_attach(const struct process_identity *who, struct error *err);

const struct process_identity *process_identity(const struct process *p);
bool process_has_exited(const struct process *p);
/* "exited with status 1", "was killed by signal 9 (Killed)", "is gone" (attached ones); valid after the exit. */
const char *process_exit_text(const struct process *p);
int process_signal(struct process *p, int number, struct error *err);   /* a process that is gone is no error */
/* fn runs once, on the loop, when the process ends (at once, on the next turn, if it already has). */
void process_on_exit(struct process *p, void (*fn)(void *arg), void *arg);
WAITS int process_wait(struct process *p, uint64_t deadline, struct error *err);   /* 0: it has exited */

/* Never waits.  A process still at the gate, or released but not kept, is killed; process_keep() makes free leave it
 * running (the daemon stops, the guest stays). */
void process_keep(struct process *p);
void process_free(struct process *p);
DEFINE_OWNED(process)

const char *process_boot_id(void);
