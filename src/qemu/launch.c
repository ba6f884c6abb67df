/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/launch.h"

#include <inttypes.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "domain/registry.h"
#include "domain/status.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "qemu/command_line.h"
#include "qemu/disk_users.h"
#include "qemu/emulator.h"
#include "qemu/firmware.h"
#include "qemu/startup_policy.h"
#include "qemu/inject.h"

enum { UNDO_MS = 5000 };

/* --- steps --- */

/* From here on the domain has a number and is listed as starting, so that `destroy` finds something to end:
 * an emulator that hangs takes seconds to be given up. */
static WAITS int find_capabilities(struct launch *launch, struct error *err)
{
    struct domain *dom = launch->domain;
    domain_set_active(dom, registry_next_id(dom->registry));
    domain_set_state(dom, DOMAIN_PAUSED, PAUSED_STARTING_UP);
    domain_set_live(dom, dom->def);
    const char *emulator = emulator_of(dom->def, err);
    launch->vmm->caps = emulator ? caps_get(emulator, err) : NULL;
    return launch->vmm->caps ? 0 : -1;
}

static WAITS int prepare_definition(struct launch *launch, struct error *err)
{
    struct domain *dom = launch->domain;
    struct vmm *vmm = launch->vmm;
    if (!(vmm->def = launch_prepare(dom->def, vmm->caps, err)) || launch_check_host(vmm->def, err) < 0)
        return -1;
    const struct command_line what = launch_command_line(vmm->def, vmm->caps);
    if (command_line_build(&what, &launch->argv, err) < 0 || disk_users_check(dom, vmm->def, err) < 0)
        return -1;
    channels_place(dom, vmm->def);
    vmm_take_ports(vmm);
    domain_set_live(dom, vmm->def);
    startup_policy_tell(dom, vmm->def);
    return 0;
}

struct log_work { const char *path, *note; struct guest_log *log; struct error err; };

static void open_log(void *arg)
{
    struct log_work *work = arg;
    work->log = guest_log_open(work->path, &work->err);
    if (work->log && work->note)
        guest_log_note(work->log, work->note);
}

WAITS struct guest_log *launch_open_log(const struct domain *dom, const char *note, struct error *err)
{
    owned_memory char *path = place_log(registry_places(dom->registry), dom->name, &dom->uuid);
    struct log_work work = { .path = path, .note = note };
    int rc = await_work(open_log, &work, err);
    owned(guest_log) struct guest_log *log = work.log;
    if (rc == 0 && !log)
        error_move(err, &work.err);
    error_clear(&work.err);
    return rc == 0 ? take(log) : NULL;
}

static WAITS int open_files(struct launch *launch, struct error *err)
{
    if (firmware_make_variables(launch->vmm->def, err) < 0)
        return -1;
    launch->vmm->socket = place_monitor(registry_places(launch->domain->registry), launch->domain->id);
    launch->listener = unix_listen(launch->vmm->socket, 0600, 1, err);
    if (launch->listener < 0 || channels_open(launch->vmm->def, &launch->channels, err) < 0)
        return -1;
    owned_buffer struct buffer note = { 0 };
    buffer_printf(&note, "starting as domain %d: ", launch->domain->id);
    argv_format(&launch->argv, &note);
    vmm_take_log(launch->vmm, launch_open_log(launch->domain, note.data, err));
    return launch->vmm->log ? 0 : -1;
}

/* --- the record --- */

/* Says that this guest is to be found again; one that is PAUSED_STARTING_UP there, and in prelaunch, was to
 * run. */
static WAITS int save_record(struct launch *launch, enum status_phase phase, struct error *err)
{
    const struct vmm *vmm = launch->vmm;
    return status_save(launch->domain, phase, process_identity(vmm->process), vmm->socket, err);
}

static void record_fiber(void *arg)
{
    struct launch *launch = arg;
    wait_done(&launch->record, save_record(launch, STATUS_RUNNING, &launch->record_error));
}

/* Written while the emulator builds its machine, which takes longer than a disk. */
static void begin_record(struct launch *launch)
{
    launch->recording = !(launch->flags & START_PAUSED) && fiber_start(record_fiber, launch);
}

static WAITS int finish_record(struct launch *launch, struct error *err)
{
    if (!launch->recording)
        return save_record(launch, STATUS_RUNNING, err);
    launch->recording = false;
    if (wait_release(&launch->record) == 0)
        return 0;
    error_move(err, &launch->record_error);
    return -1;
}

/* --- the process --- */

/* On disk before the process may run: whatever happens to us, the next daemon knows of it. */
static WAITS int fork_process(struct launch *launch, struct error *err)
{
    const struct emulator_owner *owner = emulator_owner();
    struct vmm *vmm = launch->vmm;
    owned_argv struct argv environment = { 0 };
    launch_environment(vmm->def, &environment);
    inject_add_variable(vmm, &environment);
    channels_add(&launch->channels, launch->listener, MONITOR_FD);
    launch->listener = -1;
    struct process_spec spec = {
        .argv = launch->argv.words, .environment = environment.words,
        .output = vmm->log->fd, .errors = vmm->log->fd,
        .fds = launch->channels.fds, .fds_count = launch->channels.count,
        .user = owner->user, .group = owner->group,
        .groups = owner->groups, .groups_count = owner->groups_count
    };
    if (!(vmm->process = process_fork(&spec, err)) || launch_pin_process(launch, err) < 0)
        return -1;
    channels_close(&launch->channels);
    return save_record(launch, STATUS_STARTING, err);
}

static WAITS int execute(struct launch *launch, struct error *err)
{
    if (vmm_connect(launch->vmm, false, err) < 0)
        return -1;
    monitor_set_timeout(launch->vmm->monitor, launch->timeout);
    if (process_exec(launch->vmm->process, launch->deadline, err) < 0) {
        process_free(take(launch->vmm->process));
        return -1;
    }
    begin_record(launch);
    return 0;
}

static WAITS int let_run(struct launch *launch, struct error *err)
{
    if (launch->flags & START_PAUSED)
        domain_set_state(launch->domain, DOMAIN_PAUSED, PAUSED_USER);
    else
        launch->cont = launch_ask(launch, "cont", NULL);
    return finish_record(launch, err);
}

/* The request for the tree leaves when this start is over, and whoever wants to look waits for it: to answer
 * it takes the VMM longer than `cont`.  Without a bulk command a tree takes seconds, so then it is read when
 * somebody asks. */
static WAITS int see_it_run(struct launch *launch, struct error *err)
{
    if (launch->cont && monitor_call_wait(launch->cont, err) < 0)
        return -1;
    if (vmm_has_bulk_command(launch->vmm))
        qom_tree_begin(launch->vmm->tree);
    return 0;
}

static const struct step {
    const char *name;
    WAITS int (*run)(struct launch *launch, struct error *err);
} steps[] = {
    { "capabilities", find_capabilities },
    { "definition", prepare_definition },
    { "files", open_files },
    { "fork", fork_process },           /* and the status file, before anything runs */
    { "exec", execute },
    { "handshake", launch_handshake },         /* the emulator loads and builds the machine */
    { "devices", launch_read_answers },
    { "status", let_run },
    { "cont", see_it_run },
};
_Static_assert(ARRAY_COUNT(steps) <= START_PHASES_MAX, "a phase for each step");

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

static int blame(const struct launch *launch, const char *step, struct error *err)
{
    owned_memory char *subject = memory_printf("domain '%s'", launch->domain->name);
    if (text_starts(error_text(err), subject))
        return fail_in(err, "start failed (%s)", step);
    return fail_in(err, "%s: start failed (%s)", subject, step);
}

WAITS int launch_run(struct launch *launch, struct error *err)
{
    struct start_timings *timings = &launch->vmm->timings;
    double begun = milliseconds(), before = begun;
    for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
        if (steps[i].run(launch, err) < 0) {
            vmm_explain(launch->vmm, err);
            return blame(launch, steps[i].name, err);
        }
        double now = milliseconds();
        timings->phases[timings->count++] = (struct start_phase){ steps[i].name, now - before };
        before = now;
    }
    timings->total = before - begun;
    const struct monitor_totals totals = monitor_totals(launch->vmm->monitor);
    timings->calls = totals.calls;
    timings->request_bytes = totals.request_bytes;
    timings->reply_bytes = totals.reply_bytes;
    return 0;
}

WAITS void launch_undo(struct launch *launch, int shutoff_reason)
{
    struct domain *dom = launch->domain;
    struct vmm *vmm = launch->vmm;
    fiber_uncancel();
    error_scope(err);
    if (launch->recording)              /* what is written now must not stay */
        finish_record(launch, &err);
    if (vmm->process && (process_signal(vmm->process, SIGKILL, &err) < 0 ||
                         process_wait(vmm->process, loop_now() + UNDO_MS, &err) < 0))
        log_error("domain '%s': process %d of a failed start: %s", dom->name,
                  (int) process_identity(vmm->process)->pid, error_text(&err));
    vmm_cut_log(vmm);
    if (vmm->socket) {
        unlink(vmm->socket);
        inject_remove(vmm->socket);
    }
    channels_remove(dom, vmm->def);
    if (!domain_is_active(dom))
        return;
    if (status_remove(dom, &err) < 0)
        log_error("domain '%s': its status file stays: %s", dom->name, error_text(&err));
    domain_set_inactive(dom, shutoff_reason);
}

void launch_done(struct launch *launch)
{
    for (size_t i = 0; i < launch->calls.count; i++) {
        monitor_call_done(launch->calls.items[i]);
        free(launch->calls.items[i]);
    }
    vector_done(&launch->calls);
    error_clear(&launch->record_error);
    own_close_fd(&launch->listener);
    channels_close(&launch->channels);
    argv_done(&launch->argv);
    vmm_free(launch->vmm);
}
