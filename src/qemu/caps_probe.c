/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/caps_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "json/json.h"
#include "loop/loop.h"
#include "loop/process.h"
#include "qemu/argv.h"
#include "qemu/caps.h"
#include "qemu/monitor.h"

enum { MONITOR_FD = 3, ERRORS_SHOWN = 512, EXIT_MS = 300 };

static const struct { const char *command, *arguments; bool optional; } questions[ASK_COUNT] = {
    [ASK_VERSION] = { "query-version", NULL, false },
    [ASK_TARGET] = { "query-target", NULL, false },
    [ASK_KVM] = { "query-kvm", NULL, false },
    [ASK_COMMANDS] = { "query-commands", NULL, false },
    [ASK_TYPES] = { "qom-list-types", NULL, false },
    [ASK_MACHINES] = { "query-machines", NULL, false },
    [ASK_CPUS] = { "query-cpu-definitions", NULL, true },
    [ASK_SANDBOX] = { "query-command-line-options", "{\"option\":\"sandbox\"}", true },
};

/* The program under test, and what it writes to standard error. */
struct probe {
    const char *emulator;
    struct process *process;
    struct monitor *monitor;
    int errors;
    uint64_t deadline;
    struct monitor_call calls[ASK_COUNT];
};

static void probe_done(struct probe *probe)
{
    for (size_t i = 0; i < ASK_COUNT; i++)
        monitor_call_done(&probe->calls[i]);
    monitor_free(probe->monitor);
    process_free(probe->process);       /* killed if it still runs */
    own_close_fd(&probe->errors);
}

static void ignore_event(void *arg, const char *name, const struct json *event, struct arena *arena)
{
    arena_free(arena);
}

static void build_argv(struct argv *argv, const char *emulator, const char *sim_options)
{
    argv_add(argv, emulator);
    argv_add(argv, "-S");
    argv_add(argv, "-no-user-config");
    argv_add(argv, "-nodefaults");
    argv_add(argv, "-nographic");
    argv_add_pair(argv, "-machine", "none,accel=kvm:tcg");
    owned_memory char *chardev = memory_printf("socket,id=charmonitor,fd=%d", MONITOR_FD);
    argv_add_pair(argv, "-chardev", chardev);
    argv_add_pair(argv, "-mon", "chardev=charmonitor,id=monitor,mode=control");
    if (sim_options)
        argv_add_pair(argv, "-sim", sim_options);
}

/* The monitor's other end of a connected pair: no path, so nothing to clean up. */
static WAITS int probe_start(struct probe *probe, const char *sim_options, struct error *err)
{
    static const struct monitor_handler handler = { .event = ignore_event };
    int pair[2], errors[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return fail_errno(err, errno, "no socket pair");
    owned_fd int ours = pair[0], theirs = pair[1];
    if (pipe2(errors, O_CLOEXEC | O_NONBLOCK) < 0)
        return fail_errno(err, errno, "no pipe");
    probe->errors = errors[0];
    owned_fd int their_errors = errors[1];

    owned_argv struct argv argv = { 0 };
    build_argv(&argv, probe->emulator, sim_options);
    struct process_fd fd = { theirs, MONITOR_FD };
    struct process_spec spec = {
        .argv = argv.words, .output = -1, .errors = their_errors, .fds = &fd, .fds_count = 1,
        .user = (uid_t) -1, .group = (gid_t) -1, .dies_with_us = true
    };
    probe->process = process_fork(&spec, err);
    if (!probe->process || process_exec(probe->process, probe->deadline, err) < 0)
        return -1;
    owned_memory char *subject = memory_printf("emulator '%s'", probe->emulator);
    probe->monitor = monitor_open(own_take_fd(&ours), subject, &handler, NULL);
    monitor_set_timeout(probe->monitor, CAPS_PROBE_MS);
    return 0;
}

static WAITS int probe_ask(struct probe *probe, struct error *err)
{
    for (size_t i = 0; i < ASK_COUNT; i++)
        monitor_call_start(probe->monitor, &probe->calls[i], questions[i].command, questions[i].arguments);
    if (monitor_handshake(probe->monitor, probe->deadline, err) < 0)
        return -1;
    for (size_t i = 0; i < ASK_COUNT; i++) {
        error_scope(refused);
        if (monitor_call_wait(&probe->calls[i], &refused) == 0)
            continue;
        if (!questions[i].optional || probe->calls[i].reply.refusal == MONITOR_NOT_REFUSED) {
            error_move(err, &refused);
            return -1;
        }
    }
    return 0;
}

/* What it wrote, bounded, on one line. */
static char *probe_errors(const struct probe *probe)
{
    char bytes[ERRORS_SHOWN + 1];
    ssize_t n = read(probe->errors, bytes, ERRORS_SHOWN);
    bytes[n > 0 ? n : 0] = 0;
    for (char *c = bytes; *c; c++)
        if (*c == '\n')
            *c = c[1] ? ' ' : 0;
    owned_buffer struct buffer text = { 0 };
    text_add_printable(&text, bytes);
    return buffer_take(&text);
}

/* Adds how the program ended and what it said; a moment passes, so that it can end. */
static WAITS int explain(struct probe *probe, struct error *err)
{
    if (!probe->process || err->code == ERR_ABORTED)
        return -1;
    error_scope(still_running);
    process_wait(probe->process, loop_now() + EXIT_MS, &still_running);
    owned_memory char *said = probe_errors(probe);
    owned_memory char *why = memory_copy_text(error_text(err));
    return fail(err, err->code == ERR_TIMEOUT ? ERR_TIMEOUT : ERR_VMM,
                "cannot ask emulator '%s' what it can do: it %s%s%s (%s)", probe->emulator,
                process_exit_text(probe->process), *said ? ": " : "", said, why);
}

WAITS struct caps *caps_probe(const char *emulator, const char *sim_options, const char *key,
                              struct error *err)
{
    struct probe probe __attribute__((cleanup(probe_done))) = {
        .emulator = emulator, .errors = -1, .deadline = loop_now() + CAPS_PROBE_MS
    };
    if (probe_start(&probe, sim_options, err) < 0 || probe_ask(&probe, err) < 0) {
        explain(&probe, err);
        return NULL;
    }
    const struct json *replies[ASK_COUNT];
    for (size_t i = 0; i < ASK_COUNT; i++)
        replies[i] = probe.calls[i].reply.value;
    return caps_from_replies(emulator, key, replies, err);
}
