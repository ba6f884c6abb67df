/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/incoming.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "loop/loop.h"
#include "simvmm/command.h"
#include "simvmm/device.h"
#include "simvmm/message.h"
#include "simvmm/migrate_parameters.h"
#include "simvmm/migrate_stream.h"
#include "simvmm/migrate_uri.h"
#include "simvmm/run.h"
#include "simvmm/value.h"

enum { TICK_MS = 5, READ_MAX = 256 << 10, TURN_MAX = 64 << 20 };

struct incoming {
    struct vm *vm;
    struct migrate_uri uri;
    const char *status; /* a word of MIGRATION; NULL: none yet */
    int listening, fd;  /* -1: none */
    bool exit_on_error, headed, postcopy, ended;
    char *reason;
    struct buffer in;
    struct timer *tick;
};

static void set_status(struct incoming *in, const char *status)
{
    in->status = status;
    migrate_emit_status(in->vm, status);
}

static void let_go(struct incoming *in)
{
    timer_free(in->tick);
    in->tick = NULL;
    if (in->fd >= 0)
        close(in->fd);
    if (in->listening >= 0)
        close(in->listening);
    in->fd = in->listening = -1;
    buffer_done(&in->in);
}

void incoming_free(struct vm *vm)
{
    struct incoming *in = vm->incoming;
    if (!in)
        return;
    let_go(in);
    free(in->reason);
    free(in);
    vm->incoming = NULL;
}

/* ---- what has to agree ---- */

char *incoming_machine(const struct vm *vm)
{
    size_t length = strlen(vm->machine_type), suffix = strlen("-machine");
    return memory_copy_bytes(vm->machine_type, length > suffix ? length - suffix : length);
}

const struct json *incoming_description(const struct vm *vm, struct arena *arena)
{
    struct json *description = value_object(arena), *devices = value_array(arena);
    for (size_t i = 0; i < vm->devices.count; i++) {
        owned_buffer struct buffer text = { 0 };
        buffer_printf(&text, "%s ", vm->devices.items[i]->driver);
        qom_path(vm->devices.items[i]->node, &text);
        value_push(arena, devices, value_text(arena, buffer_text(&text)));
    }
    value_set_number(arena, description, "memory", (long long) vm->memory);
    value_set(arena, description, "devices", devices);
    return description;
}

static bool holds(const struct json *list, const struct json *item)
{
    for (size_t i = 0; list && i < list->length; i++)
        if (json_equal(list->items[i], item))
            return true;
    return false;
}

static int check_description(const struct vm *vm, const struct migrate_record *record, struct error *err)
{
    owned(arena) struct arena *a = arena_new();
    const struct json *theirs = json_parse(record->bytes, record->length, a, err);
    if (!theirs)
        return -1;
    const struct json *ours = incoming_description(vm, a), *wanted = json_get(theirs, "devices");
    uint64_t memory = 0;
    (void) json_to_u64(json_get(theirs, "memory"), &memory);
    if (memory != vm->memory)
        return fail(err, ERR_INVALID_ARG, "Size mismatch: pc.ram: 0x%llx != 0x%llx: Invalid argument",
                    (unsigned long long) memory, (unsigned long long) vm->memory);
    for (size_t i = 0; wanted && i < wanted->length; i++)
        if (!holds(json_get(ours, "devices"), wanted->items[i]))
            return fail(
                err, ERR_INVALID_ARG,
                "Unknown savevm section or instance '%s' 0. Make sure that your current VM setup matches "
                "your "
                "saved VM setup, including any hotplugged devices",
                json_text(wanted->items[i]));
    return 0;
}

static int check_machine(const struct vm *vm, const char *machine, struct error *err)
{
    owned_memory char *ours = incoming_machine(vm);
    if (text_equal(machine, ours))
        return 0;
    return fail(err, ERR_INVALID_ARG,
                vm_is(vm, 11)
                    ? "post load hook failed for: configuration, version_id: 1, minimum_version: 0: "
                      "Machine type received is '%s' and local is '%s'"
                    : "Machine type received is '%s' and local is '%s'",
                machine, ours);
}

/* ---- loading ---- */

static void refuse(struct incoming *in, const struct error *err)
{
    struct vm *vm = in->vm;
    in->reason = memory_printf("load of migration failed: Invalid argument: %s", error_text(err));
    let_go(in);
    set_status(in, "failed");
    if (vm_is(vm, 11)) {
        message_print(vm, "%s", in->reason);
    } else {
        message_print(vm, "%s", error_text(err));
        message_print(vm, "load of migration failed: Invalid argument");
    }
    if (in->exit_on_error)
        run_fail(vm);
}

static void finish(struct incoming *in, const struct json *state)
{
    struct vm *vm = in->vm;
    bool running = false;
    uint64_t balloon = 0;
    (void) json_to_bool(json_get(state, "running"), &running);
    if (vm->balloon_device && json_to_u64(json_get(state, "balloon"), &balloon) && balloon)
        vm->balloon = vm->balloon_target = balloon;
    in->ended = true;
    if (in->fd >= 0)
        (void) send(in->fd, "\1", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    let_go(in);
    if (!in->postcopy)
        run_incoming_done(vm, running);
    set_status(in, "completed");
}

static int take_record(struct incoming *in, const struct migrate_record *record, struct error *err)
{
    owned(arena) struct arena *a = arena_new();
    const struct json *state;
    switch (record->kind) {
    case 'C':
        return check_description(in->vm, record, err);
    case 'P':
        in->postcopy = true;
        set_status(in, "postcopy-active");
        run_incoming_done(in->vm, true);
        return 0;
    case 'R':
        set_status(in, "postcopy-active");
        return 0;
    case 'E':
        state = json_parse(record->bytes, record->length, a, err);
        if (!state)
            return -1;
        finish(in, state);
        return 0;
    default:
        return 0;
    }
}

/* All that is complete in the buffer. */
static int take_all(struct incoming *in, struct error *err)
{
    char machine[MIGRATE_MACHINE_MAX + 1];
    while (in->in.length && !in->ended) {
        struct migrate_record record = { 0 };
        long n = in->headed ? migrate_stream_read_record(in->in.data, in->in.length, &record, err)
                            : migrate_stream_read_header(in->in.data, in->in.length, machine, err);
        if (n <= 0)
            return (int) n;
        if (in->headed ? take_record(in, &record, err) : check_machine(in->vm, machine, err))
            return -1;
        in->headed = true;
        if (!in->ended)
            buffer_drop(&in->in, (size_t) n);
    }
    return 0;
}

static void interrupted(struct incoming *in)
{
    error_scope(err);
    if (!in->postcopy) {
        fail(&err, ERR_INVALID_ARG, "Unable to read from %s: the stream ended early",
             in->uri.transport == MIGRATE_FILE ? "file" : "socket");
        refuse(in, &err);
        return;
    }
    let_go(in);
    set_status(in, "postcopy-paused");
}

static void read_some(struct incoming *in)
{
    error_scope(err);
    for (size_t got = 0; got < TURN_MAX && in->fd >= 0 && !in->ended;) {
        ssize_t n = read(in->fd, buffer_room(&in->in, READ_MAX), READ_MAX);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n <= 0) {
            interrupted(in);
            return;
        }
        in->in.length += (size_t) n;
        got += (size_t) n;
        if (take_all(in, &err) < 0) {
            refuse(in, &err);
            return;
        }
    }
}

static void on_tick(void *arg)
{
    struct incoming *in = arg;
    if (in->fd < 0) {
        in->fd = accept4(in->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (in->fd < 0)
            return;
        close(in->listening);
        in->listening = -1;
    }
    if (text_equal(in->status, "setup"))
        set_status(in, "active");
    read_some(in);
}

/* ---- beginning ---- */

static int open_source(struct incoming *in, const struct monitor *monitor, struct error *err)
{
    bool listens;
    int fd = migrate_uri_open(in->vm, monitor, &in->uri, &listens, err);
    if (fd < 0)
        return -1;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    *(listens ? &in->listening : &in->fd) = fd;
    in->headed = false;
    in->tick = timer_start(TICK_MS, TICK_MS, on_tick, in);
    return 0;
}

static struct incoming *incoming_new(struct vm *vm, const struct migrate_uri *uri, bool exit_on_error)
{
    struct incoming *in = NEW(struct incoming);
    *in = (struct incoming) {
        .vm = vm, .uri = *uri, .fd = -1, .listening = -1, .exit_on_error = exit_on_error
    };
    return in;
}

int incoming_begin(struct vm *vm, const char *text, struct error *err)
{
    struct migrate_uri uri;
    if (migrate_uri_parse(vm, text, vm->arena, &uri, err) < 0)
        return -1;
    vm->incoming = incoming_new(vm, &uri, true);
    set_status(vm->incoming, "setup");
    return open_source(vm->incoming, NULL, err);
}

static int begin(struct call *call, struct error *err)
{
    struct vm *vm = call->vm;
    struct migrate_uri uri;
    bool exit_on_error = true;
    (void) json_to_bool(json_get(call->arguments, "exit-on-error"), &exit_on_error);
    if (!vm->incoming_deferred && !vm->incoming)
        return fail(err, ERR_OPERATION_INVALID, "'-incoming' was not specified on the command line");
    if (vm->incoming && !vm->incoming->tick && text_equal(vm->incoming->status, "setup"))
        return fail(err, ERR_OPERATION_INVALID, "Illegal migration incoming state: setup");
    if (vm->incoming)
        return fail(err, ERR_OPERATION_INVALID, "The incoming migration has already been started");
    if (!vm_is(vm, 11))
        migrate_emit_status(vm, "setup");
    if (migrate_uri_read(vm, call->arguments, vm->arena, &uri, err) < 0)
        return -1;
    struct incoming *in = incoming_new(vm, &uri, exit_on_error);
    vm->incoming = in;
    in->status = "setup";
    if (vm_is(vm, 11))
        migrate_emit_status(vm, "setup");
    if (open_source(in, call->monitor, err) == 0)
        return 0;
    if (!vm_is(vm, 11))
        incoming_free(vm); /* it may be tried again; newer ones stay as they are */
    return -1;
}

static int recover(struct call *call, struct error *err)
{
    struct incoming *in = call->vm->incoming;
    if (!in || !text_equal(in->status, "postcopy-paused"))
        return fail(err, ERR_OPERATION_INVALID, "Migrate recover can only be run when postcopy is paused.");
    if (migrate_uri_read(call->vm, call->arguments, call->vm->arena, &in->uri, err) < 0 ||
        open_source(in, call->monitor, err) < 0)
        return -1;
    set_status(in, "postcopy-recover");
    return 0;
}

bool incoming_pause(struct vm *vm)
{
    struct incoming *in = vm->incoming;
    if (!in || !in->postcopy || !text_equal(in->status, "postcopy-active"))
        return false;
    interrupted(in);
    return true;
}

/* ---- query-migrate ---- */

static const struct json *address(const struct incoming *in, struct arena *a)
{
    struct json *v = value_object(a), *list = value_array(a);
    struct sockaddr_storage bound = { 0 };
    socklen_t size = sizeof bound;
    if (in->uri.transport == MIGRATE_UNIX) {
        value_set_text(a, v, "path", in->uri.path);
        value_set_text(a, v, "type", "unix");
    } else if (in->uri.transport == MIGRATE_TCP && in->listening >= 0 &&
               getsockname(in->listening, (struct sockaddr *) &bound, &size) == 0) {
        bool six = bound.ss_family == AF_INET6;
        char host[INET6_ADDRSTRLEN];
        in_port_t port =
            six ? ((struct sockaddr_in6 *) &bound)->sin6_port : ((struct sockaddr_in *) &bound)->sin_port;
        inet_ntop(bound.ss_family,
                  six ? (void *) &((struct sockaddr_in6 *) &bound)->sin6_addr
                      : (void *) &((struct sockaddr_in *) &bound)->sin_addr,
                  host, sizeof host);
        value_set_text(a, v, "port", arena_printf(a, "%u", ntohs(port)));
        value_set_bool(a, v, six ? "ipv6" : "ipv4", true);
        value_set_text(a, v, "host", host);
        value_set_text(a, v, "type", "inet");
    } else {
        return NULL;
    }
    value_push(a, list, v);
    return list;
}

void incoming_describe(const struct vm *vm, struct arena *arena, struct json *reply)
{
    const struct incoming *in = vm->incoming;
    if (!in || !in->status)
        return;
    bool setup = text_equal(in->status, "setup");
    if (!setup || vm_is(vm, 11))
        value_set_text(arena, reply, "status", in->status);
    if (in->reason && vm_is(vm, 11))
        value_set_text(arena, reply, "error-desc", in->reason);
    if (setup)
        value_set(arena, reply, "socket-address", address(in, arena));
}

static const struct argument modern_args[] = {
    { "uri", ARG_TEXT, true },
    { "channels", ARG_ARRAY, true },
    { "exit-on-error", ARG_BOOL, true },
    { NULL, 0, false },
};
static const struct argument uri_args[] = { { "uri", ARG_TEXT, false }, { NULL, 0, false } };

const struct command incoming_commands[] = {
    { "migrate-incoming", ONLY_MODERN, begin, modern_args },
    { "migrate-incoming", ONLY_OLD, begin, uri_args },
    { "migrate-recover", ALWAYS, recover, uri_args },
    { NULL, ALWAYS, NULL, NULL },
};
