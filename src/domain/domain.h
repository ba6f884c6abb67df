/* SPDX-License-Identifier: Apache-2.0 */
/* domain.h - a domain: defined, running, or both.
 *
 * Invariants:
 *   - id is -1 exactly when the domain is inactive; then vmm and live are NULL and the runtime table is
 *     empty.
 *   - def is what the next start runs: the definition on disk if `persistent`, else what the domain was
 *     created from.  live is what the VMM runs.  Both are values: never changed in place, replaced whole by
 *     domain_set_def() and domain_set_live().  Only an unmanaged domain may lack both.
 *   - A domain that is neither active nor persistent is on its way in or out, and no client sees it.
 *   - A domain is in its registry, or `removed`.  Whoever keeps a pointer to it across a wait holds a
 *     reference, and looks at `removed` after the wait; a job (job.h) does both for its holder.
 *   - Nothing but the holder of the domain's job, and the mailbox (mailbox.h), changes a domain.
 *
 * Numbers of states, reasons, event types and details are libvirt's, since they travel unchanged.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/own.h"
#include "base/uuid.h"
#include "conf/domain_def.h"
#include "domain/job.h"
#include "loop/process.h"

struct mail;
struct registry;
struct status;
struct vmm;                             /* src/qemu's: process, monitor, tree */

enum domain_state {
    DOMAIN_NOSTATE, DOMAIN_RUNNING, DOMAIN_BLOCKED, DOMAIN_PAUSED, DOMAIN_SHUTDOWN, DOMAIN_SHUTOFF,
    DOMAIN_CRASHED, DOMAIN_PMSUSPENDED
};

/* A reason's meaning depends on the state; 0 is "unknown" in each. */
enum {
    RUNNING_UNKNOWN, RUNNING_BOOTED, RUNNING_MIGRATED, RUNNING_RESTORED, RUNNING_FROM_SNAPSHOT,
    RUNNING_UNPAUSED, RUNNING_MIGRATION_CANCELED, RUNNING_SAVE_CANCELED, RUNNING_WAKEUP, RUNNING_CRASHED
};
enum {
    PAUSED_UNKNOWN, PAUSED_USER, PAUSED_MIGRATION, PAUSED_SAVE, PAUSED_DUMP, PAUSED_IOERROR,
    PAUSED_WATCHDOG, PAUSED_FROM_SNAPSHOT, PAUSED_SHUTTING_DOWN, PAUSED_SNAPSHOT, PAUSED_CRASHED,
    PAUSED_STARTING_UP
};
enum { SHUTDOWN_UNKNOWN, SHUTDOWN_USER };
enum { SHUTOFF_UNKNOWN, SHUTOFF_SHUTDOWN, SHUTOFF_DESTROYED, SHUTOFF_CRASHED, SHUTOFF_MIGRATED, SHUTOFF_SAVED,
       SHUTOFF_FAILED, SHUTOFF_FROM_SNAPSHOT, SHUTOFF_DAEMON };
enum { CRASHED_UNKNOWN, CRASHED_PANICKED };

struct domain {
    struct uuid uuid;
    char *name;
    int id;
    enum domain_state state;
    int reason;
    bool persistent;                    /* it has a definition file */
    bool autostart;
    const char *unmanaged; /* why it is listed and left alone, or NULL; see domain_fail_unmanaged() */
    bool removed;
    const void *autodestroy;            /* the client whose end destroys it, or NULL */
    struct domain_def *def, *live;
    struct domain_runtime runtime;      /* what events change: balloon and ports (in place), ptys (below) */
    struct vmm *vmm;
    struct process_identity process;    /* the VMM's, once its status file is written; pid 0 when inactive */
    struct status *record;              /* its status file, as found at startup; kept while the guest runs */
    struct registry *registry;
    struct job job;                     /* the running one; see job.h */
    struct job_waiters waiters;
    struct mail *first_mail, *last_mail;
    unsigned references;
};

/* -1, with the reason why nothing is done to it. */
int domain_fail_unmanaged(const struct domain *dom, struct error *err);

struct domain *domain_ref(struct domain *dom);          /* returns it */
void domain_unref(struct domain *dom);
static inline void domain_free(struct domain *dom) { domain_unref(dom); }
DEFINE_OWNED(domain)

static inline bool domain_is_active(const struct domain *dom) { return dom->id != -1; }
static inline bool domain_is_visible(const struct domain *dom)
{
    return domain_is_active(dom) || dom->persistent;
}
/* Sets ERR_OPERATION_INVALID "domain is not running" and returns -1 unless it is. */
int domain_check_active(const struct domain *dom, struct error *err);
/* The definition that counts at this moment: live if active, else def. */
struct domain_def *domain_current_def(const struct domain *dom);

/* These take their own reference to the definition; NULL drops the old one. */
void domain_set_def(struct domain *dom, struct domain_def *def);
void domain_set_live(struct domain *dom, struct domain_def *live);
/* Only records it; the operation emits the events, whose order differs from call to call (events.h). */
void domain_set_state(struct domain *dom, enum domain_state state, int reason);
/* "serial0" has "/dev/pts/3"; both are copied, and go when the domain becomes inactive. */
void domain_set_pty(struct domain *dom, const char *alias, const char *path);
/* Gives the domain its number, before the VMM is forked. */
void domain_set_active(struct domain *dom, int id);
/* Back to inactive: id -1, live and runtime dropped, state SHUTOFF with the reason.  The caller has released
 * vmm.  A transient domain leaves the registry at the end of the job. */
void domain_set_inactive(struct domain *dom, int shutoff_reason);

/* "domain 'vm' UUID", for logs; allocated. */
char *domain_label(const struct domain *dom);
/* "running", "shut off": for messages and logs. */
const char *domain_state_word(enum domain_state state);
