/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/migration.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "loop/loop.h"
#include "simvmm/command.h"
#include "simvmm/incoming.h"
#include "simvmm/migrate_parameters.h"
#include "simvmm/migrate_stream.h"
#include "simvmm/migrate_uri.h"
#include "simvmm/run.h"
#include "simvmm/value.h"

enum {
    TICK_MS = 5,
    PAGE = 4096,
    ZERO_PAGE_BYTES = 9, /* what a page of zeroes takes on the wire */
    WHOLE_PAGES = 128,   /* how many of a fresh guest's are not zero */
    ROM_BYTES = 532480,  /* what QEMU counts besides the guest's memory */
    TURN_MAX = 64 << 20, /* written in one turn of the loop */
};

enum status {
    NONE,
    SETUP,
    ACTIVE,
    PRE_SWITCHOVER,
    DEVICE,
    POSTCOPY_ACTIVE,
    POSTCOPY_PAUSED,
    POSTCOPY_RECOVER,
    CANCELLING,
    CANCELLED,
    COMPLETED,
    FAILED
};

static const char *const words[] = {
    "none",       "setup",           "active",          "pre-switchover",
    "device",     "postcopy-active", "postcopy-paused", "postcopy-recover",
    "cancelling", "cancelled",       "completed",       "failed",
};

struct migration {
    struct vm *vm;
    enum status status;
    enum run_state before; /* how the guest was when it began */
    bool connecting, is_socket, postcopy_wanted, continued;
    int fd;
    char *target; /* for messages: a socket's path, or host:port */
    char *reason; /* why it failed, or (in setup) is about to */
    struct timer *tick;
    struct buffer out;                                      /* not yet written */
    uint64_t started, connected, stopped, ended, last_tick; /* ms */
    uint64_t total, pass, pass_bytes, pass_sent, pass_started, sent, sent_before_stop, credit;
};

static void set_status(struct migration *m, enum status status)
{
    m->status = status;
    migrate_emit_status(m->vm, words[status]);
}

bool migration_is_running(const struct vm *vm)
{
    enum status s = vm->migration ? vm->migration->status : NONE;
    return s != NONE && s != CANCELLED && s != COMPLETED && s != FAILED;
}

/* ---- the end ---- */

static void let_go(struct migration *m)
{
    timer_free(m->tick);
    m->tick = NULL;
    if (m->fd >= 0)
        close(m->fd);
    m->fd = -1;
    buffer_done(&m->out);
    m->ended = loop_now();
}

void migration_free(struct vm *vm)
{
    struct migration *m = vm->migration;
    if (!m)
        return;
    let_go(m);
    free(m->reason);
    free(m->target);
    free(m);
    vm->migration = NULL;
}

static void go_on(struct migration *m)
{
    if (m->vm->state == RUN_FINISH_MIGRATE)
        run_after_migration(m->vm, m->before);
}

static void failed(struct migration *m, const char *reason)
{
    if (m->status == POSTCOPY_ACTIVE || m->status == POSTCOPY_RECOVER) {
        let_go(m); /* half of the guest is there: it can only be taken up again */
        set_status(m, POSTCOPY_PAUSED);
        return;
    }
    if (reason != m->reason) {
        free(m->reason);
        m->reason = memory_copy_text(reason);
    }
    let_go(m);
    if (vm_is(m->vm, 11))
        migrate_emit_status(m->vm, "failing");
    go_on(m);
    set_status(m, FAILED);
}

static void on_cancelled(void *arg)
{
    struct migration *m = arg;
    let_go(m);
    go_on(m);
    set_status(m, CANCELLED);
}

/* ---- writing ---- */

static uint64_t bandwidth(const struct migration *m)
{
    uint64_t limit =
        migrate_parameter(m->vm, m->status == POSTCOPY_ACTIVE ? "max-postcopy-bandwidth" : "max-bandwidth");
    return limit ? limit : UINT64_MAX;
}

/* True when all was written; a peer that is gone ends the migration. */
static bool flush(struct migration *m)
{
    while (m->out.length) {
        ssize_t n = m->is_socket ? send(m->fd, m->out.data, m->out.length, MSG_NOSIGNAL | MSG_DONTWAIT)
                                 : write(m->fd, m->out.data, m->out.length);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return false;
        if (n < 0) {
            owned_memory char *reason =
                memory_printf("Unable to write to %s: %s", m->is_socket ? "socket" : "file", strerror(errno));
            failed(m, reason);
            return false;
        }
        buffer_drop(&m->out, (size_t) n);
    }
    return true;
}

static void earn_credit(struct migration *m)
{
    uint64_t now = loop_now(), limit = bandwidth(m), ms = now - m->last_tick;
    m->last_tick = now;
    if (limit > UINT64_MAX / 1000)
        m->credit = TURN_MAX;
    else
        m->credit += limit * ms / 1000;
    if (m->credit > TURN_MAX)
        m->credit = TURN_MAX;
}

/* As much of this pass as may go; true when the pass is done. */
static bool send_memory(struct migration *m)
{
    while (m->pass_sent < m->pass_bytes && m->credit && flush(m)) {
        uint64_t length = m->pass_bytes - m->pass_sent;
        length = length > m->credit ? m->credit : length;
        length = length > MIGRATE_RECORD_MAX ? MIGRATE_RECORD_MAX : length;
        migrate_stream_add_filler(&m->out, (size_t) length);
        m->pass_sent += length;
        m->sent += length;
        m->credit -= length;
    }
    return m->fd >= 0 && flush(m) && m->pass_sent == m->pass_bytes;
}

/* ---- the states ---- */

static uint64_t first_pass(const struct vm *vm)
{
    uint64_t pages = vm->memory / PAGE, whole = pages < WHOLE_PAGES ? pages : WHOLE_PAGES;
    return pages * ZERO_PAGE_BYTES + whole * PAGE;
}

static void begin_pass(struct migration *m, uint64_t bytes)
{
    m->pass++;
    m->pass_bytes = bytes;
    m->pass_sent = 0;
    m->pass_started = loop_now();
    if (m->pass > 1 || !vm_is(m->vm, 11))
        migrate_emit_pass(m->vm, m->pass);
}

static void add_description(struct migration *m)
{
    owned(arena) struct arena *a = arena_new();
    owned_buffer struct buffer text = { 0 };
    value_print(&text, incoming_description(m->vm, a));
    migrate_stream_add_record(&m->out, 'C', text.data, text.length);
}

static void connected(struct migration *m)
{
    m->connected = m->last_tick = loop_now();
    owned_memory char *machine = incoming_machine(m->vm);
    migrate_stream_add_header(&m->out, machine);
    if (m->status == POSTCOPY_RECOVER) {
        migrate_stream_add_record(&m->out, 'R', "", 0);
        set_status(m, POSTCOPY_ACTIVE);
        return;
    }
    add_description(m);
    if (vm_is(m->vm, 11))
        set_status(m, ACTIVE);
    begin_pass(m, first_pass(m->vm));
    if (!vm_is(m->vm, 11))
        set_status(m, ACTIVE);
}

static void check_connection(struct migration *m)
{
    struct pollfd p = { .fd = m->fd, .events = POLLOUT };
    int number = 0;
    socklen_t size = sizeof number;
    if (poll(&p, 1, 0) <= 0)
        return;
    m->connecting = false;
    if (getsockopt(m->fd, SOL_SOCKET, SO_ERROR, &number, &size) == 0 && number) {
        owned_memory char *reason =
            memory_printf("Failed to connect to '%s': %s", m->target, strerror(number));
        failed(m, reason);
    } else {
        connected(m);
    }
}

static void add_state(struct migration *m)
{
    owned(arena) struct arena *a = arena_new();
    owned_buffer struct buffer text = { 0 };
    struct json *state = value_object(a);
    value_set_bool(a, state, "running", m->before == RUN_RUNNING);
    value_set_number(a, state, "balloon", (long long) m->vm->balloon);
    value_print(&text, state);
    migrate_stream_add_record(&m->out, 'E', text.data, text.length);
}

static void to_device(struct migration *m)
{
    if (m->status == PRE_SWITCHOVER || vm_is(m->vm, 11))
        set_status(m, DEVICE);
    else
        m->status = DEVICE;
    if (!vm_is(m->vm, 11))
        begin_pass(m, 0);
    add_state(m);
}

static void switch_over(struct migration *m)
{
    m->sent_before_stop = m->sent;
    if (vm_is(m->vm, 11))
        begin_pass(m, 0);
    m->before = m->vm->state;
    m->stopped = loop_now();
    run_finish_migration(m->vm);
    if (m->postcopy_wanted) {
        migrate_stream_add_record(&m->out, 'P', "", 0);
        begin_pass(m, first_pass(m->vm) / 2);
        if (vm_is(m->vm, 11))
            migrate_emit_status(m->vm, "postcopy-device");
        set_status(m, POSTCOPY_ACTIVE);
    } else if (migrate_capability(m->vm, "pause-before-switchover")) {
        set_status(m, PRE_SWITCHOVER);
    } else {
        to_device(m);
    }
}

/* What the guest wrote meanwhile, if it takes longer to send than it may stand still. */
static uint64_t too_dirty(const struct migration *m)
{
    if (m->vm->state != RUN_RUNNING || !m->vm->dirty_bytes)
        return 0;
    uint64_t ms = loop_now() - m->pass_started, dirty = m->vm->dirty_bytes * (ms ? ms : 1) / 1000;
    dirty = dirty > m->vm->memory ? m->vm->memory : dirty;
    return dirty > bandwidth(m) / 1000 * migrate_parameter(m->vm, "downtime-limit") ? dirty : 0;
}

static void after_pass(struct migration *m)
{
    uint64_t dirty = m->postcopy_wanted ? 0 : too_dirty(m);
    if (dirty)
        begin_pass(m, dirty);
    else
        switch_over(m);
}

static void completed(struct migration *m)
{
    let_go(m);
    run_postmigrate(m->vm);
    set_status(m, COMPLETED);
}

/* With a return path, the peer says that it has all. */
static void await_end(struct migration *m)
{
    char answer;
    if (!flush(m))
        return;
    ssize_t n =
        m->is_socket && migrate_capability(m->vm, "return-path") ? recv(m->fd, &answer, 1, MSG_DONTWAIT) : 1;
    if (n == 1)
        completed(m);
    else if (n == 0)
        failed(m, "the destination closed the connection before it had loaded everything");
    else if (errno != EAGAIN && errno != EINTR)
        failed(m, strerror(errno));
}

static void on_tick(void *arg)
{
    struct migration *m = arg;
    earn_credit(m);
    switch (m->status) {
    case SETUP:
    case POSTCOPY_RECOVER:
        if (m->fd < 0)
            failed(m, m->reason);
        else if (m->connecting)
            check_connection(m);
        else
            connected(m);
        break;
    case ACTIVE:
        if (m->postcopy_wanted || send_memory(m))
            after_pass(m);
        break;
    case POSTCOPY_ACTIVE:
        if (send_memory(m))
            m->status = DEVICE, add_state(m);
        break;
    case PRE_SWITCHOVER:
        if (m->continued)
            to_device(m);
        break;
    case DEVICE:
        await_end(m);
        break;
    default:
        break;
    }
}

static void start_ticking(struct migration *m)
{
    timer_free(m->tick);
    m->last_tick = loop_now();
    m->tick = timer_start(TICK_MS, TICK_MS, on_tick, m);
}

/* ---- starting ---- */

static int open_target(struct migration *m, const struct monitor *monitor, const struct json *arguments,
                       struct arena *arena, bool *ret_late, struct error *err)
{
    struct migrate_uri uri;
    int type;
    socklen_t size = sizeof type;
    if (migrate_uri_read(m->vm, arguments, arena, &uri, err) < 0)
        return *ret_late = false, -1;
    free(m->target);
    m->target = uri.host ? memory_printf("%s:%s", uri.host, uri.port) : memory_copy_text(uri.path);
    m->fd = migrate_uri_connect(m->vm, monitor, &uri, ret_late, err);
    m->is_socket = m->fd >= 0 && getsockopt(m->fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
    m->connecting = m->is_socket && *ret_late;
    return m->fd < 0 ? -1 : 0;
}

static int recover(struct vm *vm, const struct monitor *monitor, const struct json *arguments,
                   struct arena *arena, struct error *err)
{
    struct migration *m = vm->migration;
    bool late;
    if (!m || m->status != POSTCOPY_PAUSED)
        return fail(err, ERR_OPERATION_INVALID, "Cannot resume if there is no paused migration");
    if (open_target(m, monitor, arguments, arena, &late, err) < 0)
        return -1;
    set_status(m, POSTCOPY_RECOVER);
    start_ticking(m);
    return 0;
}

static int check_may(const struct vm *vm, struct error *err)
{
    if (migration_is_running(vm))
        return fail(err, ERR_OPERATION_INVALID, "There's a migration process in progress");
    if (vm->state == RUN_INMIGRATE)
        return fail(err, ERR_OPERATION_INVALID, "Guest is waiting for an incoming migration");
    if (vm->state == RUN_POSTMIGRATE)
        return fail(err, ERR_OPERATION_INVALID,
                    "Can't migrate the vm that was paused due to previous migration");
    return 0;
}

static struct migration *migration_new(struct vm *vm)
{
    migration_free(vm);
    struct migration *m = vm->migration = NEW(struct migration);
    *m = (struct migration) {
        .vm = vm, .fd = -1, .started = loop_now(), .total = vm->memory + ROM_BYTES, .before = vm->state
    };
    return m;
}

int migration_start(struct vm *vm, const struct monitor *monitor, const struct json *arguments,
                    struct arena *arena, struct error *err)
{
    bool resume = false, late = false;
    (void) json_to_bool(json_get(arguments, "resume"), &resume);
    if (resume)
        return recover(vm, monitor, arguments, arena, err);
    struct migrate_uri uri;
    if (check_may(vm, err) < 0)
        return -1;
    bool legal = migrate_uri_read(vm, arguments, arena, &uri, err) == 0;
    if (!legal && vm_is(vm, 11))
        return -1;
    struct migration *m = migration_new(vm);
    if (!legal) { /* in those days it had begun by then */
        migrate_emit_status(vm, words[SETUP]);
        set_status(m, FAILED);
        return text_starts(error_text(err), "unknown")
                   ? fail(err, ERR_INVALID_ARG, "Parameter 'uri' expects a valid migration protocol")
                   : -1;
    }
    error_scope(problem);
    int rc = open_target(m, monitor, arguments, arena, &late, &problem);
    if (rc < 0)
        m->reason = memory_copy_text(error_text(&problem));
    set_status(m, SETUP);
    if (rc < 0 && !late) {
        failed(m, m->reason);
        return fail(err, ERR_INVALID_ARG, "%s", m->reason);
    }
    start_ticking(m);
    return 0;
}

/* ---- commands ---- */

static int migrate(struct call *call, struct error *err)
{
    return migration_start(call->vm, call->monitor, call->arguments, call->arena, err);
}

static int cancel(struct call *call, struct error *err)
{
    (void) err;
    struct migration *m = call->vm->migration;
    if (!migration_is_running(call->vm) || m->status == CANCELLING || m->status >= POSTCOPY_ACTIVE)
        return 0;
    set_status(m, CANCELLING);
    timer_free(m->tick);
    m->tick = timer_start(TICK_MS, 0, on_cancelled, m);
    return 0;
}

static int go_on_from(struct call *call, struct error *err)
{
    struct migration *m = call->vm->migration;
    enum status now = m ? m->status : NONE;
    const char *state = json_get_text(call->arguments, "state");
    size_t known = 0;
    while (known < ARRAY_COUNT(words) && !text_equal(words[known], state))
        known++;
    if (known == ARRAY_COUNT(words))
        return fail(err, ERR_INVALID_ARG, "Parameter 'state' does not accept value '%s'", state);
    if (!text_equal(words[now], state) || now != PRE_SWITCHOVER)
        return fail(err, ERR_OPERATION_INVALID, "Migration not in expected state: %s", words[now]);
    m->continued = true;
    return 0;
}

static int start_postcopy(struct call *call, struct error *err)
{
    if (!migrate_capability(call->vm, "postcopy-ram"))
        return fail(err, ERR_OPERATION_INVALID,
                    "Enable postcopy with migrate_set_capability before the start of migration");
    struct migration *m = call->vm->migration;
    if (!m)
        return fail(err, ERR_OPERATION_INVALID, "Postcopy must be started after migration has been started");
    m->postcopy_wanted = true; /* of one that is over, it does nothing */
    return 0;
}

static int pause_it(struct call *call, struct error *err)
{
    struct migration *m = call->vm->migration;
    if (m && m->status == POSTCOPY_ACTIVE) {
        failed(m, "");
        return 0;
    }
    if (incoming_pause(call->vm))
        return 0;
    return fail(err, ERR_OPERATION_INVALID,
                "migrate-pause is currently only supported during postcopy-active%s state",
                vm_is(call->vm, 11) ? " or postcopy-recover" : "");
}

/* ---- query-migrate ---- */

static const struct json *describe_memory(const struct migration *m, struct arena *a)
{
    struct json *ram = value_object(a);
    uint64_t ms = (m->ended ? m->ended : loop_now()) - m->connected;
    bool over = m->status == COMPLETED;
    uint64_t left = over || !m->pass_bytes ? 0
                    : m->pass > 1          ? m->pass_bytes - m->pass_sent
                                  : m->total / PAGE * (m->pass_bytes - m->pass_sent) / m->pass_bytes * PAGE;
    uint64_t whole = m->sent / PAGE < WHOLE_PAGES ? m->sent / PAGE : WHOLE_PAGES;
    value_set_number(a, ram, "total", (long long) m->total);
    value_set_number(a, ram, "postcopy-requests", 0);
    value_set_number(a, ram, "dirty-sync-count", (long long) m->pass);
    value_set_number(a, ram, "multifd-bytes", 0);
    value_set_number(a, ram, "pages-per-second",
                     over || !ms ? 0 : (long long) (m->sent / ZERO_PAGE_BYTES * 1000 / ms));
    value_set_number(a, ram, "downtime-bytes", m->stopped ? (long long) (m->sent - m->sent_before_stop) : 0);
    value_set_number(a, ram, "page-size", PAGE);
    value_set_number(a, ram, "remaining", (long long) left);
    value_set_number(a, ram, "postcopy-bytes",
                     m->postcopy_wanted ? (long long) (m->sent - m->sent_before_stop) : 0);
    value_set(
        a, ram, "mbps",
        value_digits(a, arena_printf(a, "%.17g", ms ? (double) m->sent * 8 / 1000 / (double) ms : 0.0)));
    value_set_number(a, ram, "transferred", (long long) m->sent);
    value_set_number(a, ram, "dirty-sync-missed-zero-copy", 0);
    value_set_number(a, ram, "precopy-bytes", (long long) (m->stopped ? m->sent_before_stop : m->sent));
    value_set_number(a, ram, "duplicate", (long long) ((m->total - left) / PAGE - whole));
    value_set_number(a, ram, "dirty-pages-rate", (long long) (m->vm->dirty_bytes / PAGE));
    if (!vm_is(m->vm, 11))
        value_set_number(a, ram, "skipped", 0);
    value_set_number(a, ram, "normal-bytes", (long long) (whole * PAGE));
    value_set_number(a, ram, "normal", (long long) whole);
    return ram;
}

static void describe(const struct migration *m, struct arena *a, struct json *reply)
{
    uint64_t end = m->ended ? m->ended : loop_now();
    value_set_text(a, reply, "status", words[m->status]);
    if (m->status == FAILED)
        value_set_text(a, reply, "error-desc", m->reason);
    if (m->status == SETUP || m->status >= CANCELLING ? m->status != COMPLETED : false)
        return;
    if (m->status != COMPLETED)
        value_set_number(a, reply, "expected-downtime",
                         (long long) migrate_parameter(m->vm, "downtime-limit"));
    value_set_number(a, reply, "setup-time", (long long) (m->connected - m->started));
    if (m->status == COMPLETED)
        value_set_number(a, reply, "downtime", (long long) (m->stopped ? end - m->stopped : 0));
    value_set_number(a, reply, "total-time", (long long) (end - m->started));
    const struct json *ram = describe_memory(m, a);
    if (m->status != COMPLETED && vm_is(m->vm, 11))
        value_set(a, reply, "remaining", json_get(ram, "remaining"));
    value_set(a, reply, "ram", ram);
}

static int query(struct call *call, struct error *err)
{
    (void) err;
    struct json *reply = value_object(call->arena);
    if (call->vm->migration)
        describe(call->vm->migration, call->arena, reply);
    else
        incoming_describe(call->vm, call->arena, reply);
    call_return(call, reply);
    return 0;
}

static const struct argument state_args[] = { { "state", ARG_TEXT, false }, { NULL, 0, false } };
static const struct argument migrate_args[] = {
    { "uri", ARG_TEXT, true },    { "channels", ARG_ARRAY, true },
    { "detach", ARG_BOOL, true }, { "resume", ARG_BOOL, true },
    { NULL, 0, false },
};
static const struct argument old_migrate_args[] = {
    { "uri", ARG_TEXT, false },   { "blk", ARG_BOOL, true },    { "inc", ARG_BOOL, true },
    { "detach", ARG_BOOL, true }, { "resume", ARG_BOOL, true }, { NULL, 0, false },
};

const struct command migrate_commands[] = {
    { "migrate", ONLY_MODERN, migrate, migrate_args },
    { "migrate", ONLY_OLD, migrate, old_migrate_args },
    { "migrate_cancel", ALWAYS, cancel, NULL },
    { "migrate-continue", ALWAYS, go_on_from, state_args },
    { "migrate-start-postcopy", ALWAYS, start_postcopy, NULL },
    { "migrate-pause", ALWAYS, pause_it, NULL },
    { "query-migrate", ALWAYS, query, NULL },
    { NULL, ALWAYS, NULL, NULL },
};
