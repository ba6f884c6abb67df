/* SPDX-License-Identifier: Apache-2.0 */
/* process.h - child processes that are never orphaned, and processes found again.
 *
 * process_fork() makes a child that waits at a gate: nothing of the program has run yet, and if we die it
 * exits.  The caller writes down what it must remember (pid, start time, boot id), then process_exec() lets
 * it exec.  A process is known by pidfd, or by pid + start time + boot id, never by a pid alone.
 *
 * The child: own session, every descriptor closed but 0, 1, 2 and those listed, signal mask and dispositions
 * and limits reset, umask 0077, the given environment and nothing else, LISTEN_* gone.  When it ends, what it
 * forked and left in its process group is killed.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/own.h"
#include "loop/fiber.h"

struct process;

enum { PROCESS_FD_MAX = 255 };

struct process_fd { int fd, as; };      /* our descriptor, and its number in the child */

struct process_spec {
    char *const *argv;                  /* argv[0] is the path to run; no PATH search, no shell */
    char *const *environment;           /* NULL-terminated; NULL: only PATH and LC_ALL=C */
    const char *folder;                 /* working directory; NULL: / */
    int output, errors;                 /* our descriptors for its standard output and error; -1: /dev/null */
    const struct process_fd *fds;       /* `as` is from 3 to PROCESS_FD_MAX */
    size_t fds_count;
    uid_t user;                         /* (uid_t) -1: user and groups are unchanged */
    gid_t group;
    const gid_t *groups;                /* supplementary ones: looked up by the caller, as that may block */
    size_t groups_count;
    bool dies_with_us;                  /* killed when we end, however we end: for helpers, not for guests */
};

struct process_identity {
    pid_t pid;
    uint64_t start_time;                /* clock ticks since boot: field 22 of /proc/PID/stat */
    char boot_id[40];
};

/* Copies what it needs of `spec`; its descriptors stay the caller's. */
struct process *process_fork(const struct process_spec *spec, struct error *err);
/* Opens the gate; WAITS until exec happened or failed (then -1, naming the program and errno).  After a
 * failure the process is dead or dying, and only fit for process_free(). */
WAITS int process_exec(struct process *p, uint64_t deadline, struct error *err);
/* Finds a process that an earlier daemon started.  NULL without an error set (code ERR_NONE) if it is gone or
 * is not the same one any more. */
struct process *process_attach(const struct process_identity *who, struct error *err);

/* That of the process that has this number now, whosever it is. */
int process_identify(pid_t pid, struct process_identity *ret_identity, struct error *err);
const struct process_identity *process_identity(const struct process *p);
bool process_has_exited(const struct process *p);
/* After the exit: "exited with status 1", "was killed by signal 9 (Killed)", "is gone" (attached ones). */
const char *process_exit_text(const struct process *p);
int process_signal(struct process *p, int number, struct error *err);   /* one that is gone is no error */
/* fn runs once, on the loop, when the process ends (at once, on the next turn, if it already has). */
void process_on_exit(struct process *p, void (*fn)(void *arg), void *arg);
WAITS int process_wait(struct process *p, uint64_t deadline, struct error *err);   /* 0: it has exited */

/* Never waits: what is killed is reaped in the background.  A process still at the gate, or released
 * but not kept, is killed; process_keep() makes free leave it running (the daemon stops, the guest
 * stays).  An attached one is left. */
void process_keep(struct process *p);
void process_free(struct process *p);
DEFINE_OWNED(process)

const char *process_boot_id(void);
/* Raises our soft limit of descriptors to the hard one; children get the old one back. */
void process_raise_descriptor_limit(void);
