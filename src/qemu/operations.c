/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/operations.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "domain/events.h"
#include "domain/status.h"
#include "loop/loop.h"
#include "qemu/emulator.h"
#include "qemu/launch.h"
#include "qemu/props.h"

enum { PORT_ATTEMPTS = 5 };

void operations_let_go(void)
{
    vmm_let_go_of_all();
}

void operations_done(void)
{
    operations_let_go();
    emulator_settings_done();
}

/* A large guest's memory may be allocated before the monitor answers: a second more for each GiB. */
static unsigned start_timeout(const struct domain_def *def)
{
    uint64_t seconds = def->memory.kib >> 20;
    return settings_now()->start_timeout_ms + 1000 * (unsigned) (seconds < 3600 ? seconds : 3600);
}

/* 1: another program was quicker to take a port that was free. */
static WAITS int start_once(struct domain *dom, unsigned flags, struct error *err)
{
    owned_launch struct launch launch = {
        .domain = dom, .vmm = vmm_new(dom), .flags = flags, .listener = -1, .timeout = start_timeout(dom->def)
    };
    launch.deadline = loop_now() + launch.timeout;
    if (launch_run(&launch, err) == 0) {
        vmm_adopt(take(launch.vmm));
        return 0;
    }
    launch_undo(&launch, err->code == ERR_ABORTED ? SHUTOFF_DESTROYED : SHUTOFF_FAILED);
    return err->code != ERR_ABORTED && launch_lost_port(&launch) ? 1 : -1;
}

WAITS int domain_start(struct domain *dom, unsigned flags, struct error *err)
{
    int rc;
    if (domain_is_active(dom))
        return fail(err, ERR_OPERATION_INVALID, "domain is already running");
    for (int attempt = 1; (rc = start_once(dom, flags, err)) > 0 && attempt < PORT_ATTEMPTS; attempt++) {
        log_info("domain '%s': another program took its screen's port; started again: %s", dom->name,
                 error_text(err));
        error_clear(err);
    }
    if (rc != 0)
        return -1;
    if (flags & START_PAUSED) {
        domain_set_state(dom, DOMAIN_PAUSED, PAUSED_USER);
        domain_emit_lifecycle(dom, EVENT_STARTED, STARTED_BOOTED);
        domain_emit_lifecycle(dom, EVENT_SUSPENDED, SUSPENDED_PAUSED);
    } else {
        domain_set_state(dom, DOMAIN_RUNNING, RUNNING_BOOTED);
        domain_emit_lifecycle(dom, EVENT_RESUMED, RESUMED_UNPAUSED);
        domain_emit_lifecycle(dom, EVENT_STARTED, STARTED_BOOTED);
    }
    return 0;
}

WAITS int domain_destroy(struct domain *dom, unsigned flags, struct error *err)
{
    if (domain_check_active(dom, err) < 0)
        return -1;
    struct vmm *vmm = dom->vmm;
    if (!vmm)
        return vmm_fail_unreached(dom, err);
    if (vmm_terminate(vmm, flags & DESTROY_GRACEFUL, err) < 0)
        return -1;
    vmm_end(vmm, SHUTOFF_DESTROYED, STOPPED_DESTROYED);
    return 0;
}

/* A status file that says something older is no reason to fail: the next daemon asks the VMM. */
static WAITS void save_state(struct domain *dom)
{
    error_scope(err);
    struct vmm *vmm = dom->vmm;
    if (vmm && status_save(dom, STATUS_RUNNING, process_identity(vmm->process), vmm->socket, &err) < 0)
        log_warning("domain '%s': its status file is out of date: %s", dom->name, error_text(&err));
}

static int refuse_state(const struct domain *dom, const char *what, struct error *err)
{
    return fail(err, ERR_OPERATION_INVALID, "domain '%s' is %s, and cannot be %s", dom->name,
                domain_state_word(dom->state), what);
}

WAITS int domain_suspend(struct domain *dom, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm)
        return -1;
    if (dom->state == DOMAIN_PAUSED)
        return 0;
    if (dom->state != DOMAIN_RUNNING)
        return refuse_state(dom, "suspended", err);
    vmm->pause_reason = PAUSED_USER;
    int rc = monitor_call(vmm->monitor, "stop", NULL, NULL, err);
    if (dom->vmm != vmm)
        return rc;
    if (rc == 0) {
        vmm->pause_reason = PAUSED_USER;
        vmm_set_paused(vmm);            /* unless its STOP did that already */
        save_state(dom);
    }
    return rc;
}

WAITS int domain_resume(struct domain *dom, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm)
        return -1;
    if (dom->state == DOMAIN_RUNNING)
        return fail(err, ERR_OPERATION_INVALID, "domain is already running");
    if (dom->state == DOMAIN_PMSUSPENDED)
        return refuse_state(dom, "resumed; wake it up", err);
    if (monitor_call(vmm->monitor, "cont", NULL, NULL, err) < 0)
        return -1;
    vmm_set_running(vmm);
    save_state(dom);
    return 0;
}

WAITS static int human_command(struct vmm *vmm, const char *text, char **ret_reply, struct error *err)
{
    owned_props struct props arguments;
    props_begin(&arguments, "command-line", text);
    struct monitor_reply reply __attribute__((cleanup(monitor_reply_done))) = { 0 };
    if (monitor_call(vmm->monitor, "human-monitor-command", props_end(&arguments), &reply, err) < 0)
        return -1;
    const char *output = json_text(reply.value);
    if (!output)
        return fail(err, ERR_VMM, "domain '%s': the monitor's answer is no text", vmm->domain->name);
    *ret_reply = memory_copy_text(output);
    return 0;
}

/* A client has gone past us: what may have come or gone is looked at. */
static void look_after(struct vmm *vmm, const char *text)
{
    static const char *const words[] = { "device_add", "device_del", "object-add",  "object-del",
                                         "object_add", "object_del", "chardev-add", "chardev-remove" };
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if (strstr(text, words[i]) && vmm->tree && qom_tree_kept(vmm->tree)) {
            qom_tree_begin_changed(vmm->tree, NULL);
            return;
        }
}

WAITS int domain_monitor_command(struct domain *dom, const char *text, bool human, char **ret_reply,
                                 struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    int id = dom->id;
    owned_buffer struct buffer reply = { 0 };
    if (!vmm)
        return -1;
    if (human ? human_command(vmm, text, ret_reply, err) < 0
              : monitor_raw(vmm->monitor, text, &reply, err) < 0)
        return -1;
    if (!human)
        *ret_reply = buffer_take(&reply);
    if (dom->id == id && dom->vmm == vmm)
        look_after(vmm, text);
    return 0;
}

WAITS int native_command_line(const struct domain_def *def, struct buffer *out, struct error *err)
{
    const char *emulator = emulator_of(def, err);
    owned(caps) struct caps *caps = emulator ? caps_get(emulator, err) : NULL;
    if (!caps)
        return -1;
    owned(domain_def) struct domain_def *live = launch_prepare(def, caps, err);
    if (!live)
        return -1;
    owned_argv struct argv argv = { 0 };
    const struct command_line what = launch_command_line(live, caps);
    if (command_line_build(&what, &argv, err) < 0)
        return -1;
    argv_format(&argv, out);
    return 0;
}

bool domain_monitor_is_lost(const struct domain *dom)
{
    return dom->vmm && (!dom->vmm->monitor || monitor_is_broken(dom->vmm->monitor));
}

const struct start_timings *domain_start_timings(const struct domain *dom)
{
    return dom->vmm && dom->vmm->timings.count ? &dom->vmm->timings : NULL;
}

/* --- the tree --- */

/* After a restart trees are made in the background; who asks before that waits a little. */
static WAITS int wait_for_tree(struct domain *dom, const struct vmm *vmm, struct error *err)
{
    enum { TREE_MS = 15000, STEP_MS = 20 };
    uint64_t deadline = loop_now() + TREE_MS;
    int id = dom->id;
    while (dom->id == id && dom->vmm == vmm && !vmm->tree && vmm->tree_comes && loop_now() < deadline)
        if (await_sleep(STEP_MS, err) < 0)
            return -1;
    if (dom->id != id || dom->vmm != vmm)
        return fail(err, ERR_OPERATION_INVALID, "domain '%s' ended meanwhile", dom->name);
    return vmm->tree ? 0 : fail(err, ERR_VMM, "domain '%s': its tree cannot be read yet", dom->name);
}

WAITS const struct qom_store *domain_qom_tree(struct domain *dom, bool refresh, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm || wait_for_tree(dom, vmm, err) < 0)
        return NULL;
    return qom_tree_read(vmm->tree, refresh, err);
}

WAITS const struct qom_stats *domain_qom_stats(struct domain *dom, struct error *err)
{
    if (!domain_qom_tree(dom, false, err))
        return NULL;
    return qom_tree_stats(dom->vmm->tree);
}
