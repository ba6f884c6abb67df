/* SPDX-License-Identifier: Apache-2.0 */
/* child.h - the short life of a forked child before it becomes another program.
 *
 * The parent prepares a struct child with all that is needed, because after fork() in a program with threads
 * only async-signal-safe functions may be called: no allocation, no stdio, no name look-ups.
 */
#pragma once
#include <sys/resource.h>
#include <sys/types.h>

#include "loop/process.h"

/* Which step failed; the parent makes a sentence of it. */
enum child_step {
    CHILD_DESCRIPTORS, CHILD_SESSION, CHILD_LIMITS, CHILD_GROUPS, CHILD_GROUP, CHILD_USER, CHILD_FOLDER,
    CHILD_EXEC
};

struct child_report { int step, number; };      /* number is an errno */

struct child {
    const struct process_spec *spec;
    char *const *environment;
    struct rlimit descriptors;
    pid_t parent;
    int null;                           /* /dev/null */
    int gate;                           /* a socket: a byte comes and lets it go on, a report goes back */
    int top;                            /* the highest number that the program is to find open */
    int *moved;                         /* room for 3 + fds_count descriptors */
};

_Noreturn void child_run(const struct child *child);
