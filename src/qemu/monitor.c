/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/monitor.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/uuid.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "qemu/monitor_private.h"

/* Ids go round, as each of their digits costs the VMM time; there are far more of them than commands under
 * way, so that a doubled reply does not meet a new command. */
enum { IDS = 1000, GRACE_MS = 100 };

struct monitor_request {
    struct monitor_request *next;       /* in the order of sending */
    unsigned id;
    char *command;
    uint64_t sent_at, deadline;
    size_t bytes;
    monitor_done *done;                 /* NULL: abandoned */
    void *arg;
};

struct monitor {
    struct stream *stream;              /* NULL, with the parser and the timer, once it is broken */
    struct json_parser *parser;
    struct timer *timer;                /* for the earliest deadline, or for one before it */
    uint64_t timer_at;
    char *subject;
    const struct monitor_handler *handler;
    void *arg;
    struct monitor_request *requests, **requests_end;
    unsigned count, first_id, last_id, timeout_ms;     /* ids are first_id + 0...IDS - 1 */
    struct monitor_request *negotiation;    /* while it is under way */
    struct monitor_handshake *handshake;
    bool greeted, negotiated;
    struct monitor_version version;
    struct monitor_totals totals;
    char *broken;                       /* why, or NULL */
    bool overdue;                       /* a deadline has passed, and the input is looked at once more */
    bool freed;
    int busy;                           /* calls of ours that will still use the monitor */
};

/* Life.  Callbacks may free the monitor, so whoever calls them holds it. */

static void monitor_hold(struct monitor *m)
{
    m->busy++;
}

static void monitor_let_go(struct monitor *m)
{
    if (--m->busy > 0 || !m->freed)
        return;
    free(m->subject);
    free(m->broken);
    free(m);
}

static void monitor_hang_up(struct monitor *m)
{
    stream_free(take(m->stream));
    json_parser_free(take(m->parser));
    timer_free(take(m->timer));
}

bool monitor_is_broken(const struct monitor *m)
{
    return m->broken != NULL;
}

int monitor_fail_broken(const struct monitor *m, const char *command, struct error *err)
{
    return fail(err, ERR_VMM, "%s: cannot send '%s': %s", m->subject, command, m->broken);
}

/* Requests */

static void request_free(struct monitor_request *request)
{
    free(request->command);
    free(request);
}

static struct monitor_request *request_find(const struct monitor *m, uint64_t id)
{
    struct monitor_request *request = m->requests;
    while (request && request->id != id)
        request = request->next;
    return request;
}

static void request_remove(struct monitor *m, struct monitor_request *request)
{
    struct monitor_request **at = &m->requests;
    while (*at != request)
        at = &(*at)->next;
    *at = request->next;
    if (!*at)
        m->requests_end = at;
    m->count--;
    if (m->negotiation == request)
        m->negotiation = NULL;
}

/* Tells the request's owner, and forgets it. */
static void request_end(struct monitor *m, struct monitor_request *request, struct monitor_reply *reply,
                        struct error *failure)
{
    request_remove(m, request);
    reply->request_bytes = request->bytes;
    if (request->done)
        request->done(request->arg, reply, failure->code ? failure : NULL);
    monitor_reply_done(reply);
    request_free(request);
}

void monitor_request_abandon(struct monitor_request *request)
{
    request->done = NULL;
}

static void end_handshake(struct monitor *m, enum error_code code, const char *why)
{
    struct monitor_handshake *handshake = take(m->handshake);
    if (!handshake)
        return;
    if (code)
        fail(&handshake->error, code, "%s: %s", m->subject, why);
    wait_done(&handshake->wait, 0);
}

/* Fails everything under way; `late` is the one that missed its deadline. */
static void fail_all(struct monitor *m, enum error_code code, const char *why,
                     const struct monitor_request *late)
{
    end_handshake(m, late && late == m->negotiation ? ERR_TIMEOUT : code, why);
    while (m->requests) {
        struct monitor_request *request = m->requests;
        struct monitor_reply nothing = { 0 };
        error_scope(failure);
        if (request == late)
            fail(&failure, ERR_TIMEOUT, "%s: %s", m->subject, why);
        else
            fail(&failure, code, "%s: no answer to '%s': %s", m->subject, request->command, why);
        request_end(m, request, &nothing, &failure);
    }
}

__attribute__((format(printf, 4, 5)))
static void monitor_break(struct monitor *m, enum monitor_end end, const struct monitor_request *late,
                          const char *format, ...)
{
    char text[1000];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (m->broken || m->freed)
        return;
    m->broken = memory_copy_text(text);
    monitor_hold(m);
    monitor_hang_up(m);
    fail_all(m, ERR_VMM, m->broken, late);
    if (!m->freed && m->handler->broken)
        m->handler->broken(m->arg, end, m->broken);
    monitor_let_go(m);
}

/* Deadlines */

static void on_deadline(void *arg);

static void timer_set(struct monitor *m, uint64_t at)
{
    uint64_t now = loop_now();
    timer_free(m->timer);
    m->timer = timer_start(at > now ? (unsigned) (at - now) : 0, 0, on_deadline, m);
    m->timer_at = at;
}

static struct monitor_request *first_due(const struct monitor *m)
{
    struct monitor_request *first = m->requests;
    for (struct monitor_request *request = first; request; request = request->next)
        if (request->deadline < first->deadline)
            first = request;
    return first;
}

static void break_silent(struct monitor *m, const struct monitor_request *late)
{
    uint64_t ms = late->deadline - late->sent_at;
    bool seconds = ms >= 1000 && ms % 1000 == 0;
    owned_memory char *time = memory_printf("%" PRIu64 " %s", seconds ? ms / 1000 : ms, seconds ? "s" : "ms");
    if (!m->greeted)
        monitor_break(m, MONITOR_SILENT, late, "the emulator did not greet us within %s", time);
    else
        monitor_break(m, MONITOR_SILENT, late, "the emulator did not answer '%s' within %s", late->command,
                      time);
}

/* Should all of this process have stood still, the answer may be waiting: it gets a moment to be read. */
static void on_deadline(void *arg)
{
    struct monitor *m = arg;
    struct monitor_request *first = first_due(m);
    bool was_overdue = m->overdue;
    m->overdue = false;
    timer_free(take(m->timer));
    if (!first)
        return;
    if (first->deadline > loop_now()) {
        timer_set(m, first->deadline);
    } else if (was_overdue) {
        break_silent(m, first);
    } else {
        m->overdue = true;
        timer_set(m, loop_now() + GRACE_MS);
    }
}

static void watch_deadline(struct monitor *m, uint64_t deadline)
{
    if (!m->overdue && (!m->timer || deadline < m->timer_at))
        timer_set(m, deadline);
}

void monitor_set_timeout(struct monitor *m, unsigned ms)
{
    m->timeout_ms = ms;
}

/* Sending */

static unsigned next_id(struct monitor *m)
{
    do
        m->last_id = (m->last_id + 1) % IDS;
    while (request_find(m, m->first_id + m->last_id));
    return m->first_id + m->last_id;
}

static int check_room(const struct monitor *m, const char *command, size_t length, struct error *err)
{
    if (m->count >= MONITOR_UNDER_WAY_MAX)
        return fail(err, ERR_VMM, "%s: cannot send '%s': %u commands wait for an answer", m->subject, command,
                    m->count);
    if (stream_pending(m->stream) + length > MONITOR_OUTPUT_MAX)
        return fail(err, ERR_VMM, "%s: cannot send '%s': the emulator does not read its monitor", m->subject,
                    command);
    return 0;
}

struct monitor_request *monitor_request(struct monitor *m, const char *command, const char *members,
                                        monitor_done *done, void *arg, struct error *err)
{
    if (m->broken)
        return monitor_fail_broken(m, command, err), NULL;
    if (check_room(m, command, strlen(members), err) < 0)
        return NULL;
    struct monitor_request *request = NEW(struct monitor_request);
    request->id = next_id(m);
    request->command = memory_copy_text(command);
    request->done = done;
    request->arg = arg;
    request->sent_at = loop_now();
    request->deadline = request->sent_at + m->timeout_ms;
    *m->requests_end = request;
    m->requests_end = &request->next;
    m->count++;

    owned_buffer struct buffer line = { 0 };
    buffer_printf(&line, "{%s,\"id\":%u}", members, request->id);       /* QEMU needs no end of line */
    request->bytes = line.length;
    m->totals.calls++;
    m->totals.request_bytes += line.length;
    stream_write(m->stream, line.data, line.length);
    watch_deadline(m, request->deadline);
    return request;
}

/* Receiving */

static void on_greeting(struct monitor *m, const struct json *value)
{
    static const char *const names[] = { "major", "minor", "micro" };
    const struct json *version = json_get(json_get(value, "QMP"), "version");
    unsigned *numbers[] = { &m->version.major, &m->version.minor, &m->version.micro };
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        uint64_t number;
        if (!json_to_u64(json_get(json_get(version, "qemu"), names[i]), &number) || number > 100000) {
            monitor_break(m, MONITOR_NONSENSE, NULL, "the emulator's first words are not QMP's greeting");
            return;
        }
        *numbers[i] = (unsigned) number;
    }
    const char *package = json_get_text(version, "package");
    snprintf(m->version.package, sizeof m->version.package, "%s", package ? package : "");
    m->greeted = true;
}

static enum monitor_refusal refusal_of(const char *class)
{
    static const struct { const char *class; enum monitor_refusal refusal; } rows[] = {
        { "CommandNotFound", MONITOR_COMMAND_NOT_FOUND },
        { "DeviceNotFound", MONITOR_DEVICE_NOT_FOUND },
        { "DeviceNotActive", MONITOR_DEVICE_NOT_ACTIVE },
        { "KVMMissingCap", MONITOR_KVM_MISSING_CAP },
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (strcmp(class, rows[i].class) == 0)
            return rows[i].refusal;
    return MONITOR_GENERIC_ERROR;
}

/* An answer to the last words of an earlier daemon. */
static bool is_stray(const struct monitor *m, uint64_t id)
{
    return m->first_id && (id < m->first_id || id >= m->first_id + IDS);
}

/* `reply` has arena and whole; its arena is ours. */
static void on_reply(struct monitor *m, struct monitor_reply *reply)
{
    const struct json *error = json_get(reply->whole, "error");
    const char *class = json_get_text(error, "class"), *text = json_get_text(error, "desc");
    uint64_t id = 0;
    bool has_id = json_to_u64(json_get(reply->whole, "id"), &id);
    struct monitor_request *request = has_id ? request_find(m, id) : NULL;
    reply->value = json_get(reply->whole, "return");
    if (!request && has_id && is_stray(m, id)) {
        monitor_reply_done(reply);
        return;
    }
    if (!request || (error ? !class || !text || reply->value : !reply->value)) {
        monitor_reply_done(reply);
        if (request)
            monitor_break(m, MONITOR_NONSENSE, NULL,
                          "the emulator's answer to '%s' is neither a value nor an error", request->command);
        else if (has_id)
            monitor_break(m, MONITOR_NONSENSE, NULL,
                          "the emulator answered a command that nobody sent (id %" PRIu64 ")", id);
        else
            monitor_break(m, MONITOR_NONSENSE, NULL,
                          "the emulator's answer says not to what (it has no id of ours)");
        return;
    }
    error_scope(failure);
    m->totals.replies++;
    if (error) {
        m->totals.refusals++;
        reply->refusal = refusal_of(class);
        fail(&failure, ERR_VMM, "%s: unable to execute QEMU command '%s': %s", m->subject, request->command,
             text);
    }
    request_end(m, request, reply, &failure);
}

static void on_event(struct monitor *m, const char *name, const struct json *value, struct arena *arena,
                     size_t bytes)
{
    m->totals.events++;
    m->totals.event_bytes += bytes;
    if (m->handler->event)
        m->handler->event(m->arg, name, value, arena);
    else
        arena_free(arena);
}

static void on_value(void *arg, struct arena *arena, const struct json *value, size_t bytes)
{
    struct monitor *m = arg;
    const char *event = m->greeted ? json_get_text(value, "event") : NULL;
    if (event) {
        on_event(m, event, value, arena, bytes);
        return;
    }
    m->totals.reply_bytes += bytes;
    struct monitor_reply reply = { .whole = value, .arena = arena, .reply_bytes = bytes };
    if (!m->greeted) {
        on_greeting(m, value);
        monitor_reply_done(&reply);
    } else {
        on_reply(m, &reply);
    }
}

static void on_input(void *arg, const char *bytes, size_t length)
{
    struct monitor *m = arg;
    error_scope(err);
    monitor_hold(m);
    if (json_parser_feed(m->parser, bytes, length, &err) < 0)
        monitor_break(m, MONITOR_NONSENSE, NULL, "the emulator's monitor said what is not QMP: %s",
                      error_text(&err));
    monitor_let_go(m);
}

static void on_closed(void *arg, const char *reason)
{
    struct monitor *m = arg;
    if (reason)
        monitor_break(m, MONITOR_CLOSED, NULL, "the connection to the emulator's monitor failed: %s", reason);
    else
        monitor_break(m, MONITOR_CLOSED, NULL, "the emulator closed its monitor%s",
                      json_parser_is_idle(m->parser) ? "" : " in the middle of an answer");
}

/* Opening and closing */

static void on_negotiated(void *arg, struct monitor_reply *reply, struct error *failure)
{
    struct monitor *m = arg;
    if (reply->value) {
        m->negotiated = true;
        end_handshake(m, ERR_NONE, NULL);
    } else if (reply->refusal) {
        monitor_break(m, MONITOR_NONSENSE, NULL, "the emulator refused the negotiation of QMP: %s",
                      json_get_text(json_get(reply->whole, "error"), "desc"));
    }
}

static struct monitor *monitor_new(int fd, const char *subject, const struct monitor_handler *handler, void *arg,
                                   unsigned first_id)
{
    static const struct stream_handler stream_handler = { .input = on_input, .closed = on_closed };
    struct monitor *m = NEW(struct monitor);
    m->subject = memory_copy_text(subject);
    m->handler = handler;
    m->arg = arg;
    m->first_id = first_id;
    m->requests_end = &m->requests;
    m->timeout_ms = MONITOR_TIMEOUT_MS;
    m->stream = stream_new(fd, &stream_handler, m);
    m->parser = json_parser_new(MONITOR_VALUE_MAX, MONITOR_DEPTH_MAX, on_value, m);
    error_scope(err);
    m->negotiation = monitor_request(m, "qmp_capabilities", "\"execute\":\"qmp_capabilities\"",
                                     on_negotiated, m, &err);
    return m;
}

struct monitor *monitor_open(int fd, const char *subject, const struct monitor_handler *handler, void *arg)
{
    return monitor_new(fd, subject, handler, arg, 0);
}

struct monitor *monitor_open_again(int fd, const char *subject, const struct monitor_handler *handler, void *arg)
{
    struct uuid chance = uuid_random();
    uint32_t number;
    memcpy(&number, chance.bytes, sizeof number);
    return monitor_new(fd, subject, handler, arg, IDS * (1 + number % (UINT32_MAX / IDS - 2)));
}

void monitor_free(struct monitor *m)
{
    if (!m)
        return;
    assert(!m->freed);
    m->freed = true;
    if (!m->broken)
        m->broken = memory_copy_text("its monitor was closed");
    monitor_hold(m);
    monitor_hang_up(m);
    fail_all(m, ERR_ABORTED, m->broken, NULL);
    monitor_let_go(m);
}

bool monitor_is_negotiated(const struct monitor *m)
{
    return m->negotiated;
}

void monitor_set_handshake(struct monitor *m, struct monitor_handshake *handshake, uint64_t deadline)
{
    m->handshake = handshake;
    if (handshake && deadline && m->negotiation) {
        m->negotiation->deadline = deadline;
        watch_deadline(m, deadline);
    }
}

const struct monitor_version *monitor_version(const struct monitor *m)
{
    return m->greeted ? &m->version : NULL;
}

struct monitor_totals monitor_totals(const struct monitor *m)
{
    return m->totals;
}
