/* SPDX-License-Identifier: Apache-2.0 */
/* process_private.h - process_start.c forks a process and opens its gate, process.c has the rest. */
#pragma once
#include <uv.h>

#include "loop/process.h"

/* A fiber in process_wait(). */
struct waiter {
    struct wait wait;
    struct waiter *next;
};

struct process {
    uv_poll_t poll;                     /* of pidfd: it becomes readable when the process ends */
    int pidfd;
    struct process_identity identity;
    char *program;                      /* for messages; NULL: attached, not our child */
    int gate;                           /* -1 once released */
    bool exited, keep;
    char *exit_text;
    void (*on_exit)(void *arg);
    void *arg;
    struct timer *late_call;            /* of on_exit, when it had exited before */
    struct waiter *waiters;
    struct process *next;               /* among those freed before they ended */
};

/* Begins to watch p->pidfd. */
int process_watch(struct process *p, struct error *err);
/* Of /proc/PID/stat: field 3 (state) and field 22 (start time). */
int process_read_stat(pid_t pid, char *ret_state, uint64_t *ret_start_time, struct error *err);
