/* SPDX-License-Identifier: Apache-2.0 */
/* guest_log.h - what a VMM writes to its standard output and error.
 *
 * The VMM appends straight to the file, so nothing is lost when the daemon restarts.  The file is cut at
 * GUEST_LOG_MAX: its text moves to the one old file, and it starts anew under the writer's feet (which is
 * what O_APPEND is for).
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/own.h"

enum { GUEST_LOG_MAX = 2 << 20, GUEST_LOG_TAIL = 1024 };

struct guest_log {
    int fd;                             /* for the VMM's 1 and 2; read as well */
    char *path;
    off_t start;                        /* where this run's text begins */
};

/* These block; on the loop they are called through await_work(). */
struct guest_log *guest_log_open(const char *path, struct error *err);
void guest_log_note(struct guest_log *log, const char *text);      /* a line of ours, before this run's */
void guest_log_cut(struct guest_log *log);                          /* if it has grown too large */
/* The last lines of this run, without those that a VMM writes in good health; allocated, at most
 * GUEST_LOG_TAIL bytes, "" if there are none. */
char *guest_log_tail(const struct guest_log *log);
void guest_log_free(struct guest_log *log);
DEFINE_OWNED(guest_log)

/* These do not block. */
bool guest_log_is_large(const struct guest_log *log);
/* The same file, for another thread; or NULL. */
struct guest_log *guest_log_copy(const struct guest_log *log);
