/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/vmm.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/uuid.h"
#include "domain/events.h"
#include "domain/registry.h"
#include "domain/status.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "qemu/channels.h"
#include "qemu/emulator.h"
#include "qemu/recorder.h"
#include "qemu/hints.h"
#include "qemu/inject.h"
#include "qemu/qom_saved.h"
#include "qemu/vnc_ports.h"

enum {
    TERM_MS = 1000,                     /* from SIGTERM to SIGKILL */
    GRACEFUL_MS = 15000,
    KILL_MS = 15000,                    /* a process that survives SIGKILL hangs in the kernel */
    EXPLAIN_MS = 500,
    LAST_WORDS_MS = 200,
    LOG_CUT_MS = 5000,
    READS_AHEAD_SINCE = 4000000,        /* a version of QEMU */
};

static struct vmm *adopted;
static struct {
    VECTOR(struct vmm *) vmms;
    struct timer *timer;
} logged; /* those whose log is kept short */

struct vmm *vmm_new(struct domain *dom)
{
    struct vmm *vmm = NEW(struct vmm);
    vmm->domain = dom;
    return vmm;
}

static void forget(struct vmm *vmm)
{
    for (struct vmm **link = &adopted; *link; link = &(*link)->next)
        if (*link == vmm) {
            *link = vmm->next;
            break;
        }
}

/* --- the log, which its guest could grow without end --- */

static void cut_log(void *log)
{
    guest_log_cut(log);
}

/* With a log of its own, whatever becomes of the VMM meanwhile. */
static void cut_log_fiber(void *arg)
{
    owned(guest_log) struct guest_log *log = arg;
    error_scope(err);
    await_work(cut_log, log, &err);
}

void vmm_cut_log(struct vmm *vmm)
{
    struct guest_log *log = vmm->log && guest_log_is_large(vmm->log) ? guest_log_copy(vmm->log) : NULL;
    if (log && !fiber_start(cut_log_fiber, log))
        guest_log_free(log);
}

/* One clock for all, so that the daemon of many quiet guests sleeps as well as that of one. */
static void on_log_timer(void *arg)
{
    for (size_t i = 0; i < logged.vmms.count; i++)
        vmm_cut_log(logged.vmms.items[i]);
}

void vmm_take_log(struct vmm *vmm, struct guest_log *log)
{
    vmm->log = log;
    if (!log)
        return;
    vector_push(&logged.vmms, vmm);
    if (!logged.timer)
        logged.timer = timer_start(LOG_CUT_MS, LOG_CUT_MS, on_log_timer, NULL);
}

static void drop_log(struct vmm *vmm)
{
    for (size_t i = 0; i < logged.vmms.count; i++)
        if (logged.vmms.items[i] == vmm) {
            vector_remove(&logged.vmms, i);
            break;
        }
    guest_log_free(vmm->log);
    if (logged.vmms.count)
        return;
    timer_free(logged.timer);
    logged.timer = NULL;
    vector_done(&logged.vmms);
}

/* --- life --- */

void vmm_free(struct vmm *vmm)
{
    if (!vmm)
        return;
    forget(vmm);
    qom_tree_free(vmm->tree);
    monitor_free(vmm->monitor);
    process_free(vmm->process);
    timer_free(vmm->reconnect_timer);
    drop_log(vmm);
    for (size_t i = 0; i < vmm->ports.count; i++)
        vnc_port_give_back(vmm->ports.items[i]);
    vector_done(&vmm->ports);
    for (size_t i = 0; i < vmm->gone.count; i++)
        free(vmm->gone.items[i]);
    vector_done(&vmm->gone);
    if (vmm->unplug)
        wait_done(vmm->unplug, 0);
    caps_free(vmm->caps);
    domain_def_unref(vmm->def);
    event_gates_free(vmm->gates);
    free(vmm->socket);
    free(vmm->lost_why);
    free(vmm);
}

/* That it cannot be recorded is no reason not to run. */
static void record(struct vmm *vmm, bool again)
{
    const char *folder = settings_now()->record_folder;
    char uuid[UUID_TEXT_SIZE];
    error_scope(err);
    if (!folder)
        return;
    uuid_format(&vmm->domain->uuid, uuid);
    owned_memory char *path = memory_printf("%s/%s-%s.qmp", folder, vmm->domain->name, uuid);
    struct recorder *recorder = recorder_new(path, vmm->domain->name, again, &err);
    if (recorder)
        monitor_record(vmm->monitor, recorder);
    else
        log_warning("domain '%s': %s", vmm->domain->name, error_text(&err));
}

int vmm_connect(struct vmm *vmm, bool again, struct error *err)
{
    int fd = unix_connect(vmm->socket, err);
    if (fd < 0)
        return -1;
    owned_memory char *subject = memory_printf("domain '%s'", vmm->domain->name);
    bool ahead = settings_now()->read_ahead && vmm->caps && vmm->caps->version >= READS_AHEAD_SINCE;
    vmm->monitor = (again ? monitor_open_again : ahead ? monitor_open_ahead : monitor_open)(
        fd, subject, &vmm_monitor_handler, vmm);
    record(vmm, again);
    return 0;
}

/* --- its ports --- */

void vmm_take_ports(struct vmm *vmm)
{
    for (size_t i = 0; i < vmm->def->graphics.count; i++) {
        const struct graphics *graphics = vmm->def->graphics.items[i];
        if (graphics->type == GRAPHICS_VNC && graphics->port.set && graphics->port.value > 0) {
            vnc_port_take((int) graphics->port.value);
            vector_push(&vmm->ports, (int) graphics->port.value);
        }
    }
}

/* --- to its domain, and away from it --- */

static void process_has_ended(void *arg)
{
    vmm_clean_up_later(arg);
}

void vmm_adopt(struct vmm *vmm)
{
    vmm->phase = VMM_RUNNING;
    vmm->domain->vmm = vmm;
    vmm->next = adopted;
    adopted = vmm;
    process_keep(vmm->process);
    process_on_exit(vmm->process, process_has_ended, vmm);
    if (vmm->monitor)
        monitor_set_timeout(vmm->monitor, MONITOR_TIMEOUT_MS);
}

void vmm_let_go_of_all(void)
{
    while (adopted) {
        struct vmm *vmm = adopted;
        vmm->domain->vmm = NULL;
        vmm_free(vmm);
    }
}

int vmm_fail_unreached(const struct domain *dom, struct error *err)
{
    if (dom->unmanaged)
        return domain_fail_unmanaged(dom, err);
    bool starts = dom->state == DOMAIN_PAUSED && dom->reason == PAUSED_STARTING_UP;
    return fail(err, ERR_OPERATION_INVALID, "domain '%s' %s", dom->name,
                starts ? "is still starting" : "has not been reached since domusd was restarted");
}

struct vmm *vmm_get(struct domain *dom, struct error *err)
{
    if (domain_check_active(dom, err) < 0)
        return NULL;
    if (!dom->vmm)
        vmm_fail_unreached(dom, err);
    else if (!dom->vmm->monitor || monitor_is_broken(dom->vmm->monitor))
        fail(err, ERR_VMM, "domain '%s' runs on, but its monitor is lost, and is tried again (%s)", dom->name,
             dom->vmm->lost_why ? dom->vmm->lost_why : "it does not answer");
    else
        return dom->vmm;
    return NULL;
}

/* --- its end --- */

WAITS void vmm_explain(struct vmm *vmm, struct error *err)
{
    bool lost = vmm->process && vmm->monitor && monitor_is_broken(vmm->monitor);
    if (!lost || !vmm->log || err->code == ERR_ABORTED)
        return;
    error_scope(alive);
    if (process_wait(vmm->process, loop_now() + EXPLAIN_MS, &alive) < 0)
        return;
    owned_memory char *said = guest_log_tail(vmm->log);
    owned_memory char *why = memory_copy_text(error_text(err));
    if (*said)
        fail(err, ERR_VMM, "the emulator %s: %s", process_exit_text(vmm->process), said);
    else
        fail(err, ERR_VMM, "the emulator %s (%s)", process_exit_text(vmm->process), why);
    hints_add(vmm->def, err);
}

WAITS int vmm_terminate(struct vmm *vmm, bool graceful, struct error *err)
{
    struct process *process = vmm->process;
    vmm->phase = VMM_ENDING;
    error_scope(late);
    if (process_signal(process, SIGTERM, err) < 0)
        return -1;
    if (process_wait(process, loop_now() + (graceful ? GRACEFUL_MS : TERM_MS), &late) == 0)
        return 0;
    vmm->phase = VMM_RUNNING;
    if (late.code != ERR_TIMEOUT || graceful)
        return fail(err, late.code == ERR_TIMEOUT ? ERR_BUSY : late.code,
                    "domain '%s': the emulator (process %d) did not end on SIGTERM: %s",
                    vmm->domain->name, (int) process_identity(process)->pid, error_text(&late));
    vmm->phase = VMM_ENDING;
    if (process_signal(process, SIGKILL, err) == 0 && process_wait(process, loop_now() + KILL_MS, err) == 0)
        return 0;
    vmm->phase = VMM_RUNNING;
    return fail_in(err, "domain '%s': the emulator (process %d) did not end on SIGKILL", vmm->domain->name,
                   (int) process_identity(process)->pid);
}

/* The process may be seen to end before its last events are read, and those come first. */
static WAITS void hear_last_words(struct vmm *vmm)
{
    if (!vmm->monitor || monitor_is_broken(vmm->monitor))
        return;
    struct wait wait = { 0 };
    error_scope(late);
    vmm->monitor_end = &wait;
    wait_until(&wait, loop_now() + LAST_WORDS_MS, &late);
    vmm->monitor_end = NULL;
}

WAITS void vmm_end(struct vmm *vmm, int shutoff_reason, int stopped_detail)
{
    struct domain *dom = vmm->domain;
    error_scope(err);
    vmm->phase = VMM_ENDING;
    hear_last_words(vmm);
    unlink(vmm->socket);
    inject_remove(vmm->socket);
    channels_remove(dom, vmm->def);
    if (status_remove(dom, &err) < 0)
        log_error("domain '%s': its status file stays: %s", dom->name, error_text(&err));
    if (!dom->persistent)
        domain_qom_forget_saved(dom);
    dom->vmm = NULL;
    vmm_free(vmm);
    domain_set_inactive(dom, shutoff_reason);
    domain_emit_lifecycle(dom, EVENT_STOPPED, stopped_detail);
}

/* --- its tree --- */

static unsigned bulk_commands(const struct caps *caps)
{
    unsigned commands = caps_has(caps, CAPS_QOM_LIST_GETV) ? QOM_HAS_LIST_GETV : 0;
    commands |= caps_has(caps, CAPS_QOM_LIST_GET) ? QOM_HAS_LIST_GET : 0;
    return commands | (caps_has(caps, CAPS_QOM_TREE_GET) ? QOM_HAS_TREE_GET : 0);
}

bool vmm_has_bulk_command(const struct vmm *vmm)
{
    return bulk_commands(vmm->caps) != 0;
}

struct saved_work {
    const char *folder, *uuid;
    bool starting, missing;
};

static void look_at_saved(void *arg)
{
    struct saved_work *work = arg;
    owned_memory char *path = qom_saved_path(work->folder, work->uuid, false);
    if (work->starting)
        qom_saved_rotate(work->folder, work->uuid);
    work->missing = access(path, F_OK) < 0;
}

/* A run that was found again has saved its first tree already, unless nobody has asked for one yet. */
static WAITS void save_first_tree(struct vmm *vmm, const char *folder, bool starting)
{
    char uuid[UUID_TEXT_SIZE];
    uuid_format(&vmm->domain->uuid, uuid);
    struct saved_work work = { .folder = folder, .uuid = uuid, .starting = starting };
    error_scope(err);
    if (await_work(look_at_saved, &work, &err) < 0 || !work.missing)
        return;
    owned_memory char *path = qom_saved_path(folder, uuid, false);
    qom_tree_save_to(vmm->tree, path);
}

WAITS void vmm_make_tree(struct vmm *vmm, char *const *argv, bool starting)
{
    const char *cache = settings_now()->cache_folder;
    owned_memory char *folder = cache ? memory_printf("%s/qom", cache) : NULL;
    unsigned commands = bulk_commands(vmm->caps);
    commands |= monitor_reads_ahead(vmm->monitor) ? QOM_READS_AHEAD : 0;
    vmm->tree = qom_tree_new(vmm->monitor, commands, folder, vmm->caps->key, (const char *const *) argv);
    owned_memory char *saved = qom_saved_folder(cache);
    if (saved)
        save_first_tree(vmm, saved, starting);
}

/* --- states --- */

void vmm_set_paused(struct vmm *vmm)
{
    static const struct { int reason, detail; } details[] = {
        { PAUSED_IOERROR, SUSPENDED_IOERROR }, { PAUSED_WATCHDOG, SUSPENDED_WATCHDOG },
    };
    int detail = SUSPENDED_PAUSED;
    for (size_t i = 0; i < ARRAY_COUNT(details); i++)
        if (details[i].reason == vmm->pause_reason)
            detail = details[i].detail;
    if (vmm->domain->state == DOMAIN_RUNNING) {
        domain_set_state(vmm->domain, DOMAIN_PAUSED, vmm->pause_reason);
        domain_emit_lifecycle(vmm->domain, EVENT_SUSPENDED, detail);
    }
    vmm->pause_reason = PAUSED_UNKNOWN;
}

void vmm_set_running(struct vmm *vmm)
{
    if (vmm->domain->state == DOMAIN_RUNNING)
        return;
    domain_set_state(vmm->domain, DOMAIN_RUNNING, RUNNING_UNPAUSED);
    domain_emit_lifecycle(vmm->domain, EVENT_RESUMED, RESUMED_UNPAUSED);
}
