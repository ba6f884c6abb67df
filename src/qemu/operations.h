/* SPDX-License-Identifier: Apache-2.0 */
/* operations.h - what can be done to a domain, each from top to bottom.
 *
 * Those that change a domain's run state (start, suspend, resume, destroy, reattach) run under its CHANGE
 * job, which the caller holds (destroy: which cancelled the one before); the queries take no job.  Each tells
 * the domain's state and events itself, in libvirt's order.  Leaving a start by any path undoes it: no
 * process, no socket, no status file.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"
#include "loop/fiber.h"

struct domain;
struct domain_def;
struct caps;
struct qom_store;
struct qom_stats;

/* What operations must know about this host; the strings are copied. */
struct operations_settings {
    const char *cache_folder;           /* places.h: caps/ and qom/ below it; NULL: nothing is kept on disk */
    const char *nvram_folder;           /* where firmware variables are that nobody placed; NULL: nowhere */
    const char *override_emulator;      /* replaces even the XML's: a path, or "sim"; NULL */
    const char *sim_path;               /* the simvmm that "sim" means */
    const char *sim_options;            /* its -sim option; NULL */
    const char *record_folder;          /* where monitors are recorded; NULL: they are not */
    const char *caps_of;                /* wrapper scripts: the binary behind them; NULL */
    const char *emulator_user, *emulator_group;     /* NULL: ours */
    bool classic_drives;                /* disk_syntax = drive */
    unsigned start_timeout_ms;          /* 0: 30 s */
    bool read_ahead;                    /* monitor.h: monitor_open_ahead() */
};

/* Once before the loop runs, and again with new settings (SIGHUP). */
int operations_init(const struct operations_settings *settings, struct error *err);
/* All guests are let go, and run on; what still waits for one of their VMMs fails. */
void operations_let_go(void);
void operations_done(void);             /* guests are left running */

/* What an emulator setting means: "auto" (qemu-system-x86_64 on PATH), "sim", or an absolute path.  The
 * caller frees.  -1 with a sentence that says what to do. */
int emulator_resolve(const char *setting, char **ret_path, struct error *err);
/* The program that a start of `def` runs: the override, else the definition's.  NULL and an error if it has
 * none. */
const char *emulator_of(const struct domain_def *def, struct error *err);

enum { START_PAUSED = 1 };              /* libvirt's VIR_DOMAIN_START_* bits */
enum { DESTROY_GRACEFUL = 1 };          /* no SIGKILL */

WAITS int domain_start(struct domain *dom, unsigned flags, struct error *err);
/* Under a job that came first and cancelled the one before.  If that one was the start, the domain is
 * inactive by now: ERR_OPERATION_INVALID, which whoever asked for the end of an active domain may take for
 * success. */
WAITS int domain_destroy(struct domain *dom, unsigned flags, struct error *err);
WAITS int domain_suspend(struct domain *dom, struct error *err);        /* paused already: succeeds */
WAITS int domain_resume(struct domain *dom, struct error *err);         /* running: ERR_OPERATION_INVALID */

/* Finds the guest that a status file speaks of: a start that was under way is undone, a running guest gets
 * its monitor and state back (its tree follows in the background, four domains at a time), a dead one is shut
 * off (crashed).  Fails only when the record cannot be followed; the domain's state is true either way. */
WAITS int domain_reattach(struct domain *dom, struct error *err);

/* Sends one line to the monitor: QMP, or HMP if `human`.  The reply's text as the VMM wrote it (a QMP error
 * object is a reply too); HMP: the plain output.  The caller frees. */
WAITS int domain_monitor_command(struct domain *dom, const char *text, bool human, char **ret_reply,
                                 struct error *err);

/* The line that domain_start() would run, quoted for a POSIX shell, unknown values as the first free one. */
WAITS int native_command_line(const struct domain_def *def, struct buffer *out, struct error *err);

/* What fills in a definition's canonical machine name (struct conf_defaults): "pc" is "pc-i440fx-11.1" for an
 * emulator whose capabilities are known; call caps_get() on it before parsing.  NULL keeps the name. */
const char *emulator_canonical_machine(void *arg, const char *emulator, const char *machine);

/* Where the milliseconds of the last start went, in order. */
enum { START_PHASES_MAX = 16 };
struct start_phase { const char *name; double milliseconds; };
struct start_timings {
    size_t count;
    struct start_phase phases[START_PHASES_MAX];
    double total;
    /* Over the monitor, until the guest ran; the tree's go on after that. */
    uint64_t calls, request_bytes, reply_bytes;
};
/* It runs, but nothing can be asked of it; the state that it is in is the last one known. */
bool domain_monitor_is_lost(const struct domain *dom);
/* NULL if it was not started by us. */
const struct start_timings *domain_start_timings(const struct domain *dom);

/* The tree.  A reader waits for a pull that is under way and starts one if there is none; `refresh` pulls
 * anew.  The result is borrowed: it may be replaced at the caller's next wait. */
WAITS const struct qom_store *domain_qom_tree(struct domain *dom, bool refresh, struct error *err);
/* The tree as the domain's last start left it, or the start before; whether it runs or not.  The caller frees
 * it; NULL with an error. */
WAITS struct qom_store *domain_qom_saved(struct domain *dom, bool previous, struct error *err);
WAITS void domain_qom_forget_saved(struct domain *dom); /* the domain is no more */
WAITS const struct qom_stats *domain_qom_stats(struct domain *dom, struct error *err);
/* One property as the VMM has it now, as JSON text; the caller frees. */
WAITS int domain_qom_get(struct domain *dom, const char *path, const char *property, char **ret_json,
                         struct error *err);

/* Sets one property, past the definition; under the domain's job.  Unless `force`, only what harms nobody is
 * set; the refusal says why.  `value` is JSON text, or with `word` a plain word for whatever type it is. */
struct qom_change {
    char *type;           /* the property's */
    char *sent;           /* JSON text, like the others */
    char *before, *after; /* NULL: it could not be read */
};
void qom_change_done(struct qom_change *change);
enum { QOM_SET_FORCE = 1, QOM_SET_WORD = 2, QOM_SET_VALUE_MAX = 64 << 10 };
WAITS int domain_qom_set(struct domain *dom, const char *path, const char *property, const char *value,
                         unsigned flags, struct qom_change *ret_change, struct error *err);
