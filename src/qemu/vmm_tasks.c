/* SPDX-License-Identifier: Apache-2.0 */
/* What has to be done because of something that happened: each in a fiber and a job of its own, at the head
 * of the line.  A task knows its guest by id, which is never given out twice, so it does nothing to the next
 * run's. */
#include "qemu/vmm.h"

#include <signal.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "domain/status.h"
#include "loop/loop.h"
#include "qemu/hotplug.h"
#include "qemu/reconnect.h"

enum { LEAVE_MS = 1000, RETRY_MS = 200, RECONNECT_MS = 10000 };

struct task {
    const char *what;
    unsigned flags;                     /* of its job */
    void (*run)(struct vmm *vmm);
    struct domain *domain;              /* counted */
    int id;
    struct timer *retry;
};

static void task_free(struct task *task)
{
    domain_unref(task->domain);
    timer_free(task->retry);
    free(task);
}

static bool is_due(const struct task *task)
{
    return !task->domain->removed && task->domain->id == task->id && task->domain->vmm;
}

/* Another job may be slow to end, but it will, and the task must not be lost. */
static void task_fiber(void *arg)
{
    struct task *task = arg;
    while (is_due(task)) {
        error_scope(err);
        if (job_begin(task->domain, task->what, "domusd", task->flags, &err) < 0) {
            await_sleep(RETRY_MS, &err);
            continue;
        }
        if (is_due(task))
            task->run(task->domain->vmm);
        job_end(&task->domain->job);
        break;
    }
    task_free(task);
}

static void task_begin(void *arg)
{
    struct task *task = arg;
    timer_free(take(task->retry));
    if (!fiber_start(task_fiber, task))
        task->retry = timer_start(RETRY_MS, 0, task_begin, task);
}

static void task_later(struct vmm *vmm, const char *what, unsigned flags, void (*run)(struct vmm *vmm))
{
    struct task *task = NEW(struct task);
    *task = (struct task){
        .what = what, .flags = flags, .run = run, .domain = domain_ref(vmm->domain), .id = vmm->domain->id
    };
    task_begin(task);
}

/* What a guest's end means, by the state it was in. */
static WAITS void end_by_state(struct vmm *vmm)
{
    switch (vmm->domain->state) {
    case DOMAIN_SHUTDOWN:
        vmm_end(vmm, SHUTOFF_SHUTDOWN, STOPPED_SHUTDOWN);
        break;
    case DOMAIN_CRASHED:
        vmm_end(vmm, SHUTOFF_CRASHED, STOPPED_CRASHED);
        break;
    default:
        vmm_end(vmm, SHUTOFF_CRASHED, STOPPED_FAILED);
        break;
    }
}

/* A VMM without its monitor is of no use to anybody: one that does not leave by itself is killed. */
static WAITS void clean_up(struct vmm *vmm)
{
    error_scope(err);
    if (process_wait(vmm->process, loop_now() + LEAVE_MS, &err) < 0) {
        log_error("domain '%s': its emulator closed the monitor, and is ended", vmm->domain->name);
        error_scope(alive);
        if (vmm_terminate(vmm, false, &alive) < 0) {
            log_error("%s", error_text(&alive));
            return;
        }
    }
    owned_memory char *said = vmm->log ? guest_log_tail(vmm->log) : memory_copy_text("");
    bool expected = vmm->domain->state == DOMAIN_SHUTDOWN;
    log_write(expected ? LOG_LEVEL_INFO : LOG_LEVEL_ERROR, "domain '%s': the emulator %s%s%s",
              vmm->domain->name, process_exit_text(vmm->process), !expected && *said ? ": " : "",
              expected ? "" : said);
    end_by_state(vmm);
}

static WAITS void power_off(struct vmm *vmm)
{
    error_scope(err);
    if (vmm_terminate(vmm, false, &err) < 0)
        log_error("%s", error_text(&err));
    else
        end_by_state(vmm);
}

static WAITS void reset(struct vmm *vmm)
{
    error_scope(err);
    struct domain *dom = vmm->domain;
    int id = dom->id;
    if (monitor_call(vmm->monitor, "system_reset", NULL, NULL, &err) < 0 ||
        monitor_call(vmm->monitor, "cont", NULL, NULL, &err) < 0)
        log_error("domain '%s': the reboot that its definition asks for failed: %s", dom->name,
                  error_text(&err));
    if (dom->id != id || !dom->vmm)
        return;
    vmm->rebooting = vmm->reboot_asked = false;
    if (err.code == ERR_NONE && dom->state != DOMAIN_RUNNING)
        vmm_set_running(vmm);
}

static WAITS void save_state(struct vmm *vmm)
{
    error_scope(err);
    if (status_save(vmm->domain, STATUS_RUNNING, process_identity(vmm->process), vmm->socket, &err) < 0)
        log_warning("domain '%s': its status file is out of date: %s", vmm->domain->name, error_text(&err));
}

static void on_reconnect_timer(void *arg)
{
    struct vmm *vmm = arg;
    timer_free(take(vmm->reconnect_timer));
    vmm_reconnect_later(vmm);
}

/* A silent VMM is tried again and again; meanwhile whoever needs it hears that it does not answer. */
static WAITS void reconnect(struct vmm *vmm)
{
    error_scope(err);
    struct domain *dom = vmm->domain;
    qom_tree_free(take(vmm->tree));
    monitor_free(take(vmm->monitor));
    vmm->reconnecting = true;
    int rc = vmm_reconnect(vmm, dom->state, dom->reason, &err);
    vmm->reconnecting = false;
    if (rc > 0) {
        log_error("domain '%s': it waits for the end of a start that is long over, and is ended", dom->name);
        power_off(vmm);
    } else if (rc == 0) {
        log_info("domain '%s': its monitor answers again", dom->name);
        monitor_set_timeout(vmm->monitor, MONITOR_TIMEOUT_MS);
        vmm_read_tree_later(vmm);
        vmm_find_gone_later(vmm);
    } else if (err.code != ERR_ABORTED && !process_has_exited(vmm->process)) {
        log_error("domain '%s': its monitor does not answer: %s", dom->name, error_text(&err));
        vmm->reconnect_timer = timer_start(RECONNECT_MS, 0, on_reconnect_timer, vmm);
    }
}

void vmm_clean_up_later(struct vmm *vmm)
{
    if (vmm->cleaning || vmm->phase != VMM_RUNNING)
        return;
    vmm->cleaning = true;
    task_later(vmm, "clean-up", JOB_FIRST, clean_up);
}

void vmm_power_off_later(struct vmm *vmm)
{
    task_later(vmm, "power-off", JOB_FIRST, power_off);
}

void vmm_find_gone_later(struct vmm *vmm)
{
    task_later(vmm, "devices", 0, hotplug_find_gone);
}

void vmm_forget_gone_later(struct vmm *vmm)
{
    task_later(vmm, "unplug", 0, hotplug_forget_gone);
}

void vmm_reset_later(struct vmm *vmm)
{
    task_later(vmm, "reboot", JOB_FIRST, reset);
}

void vmm_reconnect_later(struct vmm *vmm)
{
    if (vmm->phase == VMM_RUNNING && !vmm->reconnect_timer)
        task_later(vmm, "reconnect", 0, reconnect);
}

void vmm_save_later(struct vmm *vmm)
{
    if (vmm->phase == VMM_RUNNING && !vmm->domain->job.what)    /* a job saves what it changes */
        task_later(vmm, "status", 0, save_state);
}
