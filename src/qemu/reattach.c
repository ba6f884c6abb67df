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
#include "qemu/inject.h"
#include "qemu/launch.h"
#include "qemu/reconnect.h"

enum { END_MS = 5000 };

/* --- what has no guest any more --- */

static WAITS void forget_guest(struct domain *dom, const char *socket, int shutoff_reason, int stopped_detail)
{
    error_scope(err);
    if (socket) {
        unlink(socket);
        inject_remove(socket);
    }
    channels_remove(dom, dom->live);
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
    log_warning("domain '%s': its emulator (process %d) ended %s", dom->name, (int) record->process.pid,
                text_equal(record->boot_id, process_boot_id()) ? "while no daemon ran" : "with the host");
    if (by_guest)
        forget_guest(dom, record->monitor, SHUTOFF_SHUTDOWN, STOPPED_SHUTDOWN);
    else
        forget_guest(dom, record->monitor, SHUTOFF_CRASHED, STOPPED_CRASHED);
    return 0;
}

/* --- what still runs --- */

static void adopt_again(struct vmm *vmm)
{
    struct domain *dom = vmm->domain;
    vmm_adopt(vmm);
    if (vmm->monitor) {
        vmm_read_tree_later(vmm);
        vmm_find_gone_later(vmm);
    } else {
        vmm_lose_monitor(vmm, MONITOR_SILENT, "it has not answered since domusd was restarted");
    }
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
    vmm_take_log(vmm, launch_open_log(dom, NULL, &no_log));
    if (!vmm->log)
        log_warning("domain '%s': %s", dom->name, error_text(&no_log));
    vmm_take_ports(vmm);
    int rc = vmm_reconnect(vmm, record->state, record->reason, err);
    if (rc > 0) /* nobody was told of success: vmm_free() lets go, undo_start() ends it */
        return undo_start(dom, record, err);
    if (rc < 0 && !process_has_exited(process)) {
        log_error("domain '%s' runs (process %d), but its monitor is lost: %s", dom->name,
                  (int) record->process.pid, error_text(err));
        bool was_to_run = record->state == DOMAIN_PAUSED && record->reason == PAUSED_STARTING_UP;
        domain_set_state(dom, was_to_run ? DOMAIN_RUNNING : record->state,
                         was_to_run ? RUNNING_UNKNOWN : record->reason);
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
