/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/loop.h"
#include "loop/stream.h"
#include "simvmm/message.h"
#include "simvmm/monitor.h"
#include "simvmm/value.h"

enum { GUEST_SHUTDOWN_MS = 50 };        /* how long a guest takes from the power button to the end */

static const char *const words[] = {
    [RUN_PRELAUNCH] = "prelaunch", [RUN_RUNNING] = "running",     [RUN_PAUSED] = "paused",
    [RUN_SHUTDOWN] = "shutdown",   [RUN_INMIGRATE] = "inmigrate", [RUN_INTERNAL_ERROR] = "internal-error",
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

static void forget_guest(struct vm *vm)
{
    timer_free(vm->guest);
    vm->guest = NULL;
}

void run_start(struct vm *vm)
{
    if (vm->stopped)
        return;
    vm->state = RUN_RUNNING;
    event_emit(vm, "RESUME", NULL);
}

int run_continue(struct vm *vm, struct error *err)
{
    if (vm->state == RUN_RUNNING || vm->state == RUN_INMIGRATE)
        return 0;
    if (vm->state == RUN_SHUTDOWN || vm->state == RUN_INTERNAL_ERROR)
        return fail(err, ERR_OPERATION_INVALID, "Resetting the Virtual Machine is required");
    vm->state = RUN_RUNNING;
    event_emit(vm, "RESUME", NULL);
    return 0;
}

void run_stop(struct vm *vm)
{
    if (vm->state != RUN_RUNNING)
        return;
    vm->state = RUN_PAUSED;
    event_emit(vm, "STOP", NULL);
}

void run_reset(struct vm *vm, const char *reason)
{
    forget_guest(vm);
    emit_reason(vm, "RESET", false, reason);
    if (vm->state != RUN_RUNNING)
        vm->state = RUN_PRELAUNCH;
}

static void guest_is_done(void *arg)
{
    struct vm *vm = arg;
    forget_guest(vm);
    if (vm->state == RUN_RUNNING)
        run_shutdown(vm, true, "guest-shutdown");
}

void run_power_button(struct vm *vm)
{
    event_emit(vm, "POWERDOWN", NULL);
    if (vm->state == RUN_RUNNING && !vm->guest)
        vm->guest = timer_start(GUEST_SHUTDOWN_MS, 0, guest_is_done, vm);
}

void run_shutdown(struct vm *vm, bool guest, const char *reason)
{
    emit_reason(vm, "SHUTDOWN", guest, reason);
    if (guest && vm->no_shutdown) {
        vm->state = RUN_SHUTDOWN;
        event_emit(vm, "STOP", NULL);
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

void run_end(struct vm *vm)
{
    forget_guest(vm);
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
    timer_free(vm->guest);
    timer_free(vm->balloon_timer);
    timer_free(vm->unplug);
    vm->guest = vm->balloon_timer = vm->unplug = NULL;
    stream_free(signal_stream);
    signal_stream = NULL;
}
