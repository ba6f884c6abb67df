/* SPDX-License-Identifier: Apache-2.0 */
/* vmm.h - one running emulator: its process, monitor, log, tree, and what it holds on this host.
 *
 * A start makes one and gives it to its domain (vmm_adopt) once the guest may run; until then vmm_free()
 * kills the process.  Afterwards the process is kept, whatever becomes of us, until vmm_end() has seen it go.
 *
 * What happens on its own comes in through two doors: the monitor's events (vmm_events.c) change the domain's
 * state at once, through its mailbox; the end of the process starts a clean-up, a job like any other
 * (vmm_tasks.c).
 *
 * The guest is its process, and not its monitor: whatever a monitor does, closes, babbles or falls silent,
 * its guest stays as it is.  Who needs the monitor then hears at once that it is lost, and why; it is
 * connected to again until it answers, or the process has gone.
 */
#pragma once
#include <stdbool.h>

#include "base/vector.h"
#include "domain/domain.h"
#include "loop/process.h"
#include "qemu/caps.h"
#include "qemu/guest_log.h"
#include "qemu/monitor.h"
#include "qemu/operations.h"
#include "qemu/qom_tree.h"

enum vmm_phase {
    VMM_STARTING,                       /* its domain does not have it yet; events mean nothing */
    VMM_RUNNING,
    VMM_ENDING,                         /* a job is ending it; its death is no surprise */
};

struct vmm {
    struct domain *domain;              /* not counted: the domain holds us */
    enum vmm_phase phase;
    struct domain_def *def;             /* what runs */
    struct caps *caps;
    struct process *process;
    struct monitor *monitor;            /* NULL, or broken: it is lost */
    char *lost_why;                     /* NULL: it is not; what it did, until it answers again */
    bool lost_told;                     /* ... was logged */
    uint64_t reconnected_at;            /* 0: never */
    struct qom_tree *tree;
    bool tree_comes;                    /* it is being made in the background, after a restart */
    struct guest_log *log;
    char *socket;                       /* the monitor's path */
    VECTOR(int) ports;                  /* taken for its screens */
    struct start_timings timings;
    bool timed;
    int pause_reason;                   /* of the next STOP: enum paused reason, 0: nobody asked */
    bool shut_down;                     /* SHUTDOWN was seen; the first one counts */
    bool reboot_asked;                  /* the guest's next shutdown is a reboot, whatever on_poweroff says */
    bool rebooting;                     /* its shutdown is to become a reset */
    VECTOR(char *) gone;                /* aliases of devices that the guest let go of, not forgotten yet */
    struct wait *unplug;                /* who waits for one of them */
    bool unplug_refused;                /* the guest would not */
    struct event_gates *gates;          /* of events that come too often; NULL: none did */
    bool saving;                        /* its state is going to be saved */
    bool cleaning;                      /* its clean-up was started */
    bool reconnecting;                  /* what its monitor does is looked at already */
    struct timer *reconnect_timer;      /* until its lost monitor is tried again */
    struct wait *monitor_end;           /* who waits for the monitor's last words */
    struct vmm *next;                   /* among all that were adopted */
};

struct vmm *vmm_new(struct domain *dom);
void vmm_free(struct vmm *vmm);
DEFINE_OWNED(vmm)

void vmm_take_log(struct vmm *vmm, struct guest_log *log);     /* from here on it is kept short; NULL: none */
void vmm_cut_log(struct vmm *vmm);      /* if it is too long; in the background */

/* Connects to the monitor at vmm->socket, `again` if an earlier daemon did before; what the VMM reports is
 * handled from now on. */
int vmm_connect(struct vmm *vmm, bool again, struct error *err);
/* Notes the ports of its screens as taken. */
void vmm_take_ports(struct vmm *vmm);
/* The domain's from now on. */
void vmm_adopt(struct vmm *vmm);
/* Fails, naming the domain, unless it is active and its monitor answers. */
struct vmm *vmm_get(struct domain *dom, struct error *err);
/* -1, with the reason why an active domain has none. */
int vmm_fail_unreached(const struct domain *dom, struct error *err);

/* What is behind a lost VMM: how it exited, what it said last and what that means; replaces err, which it
 * leaves alone after a cancel. */
WAITS void vmm_explain(struct vmm *vmm, struct error *err);
/* SIGTERM, after a second SIGKILL (not if graceful), until it has gone.  -1 if it has not. */
WAITS int vmm_terminate(struct vmm *vmm, bool graceful, struct error *err);
/* After the process has gone: removes what it left, makes the domain inactive, tells listeners. */
WAITS void vmm_end(struct vmm *vmm, int shutoff_reason, int stopped_detail);
/* Makes the tree's keeper; the plan is looked up.  The first tree of a run is saved: `starting` is for its
 * beginning. */
WAITS void vmm_make_tree(struct vmm *vmm, char *const *argv, bool starting);
bool vmm_has_bulk_command(const struct vmm *vmm);

/* Each does nothing if the domain is in that state already. */
void vmm_set_paused(struct vmm *vmm);           /* for vmm->pause_reason */
void vmm_set_running(struct vmm *vmm);

/* Daemon's end: all are let go, and go on running. */
void vmm_let_go_of_all(void);

/* vmm_events.c */
void event_gates_free(struct event_gates *gates);
extern const struct monitor_handler vmm_monitor_handler;        /* arg: the vmm */
/* vmm_tasks.c: each becomes a job of its own, soon. */
void vmm_clean_up_later(struct vmm *vmm);       /* its process is gone */
void vmm_power_off_later(struct vmm *vmm);      /* its guest has shut down */
void vmm_forget_gone_later(struct vmm *vmm);    /* devices have gone */
void vmm_find_gone_later(struct vmm *vmm);      /* they may have, while nobody listened */
void vmm_reset_later(struct vmm *vmm);          /* its guest's shutdown is to be a reboot */
void vmm_lose_monitor(struct vmm *vmm, enum monitor_end end, const char *why); /* it is connected to again */
void vmm_save_later(struct vmm *vmm);           /* its state has changed by itself: for the next daemon */
