/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "simvmm/guest.h"
#include "simvmm/message.h"
#include "simvmm/monitor.h"
#include "simvmm/port.h"
#include "simvmm/trouble.h"
#include "simvmm/value.h"

static const char *const words[] = {
    [RUN_PRELAUNCH] = "prelaunch",           [RUN_RUNNING] = "running",
    [RUN_PAUSED] = "paused",                 [RUN_SHUTDOWN] = "shutdown",
    [RUN_INMIGRATE] = "inmigrate",           [RUN_INTERNAL_ERROR] = "internal-error",
    [RUN_IO_ERROR] = "io-error",             [RUN_WATCHDOG] = "watchdog",
    [RUN_GUEST_PANICKED] = "guest-panicked", [RUN_SUSPENDED] = "suspended",
    [RUN_FINISH_MIGRATE] = "finish-migrate", [RUN_POSTMIGRATE] = "postmigrate",
    [RUN_SAVE_VM] = "save-vm",               [RUN_RESTORE_VM] = "restore-vm",
};

const char *run_state_word(enum run_state state)
{
    return words[state];
}

static void emit_reason(struct vm *vm, const char *event, bool guest, const char *reason)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set_bool(a, data, "guest", guest);
    value_set_text(a, data, "reason", reason);
    event_emit(vm, event, data);
}

static void emit_action(struct vm *vm, const char *event, const char *action)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set_text(a, data, "action", action);
    event_emit(vm, event, data);
}

/* ---- running and not ---- */

static void set_state(struct vm *vm, enum run_state state)
{
    vm->state = state;
    guest_run_changed(vm);
}

void run_start(struct vm *vm)
{
    if (vm->stopped || vm->state == RUN_INMIGRATE)
        return;
    set_state(vm, RUN_RUNNING);
    event_emit(vm, "RESUME", NULL);
}

/* A suspended guest that was stopped is suspended again; before 8.0 stop and cont did nothing to it. */
int run_continue(struct vm *vm, struct error *err)
{
    if (vm->state == RUN_INMIGRATE)
        vm->stopped = false;
    if (vm->state == RUN_RUNNING || vm->state == RUN_INMIGRATE || vm->state == RUN_SUSPENDED)
        return 0;
    if (vm->state == RUN_FINISH_MIGRATE)
        return fail(err, ERR_OPERATION_INVALID, "Migration is not finalized yet");
    if (vm->state == RUN_SHUTDOWN || vm->state == RUN_INTERNAL_ERROR)
        return fail(err, ERR_OPERATION_INVALID, "Resetting the Virtual Machine is required");
    trouble_io_is_over(vm);
    set_state(vm, vm->suspended ? RUN_SUSPENDED : RUN_RUNNING);
    event_emit(vm, "RESUME", NULL);
    return 0;
}

void run_stop_as(struct vm *vm, enum run_state why)
{
    if (vm->state == RUN_INMIGRATE)
        vm->stopped = true;
    if (vm->state != RUN_RUNNING && (vm->state != RUN_SUSPENDED || !vm_is(vm, 11)))
        return;
    set_state(vm, why);
    event_emit(vm, "STOP", NULL);
}

void run_stop(struct vm *vm)
{
    run_stop_as(vm, RUN_PAUSED);
}

void run_reset(struct vm *vm, bool guest, const char *reason)
{
    if (policy_is(&vm->policy, POLICY_REBOOT, "shutdown")) {
        run_shutdown(vm, guest, reason);
        return;
    }
    vm->suspended = false;
    guest_end_unplugs(vm);
    ports_close(vm);
    emit_reason(vm, "RESET", guest, reason);
    if (vm->state != RUN_RUNNING && vm->state != RUN_INMIGRATE)
        set_state(vm, RUN_PRELAUNCH);
    guest_was_reset(vm);
}

void run_power_button(struct vm *vm)
{
    event_emit(vm, "POWERDOWN", NULL);
    if (vm->state == RUN_RUNNING)
        guest_press_power(vm);
}

void run_suspend(struct vm *vm, bool to_disk)
{
    if (vm->state != RUN_RUNNING)
        return;
    if (to_disk) {
        event_emit(vm, "SUSPEND_DISK", NULL);
        run_shutdown(vm, true, "guest-shutdown");
        return;
    }
    vm->suspended = true;
    set_state(vm, RUN_SUSPENDED);
    event_emit(vm, "SUSPEND", NULL);
}

int run_wake(struct vm *vm, struct error *err)
{
    if (vm->state != RUN_SUSPENDED)
        return fail(err, ERR_OPERATION_INVALID, "Unable to wake up: guest is not in suspended state");
    vm->suspended = false;
    set_state(vm, RUN_RUNNING);
    event_emit(vm, "WAKEUP", NULL);
    return 0;
}

/* ---- what the guest may do ---- */

void run_panic(struct vm *vm)
{
    const struct policy *p = &vm->policy;
    bool fatal = policy_is(p, POLICY_PANIC, "exit-failure"), off = policy_is(p, POLICY_PANIC, "shutdown");
    if (policy_is(p, POLICY_PANIC, "none")) {
        emit_action(vm, "GUEST_PANICKED", "run");
        return;
    }
    if (!fatal && (!off || policy_is(p, POLICY_SHUTDOWN, "pause"))) {
        emit_action(vm, "GUEST_PANICKED", "pause");
        run_stop_as(vm, RUN_GUEST_PANICKED);
        return;
    }
    emit_action(vm, "GUEST_PANICKED", "poweroff");
    run_stop_as(vm, RUN_GUEST_PANICKED);
    vm->exit_status = fatal;
    run_shutdown(vm, true, "guest-panic");
}

static void watchdog_reset(struct vm *vm)
{
    run_reset(vm, true, "guest-reset");
}

static void watchdog_pause(struct vm *vm)
{
    run_stop_as(vm, RUN_WATCHDOG);
}

/* QEMU leaves at once, and tells nobody. */
static void watchdog_poweroff(struct vm *vm)
{
    vm->quitting = true;
    run_end(vm);
}

static void watchdog_debug(struct vm *vm)
{
    (void) vm;
    fputs("watchdog: timer fired\n", stderr);
}

void run_watchdog(struct vm *vm)
{
    static const struct { const char *word; void (*run)(struct vm *vm); } rows[] = {
        { "reset", watchdog_reset },       { "shutdown", run_power_button }, { "pause", watchdog_pause },
        { "poweroff", watchdog_poweroff }, { "debug", watchdog_debug },      { "inject-nmi", guest_nmi },
    };
    emit_action(vm, "WATCHDOG", vm->policy.word[POLICY_WATCHDOG]);
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (policy_is(&vm->policy, POLICY_WATCHDOG, rows[i].word))
            rows[i].run(vm);
}

/* ---- the end ---- */

/* The host's own wish ends it in any case; a reset that became a shutdown is as good as the guest's. */
void run_shutdown(struct vm *vm, bool guest, const char *reason)
{
    emit_reason(vm, "SHUTDOWN", guest, reason);
    bool host = text_equal(reason, "host-signal") || text_equal(reason, "host-qmp-quit");
    if (!host && policy_is(&vm->policy, POLICY_SHUTDOWN, "pause")) {
        run_stop_as(vm, RUN_SHUTDOWN);
        return;
    }
    vm->quitting = true;
    run_end(vm);
}

void run_quit(struct vm *vm, const char *reason)
{
    emit_reason(vm, "SHUTDOWN", false, reason);
    vm->quitting = true;
}

void run_finish_migration(struct vm *vm)
{
    bool running = vm->state == RUN_RUNNING;
    set_state(vm, RUN_FINISH_MIGRATE);
    if (running)
        event_emit(vm, "STOP", NULL);
}

void run_after_migration(struct vm *vm, enum run_state before)
{
    set_state(vm, before);
    if (before == RUN_RUNNING)
        event_emit(vm, "RESUME", NULL);
}

void run_postmigrate(struct vm *vm)
{
    set_state(vm, RUN_POSTMIGRATE);
}

void run_incoming_done(struct vm *vm, bool running)
{
    set_state(vm, running && !vm->stopped ? RUN_RUNNING : RUN_PAUSED);
    if (vm->state == RUN_RUNNING)
        event_emit(vm, "RESUME", NULL);
}

void run_fail(struct vm *vm)
{
    vm->exit_status = 1;
    vm->quitting = true;
    run_end(vm);
}

void run_end(struct vm *vm)
{
    (void) vm;
    loop_stop();
}

/* ---- signals ---- */

/* The loop's own watches do not tell who sent it, and QEMU does: so the handler passes both on through a
 * socket. */
static int signal_pipe[2];
static struct stream *signal_stream;

struct signal_note { int number, sender; };

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void) context;
    struct signal_note note = { number, info->si_pid };
    int saved = errno;
    if (write(signal_pipe[1], &note, sizeof note) < 0)
        abort();
    errno = saved;
}

static void on_note(void *arg, const char *bytes, size_t length)
{
    struct vm *vm = arg;
    struct signal_note note;
    if (length < sizeof note || vm->quitting)
        return;
    memcpy(&note, bytes, sizeof note);
    owned_buffer struct buffer sender = { 0 };
    message_add_process_name(&sender, note.sender);
    message_print(vm, "terminating on signal %d from pid %d (%s)", note.number, note.sender,
                  buffer_text(&sender));
    run_shutdown(vm, false, "host-signal");
}

static void on_end(void *arg, const char *reason)
{
    (void) arg;
    (void) reason;
}

int run_watch_signals(struct vm *vm, struct error *err)
{
    static const struct stream_handler handler = { .input = on_note, .closed = on_end };
    static const int numbers[] = { SIGTERM, SIGINT, SIGHUP };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, signal_pipe) < 0)
        return fail_errno(err, errno, "cannot make a socket pair");
    signal_stream = stream_new(signal_pipe[0], &handler, vm);
    struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART };
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        sigaction(numbers[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

void run_done(struct vm *vm)
{
    (void) vm;
    stream_free(signal_stream);
    signal_stream = NULL;
}
