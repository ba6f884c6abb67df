/* SPDX-License-Identifier: Apache-2.0 */
/* What has to be done because of something that happened: each in a fiber and a job of its own, at the head
 * of the line.  A task knows its guest by id, which is never given out twice, so it does nothing to the next
 * run's. */
#include "qemu/vmm.h"

#include <signal.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "domain/events.h"
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

/* The process has ended. */
static WAITS void clean_up(struct vmm *vmm)
{
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
    if (!vmm_get(dom, &err) || monitor_call(vmm->monitor, "system_reset", NULL, NULL, &err) < 0 ||
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
    vmm->saving = false;                /* what changes from here on is saved once more */
    if (status_save(vmm->domain, STATUS_RUNNING, process_identity(vmm->process), vmm->socket, &err) < 0)
        log_warning("domain '%s': its status file is out of date: %s", vmm->domain->name, error_text(&err));
}

/* --- a lost monitor --- */

static void reconnect_after(struct vmm *vmm, unsigned ms);
static void stay_lost(struct vmm *vmm, const struct error *why);

static void tell_lost(struct vmm *vmm)
{
    if (vmm->lost_told)
        return;
    vmm->lost_told = true;
    log_error("domain '%s': its monitor is lost, and is tried again while its guest (process %d) runs on: %s",
              vmm->domain->name, (int) process_identity(vmm->process)->pid, vmm->lost_why);
    const struct domain_event event = { .id = DOMAIN_EVENT_CONTROL_ERROR };
    domain_emit(vmm->domain, &event);
}

/* What its events would have said. */
static void tell_missed(struct vmm *vmm, enum domain_state before)
{
    static const struct { enum domain_state state; enum lifecycle type; int detail; } rows[] = {
        { DOMAIN_RUNNING, EVENT_RESUMED, RESUMED_UNPAUSED },
        { DOMAIN_PAUSED, EVENT_SUSPENDED, SUSPENDED_PAUSED },
        { DOMAIN_SHUTDOWN, EVENT_SHUTDOWN, SHUTDOWN_FINISHED },
        { DOMAIN_CRASHED, EVENT_CRASHED, CRASHED_EVENT_PANICKED },
    };
    enum domain_state now = vmm->domain->state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (now != before && rows[i].state == now)
            domain_emit_lifecycle(vmm->domain, rows[i].type, rows[i].detail);
    if (now == DOMAIN_SHUTDOWN && vmm->def->on_poweroff != ACTION_PRESERVE)
        vmm_power_off_later(vmm);
}

static void is_found(struct vmm *vmm, enum domain_state before)
{
    log_info("domain '%s': its monitor answers again", vmm->domain->name);
    free(take(vmm->lost_why));
    vmm->lost_told = false;
    vmm->reconnected_at = loop_now();
    monitor_set_timeout(vmm->monitor, MONITOR_TIMEOUT_MS);
    tell_missed(vmm, before);
    vmm_read_tree_later(vmm);
    vmm_find_gone_later(vmm);
}

/* The monitor is there, and so is the domain's state, as far as it was known. */
static WAITS void take_monitor(struct vmm *vmm, struct monitor *monitor)
{
    error_scope(err);
    struct domain *dom = vmm->domain;
    enum domain_state before = dom->state;
    qom_tree_free(take(vmm->tree));
    monitor_free(vmm->monitor);
    vmm->monitor = monitor;
    monitor_set_handler(monitor, &vmm_monitor_handler, vmm);
    vmm->reconnecting = true;
    int rc = vmm_ask_again(vmm, dom->state, dom->reason, &err);
    vmm->reconnecting = false;
    if (rc == 0) {
        is_found(vmm, before);
    } else if (rc > 0) {
        log_error("domain '%s': it waits for the end of a start that is long over, and is ended", dom->name);
        power_off(vmm);
    } else if (err.code != ERR_ABORTED) {
        stay_lost(vmm, &err);
    }
}

/* Who looks for a lost monitor, without a job, so that nobody has to wait for that. */
struct search {
    struct domain *domain;              /* counted */
    int id;
    char *socket;
};

static void search_free(struct search *search)
{
    domain_unref(search->domain);
    free(search->socket);
    free(search);
}
DEFINE_OWNED(search)

static struct vmm *lost_vmm(const struct search *search)
{
    struct domain *dom = search->domain;
    return !dom->removed && dom->id == search->id && dom->vmm && dom->vmm->lost_why ? dom->vmm : NULL;
}

static void search_fiber(void *arg)
{
    owned(search) struct search *search = arg;
    error_scope(err);
    owned_memory char *subject = memory_printf("domain '%s'", search->domain->name);
    owned(monitor) struct monitor *found = reconnect_try(search->socket, subject, &err);
    if (!lost_vmm(search) || process_has_exited(lost_vmm(search)->process))
        return;
    if (!found) {
        stay_lost(lost_vmm(search), &err);
        return;
    }
    if (job_begin(search->domain, "reconnect", "domusd", 0, &err) < 0) {
        if (lost_vmm(search))
            stay_lost(lost_vmm(search), &err);
        return;
    }
    owned(job) struct job *job UNUSED = &search->domain->job;
    if (lost_vmm(search))
        take_monitor(lost_vmm(search), take(found));
}

/* It is tried again and again; meanwhile whoever needs it hears that it is lost. */
static void on_reconnect_timer(void *arg)
{
    struct vmm *vmm = arg;
    timer_free(take(vmm->reconnect_timer));
    if (vmm->phase != VMM_RUNNING || process_has_exited(vmm->process))
        return;
    tell_lost(vmm);
    struct search *search = NEW(struct search);
    *search = (struct search){ domain_ref(vmm->domain), vmm->domain->id, memory_copy_text(vmm->socket) };
    if (!fiber_start(search_fiber, search)) {
        search_free(search);
        reconnect_after(vmm, RECONNECT_MS);
    }
}

static void reconnect_after(struct vmm *vmm, unsigned ms)
{
    if (!vmm->reconnect_timer)
        vmm->reconnect_timer = timer_start(ms, 0, on_reconnect_timer, vmm);
}

static void stay_lost(struct vmm *vmm, const struct error *why)
{
    free(vmm->lost_why);
    vmm->lost_why = memory_copy_text(error_text(why));
    reconnect_after(vmm, RECONNECT_MS);
}

/* That it is closed is also how the end of every process begins; one that does the same again and again is
 * not asked again at once. */
void vmm_lose_monitor(struct vmm *vmm, enum monitor_end end, const char *why)
{
    bool again = vmm->reconnected_at && loop_now() - vmm->reconnected_at < RECONNECT_MS;
    free(vmm->lost_why);
    vmm->lost_why = memory_copy_text(why);
    reconnect_after(vmm, again ? RECONNECT_MS : end == MONITOR_CLOSED ? LEAVE_MS : 0);
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

void vmm_save_later(struct vmm *vmm)
{
    if (vmm->phase != VMM_RUNNING || vmm->saving || vmm->domain->job.what)      /* a job saves its changes */
        return;
    vmm->saving = true;
    task_later(vmm, "status", 0, save_state);
}
