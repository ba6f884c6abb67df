/* SPDX-License-Identifier: Apache-2.0 */
/* After a restart: what a status file speaks of, found again. */
#include "qemu/operations.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "domain/domain.h"
#include "domain/events.h"
#include "domain/status.h"
#include "loop/loop.h"
#include "qemu/emulator.h"
#include "qemu/launch.h"

enum { ANSWER_MS = 5000, END_MS = 5000, RETRY_MS = 50 };

/* --- what has no guest any more --- */

static WAITS void forget_guest(struct domain *dom, const char *socket, int shutoff_reason, int stopped_detail)
{
    error_scope(err);
    if (socket)
        unlink(socket);
    if (status_remove(dom, &err) < 0)
        log_error("domain '%s': its status file stays: %s", dom->name, error_text(&err));
    domain_set_inactive(dom, shutoff_reason);
    domain_emit_lifecycle(dom, EVENT_STOPPED, stopped_detail);
}

/* The daemon before us died within a start: nobody was told of success, so it is taken back. */
static WAITS int undo_start(struct domain *dom, const struct status *record, struct error *err)
{
    owned(process) struct process *process = process_attach(&record->process, err);
    if (!process && err->code != ERR_NONE)
        return -1;
    if (process &&
        (process_signal(process, SIGKILL, err) < 0 || process_wait(process, loop_now() + END_MS, err) < 0))
        return fail_in(err, "domain '%s': process %d of an unfinished start", dom->name,
                       (int) record->process.pid);
    log_info("domain '%s': a start that the last daemon did not finish is undone", dom->name);
    forget_guest(dom, record->monitor, SHUTOFF_FAILED, STOPPED_FAILED);
    return 0;
}

static WAITS int find_dead(struct domain *dom, const struct status *record)
{
    bool by_guest = record->state == DOMAIN_SHUTDOWN;
    log_warning("domain '%s': its emulator (process %d) ended while no daemon ran", dom->name,
                (int) record->process.pid);
    if (by_guest)
        forget_guest(dom, record->monitor, SHUTOFF_SHUTDOWN, STOPPED_SHUTDOWN);
    else
        forget_guest(dom, record->monitor, SHUTOFF_CRASHED, STOPPED_CRASHED);
    return 0;
}

/* --- what still runs --- */

/* What query-status says; a reason that the record knows better is taken from there. */
static const struct { const char *status; enum domain_state state; int reason; } states[] = {
    { "running", DOMAIN_RUNNING, RUNNING_BOOTED },
    { "paused", DOMAIN_PAUSED, PAUSED_USER },
    { "prelaunch", DOMAIN_PAUSED, PAUSED_USER },
    { "suspended", DOMAIN_PMSUSPENDED, 0 },
    { "shutdown", DOMAIN_SHUTDOWN, SHUTDOWN_UNKNOWN },
    { "guest-panicked", DOMAIN_CRASHED, CRASHED_PANICKED },
    { "io-error", DOMAIN_PAUSED, PAUSED_IOERROR },
    { "watchdog", DOMAIN_PAUSED, PAUSED_WATCHDOG },
};

static void take_state(struct domain *dom, const char *status, const struct status *record)
{
    enum domain_state state = DOMAIN_PAUSED;
    int reason = PAUSED_UNKNOWN;
    for (size_t i = 0; i < ARRAY_COUNT(states); i++)
        if (text_equal(states[i].status, status)) {
            state = states[i].state;
            reason = states[i].reason;
        }
    if (record->state == state && record->reason && record->reason != PAUSED_STARTING_UP)
        reason = record->reason;
    domain_set_state(dom, state, reason);
}

/* One round trip: the negotiation, the state, the ptys.  1: it was never told to run, though it was to. */
static WAITS int ask_monitor(struct vmm *vmm, const struct status *record, struct error *err)
{
    if (vmm_connect(vmm, true, err) < 0)
        return -1;
    owned_call struct monitor_call status = { 0 }, chardevs = { 0 };
    monitor_set_timeout(vmm->monitor, ANSWER_MS);
    monitor_call_start(vmm->monitor, &status, "query-status", NULL);
    monitor_call_start(vmm->monitor, &chardevs, "query-chardev", NULL);
    if (monitor_handshake(vmm->monitor, loop_now() + ANSWER_MS, err) < 0 ||
        monitor_call_wait(&status, err) < 0 || monitor_call_wait(&chardevs, err) < 0)
        return -1;
    const char *word = json_get_text(status.reply.value, "status");
    take_state(vmm->domain, word, record);
    launch_note_ptys(vmm->domain, chardevs.reply.value);
    return text_equal(word, "prelaunch") && record->state == DOMAIN_PAUSED &&
           record->reason == PAUSED_STARTING_UP;
}

/* A VMM that has not noticed yet that our predecessor is gone may take us for it, and hang up. */
static WAITS int ask_until_it_answers(struct vmm *vmm, const struct status *record, struct error *err)
{
    uint64_t deadline = loop_now() + ANSWER_MS;
    for (;;) {
        int rc = ask_monitor(vmm, record, err);
        if (rc >= 0 || process_has_exited(vmm->process) || loop_now() >= deadline || err->code == ERR_ABORTED)
            return rc;
        monitor_free(take(vmm->monitor));
        error_clear(err);
        if (await_sleep(RETRY_MS, err) < 0)
            return -1;
    }
}

/* A job, so that the guest stays while its plan is looked up. */
static WAITS int read_tree(struct domain *dom, int id, struct caps *caps, struct error *err)
{
    if (job_begin(dom, "tree", "domusd", 0, err) < 0)
        return -1;
    owned(job) struct job *job UNUSED = &dom->job;
    struct vmm *vmm = dom->vmm;
    if (dom->id != id || !vmm || monitor_is_broken(vmm->monitor))
        return 0;
    owned_argv struct argv argv = { 0 };
    const struct command_line what = launch_command_line(vmm->def, caps);
    if (command_line_build(&what, &argv, err) < 0)
        return -1;
    vmm->caps = caps_ref(caps);
    vmm_make_tree(vmm, argv.words);
    if (vmm_has_bulk_command(vmm))
        qom_tree_begin_later(vmm->tree);
    return 0;
}

/* In the background: capabilities may have to be asked for anew, and the tree is large. */
static void tree_fiber(void *arg)
{
    owned(domain) struct domain *dom = arg;
    error_scope(err);
    int id = dom->id;
    if (!dom->vmm)
        return;
    owned(caps) struct caps *caps = caps_get(dom->vmm->def->emulator, &err);
    if (!caps || read_tree(dom, id, caps, &err) < 0)
        log_warning("domain '%s': its tree cannot be read: %s", dom->name, error_text(&err));
}

static void adopt_again(struct vmm *vmm)
{
    struct domain *dom = vmm->domain;
    vmm_adopt(vmm);
    if (vmm->monitor && !fiber_start(tree_fiber, domain_ref(dom)))
        domain_unref(dom);
    if (dom->state == DOMAIN_SHUTDOWN && vmm->def->on_poweroff != ACTION_PRESERVE)
        vmm_power_off_later(vmm);       /* it shut down while nobody looked */
}

static WAITS int find_running(struct domain *dom, const struct status *record, struct process *process,
                              struct error *err)
{
    owned(vmm) struct vmm *vmm = vmm_new(dom);
    vmm->process = process;
    vmm->def = domain_def_ref(dom->live);
    vmm->socket = memory_copy_text(record->monitor);
    error_scope(no_log);
    vmm->log = launch_open_log(dom, NULL, &no_log);
    if (!vmm->log)
        log_warning("domain '%s': %s", dom->name, error_text(&no_log));
    vmm_take_ports(vmm);
    int rc = ask_until_it_answers(vmm, record, err);
    if (rc > 0) /* nobody was told of success: vmm_free() lets go, undo_start() ends it */
        return undo_start(dom, record, err);
    if (rc < 0 && !process_has_exited(process)) {
        log_error("domain '%s' runs (process %d), but its monitor is lost: %s", dom->name,
                  (int) record->process.pid, error_text(err));
        monitor_free(take(vmm->monitor));
        domain_set_state(dom, record->state, record->reason);
    }
    if (rc < 0 && process_has_exited(process))
        return find_dead(dom, record);
    adopt_again(take(vmm));
    return rc;
}

WAITS int domain_reattach(struct domain *dom, struct error *err)
{
    const struct status *record = dom->record;          /* stays: what we do not know in it is written back */
    if (!record || dom->unmanaged)
        return 0;
    if (record->phase == STATUS_STARTING || !dom->live)
        return undo_start(dom, record, err);
    struct process *process = process_attach(&record->process, err);
    if (!process)
        return err->code == ERR_NONE ? find_dead(dom, record) : -1;
    return find_running(dom, record, process, err);
}
