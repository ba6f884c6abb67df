/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/reconnect.h"

#include "base/log.h"
#include "base/text.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "qemu/launch.h"

enum { ANSWER_MS = 5000, RETRY_MS = 50 };

/* What query-status says; a reason that is known better stays. */
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

static void take_state(struct domain *dom, const char *status, enum domain_state known, int known_reason)
{
    enum domain_state state = DOMAIN_PAUSED;
    int reason = PAUSED_UNKNOWN;
    for (size_t i = 0; i < ARRAY_COUNT(states); i++)
        if (text_equal(states[i].status, status)) {
            state = states[i].state;
            reason = states[i].reason;
        }
    bool starting = known == DOMAIN_PAUSED && known_reason == PAUSED_STARTING_UP;
    if (known == state && known_reason && !starting)
        reason = known_reason;
    domain_set_state(dom, state, reason);
}

WAITS int vmm_ask_again(struct vmm *vmm, enum domain_state known, int reason, struct error *err)
{
    owned_call struct monitor_call status = { 0 }, chardevs = { 0 };
    monitor_set_timeout(vmm->monitor, ANSWER_MS);
    monitor_call_start(vmm->monitor, &status, "query-status", NULL);
    monitor_call_start(vmm->monitor, &chardevs, "query-chardev", NULL);
    if (monitor_handshake(vmm->monitor, loop_now() + ANSWER_MS, err) < 0 ||
        monitor_call_wait(&status, err) < 0 || monitor_call_wait(&chardevs, err) < 0)
        return -1;
    const char *word = json_get_text(status.reply.value, "status");
    take_state(vmm->domain, word, known, reason);
    launch_note_ptys(vmm->domain, chardevs.reply.value);
    return text_equal(word, "prelaunch") && known == DOMAIN_PAUSED && reason == PAUSED_STARTING_UP;
}

/* A VMM that has not noticed yet that its last client is gone may take us for it, and hang up. */
WAITS int vmm_reconnect(struct vmm *vmm, enum domain_state known, int reason, struct error *err)
{
    uint64_t deadline = loop_now() + ANSWER_MS;
    for (;;) {
        int rc = vmm_connect(vmm, true, err) < 0 ? -1 : vmm_ask_again(vmm, known, reason, err);
        if (rc >= 0)
            return rc;
        monitor_free(take(vmm->monitor));
        if (process_has_exited(vmm->process) || loop_now() >= deadline || err->code == ERR_ABORTED)
            return -1;
        error_clear(err);
        if (await_sleep(RETRY_MS, err) < 0)
            return -1;
    }
}

/* One that answers a question, too, or NULL. */
static WAITS struct monitor *try(const char *socket, const char *subject, uint64_t deadline,
                                 struct error *err)
{
    static const struct monitor_handler nobody;
    int fd = unix_connect(socket, err);
    if (fd < 0)
        return NULL;
    owned(monitor) struct monitor *monitor = monitor_open_again(fd, subject, &nobody, NULL);
    owned_call struct monitor_call status = { 0 };
    monitor_set_timeout(monitor, ANSWER_MS);
    monitor_call_start(monitor, &status, "query-status", NULL);
    if (monitor_handshake(monitor, deadline, err) < 0 || monitor_call_wait(&status, err) < 0)
        return NULL;
    return take(monitor);
}

WAITS struct monitor *reconnect_try(const char *socket, const char *subject, struct error *err)
{
    uint64_t deadline = loop_now() + ANSWER_MS;
    for (;;) {
        struct monitor *found = try(socket, subject, deadline, err);
        if (found || err->code == ERR_ABORTED || loop_now() >= deadline)
            return found;
        error_clear(err);
        if (await_sleep(RETRY_MS, err) < 0)
            return NULL;
    }
}

/* A job, so that the guest stays while its plan is looked up. */
static WAITS int read_tree(struct domain *dom, int id, struct caps *caps, struct error *err)
{
    if (job_begin(dom, "tree", "domusd", 0, err) < 0)
        return -1;
    owned(job) struct job *job UNUSED = &dom->job;
    struct vmm *vmm = dom->vmm;
    if (dom->id != id || !vmm || !vmm->monitor || vmm->tree)
        return 0;
    owned_argv struct argv argv = { 0 };
    const struct command_line what = launch_command_line(vmm->def, caps);
    if (command_line_build(&what, &argv, err) < 0)
        return -1;
    caps_free(take(vmm->caps));
    vmm->caps = caps_ref(caps);
    vmm_make_tree(vmm, argv.words, false);
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
    if (dom->id == id && dom->vmm)
        dom->vmm->tree_comes = false;
}

void vmm_read_tree_later(struct vmm *vmm)
{
    vmm->tree_comes = true;
    if (fiber_start(tree_fiber, domain_ref(vmm->domain)))
        return;
    vmm->tree_comes = false;
    domain_unref(vmm->domain);
}
