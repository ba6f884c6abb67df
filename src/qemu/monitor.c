/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/monitor.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/uuid.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "qemu/monitor_private.h"

enum { GRACE_MS = 100 };

/* Life */

void monitor_hold(struct monitor *m)
{
    m->busy++;
}

void monitor_let_go(struct monitor *m)
{
    if (--m->busy > 0 || !m->freed)
        return;
    recorder_free(m->recorder);
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

struct monitor_request *request_find(const struct monitor *m, uint64_t id)
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
    if (m->telling == request)
        m->telling = NULL;
}

void request_end(struct monitor *m, struct monitor_request *request, struct monitor_reply *reply,
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
    request->listener = NULL;
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

void monitor_break(struct monitor *m, enum monitor_end end, const struct monitor_request *late,
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
    recorder_sent(m->recorder, line.data, line.length);
    watch_deadline(m, request->deadline);
    return request;
}

/* QEMU keeps what came with the last bytes that carried any, and reads no further than the command behind
 * them before that one has run: so nobody else's "getfd" can take it. */
void monitor_pass_fd(struct monitor *m, int fd)
{
    if (m->broken)
        close(fd);
    else
        stream_write_fd(m->stream, fd, ' ');
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

static struct monitor *monitor_new(int fd, const char *subject, const struct monitor_handler *handler,
                                   void *arg, unsigned first_id, bool ahead)
{
    struct monitor *m = NEW(struct monitor);
    m->subject = memory_copy_text(subject);
    m->handler = handler;
    m->arg = arg;
    m->first_id = first_id;
    m->ahead = ahead;
    m->requests_end = &m->requests;
    m->timeout_ms = MONITOR_TIMEOUT_MS;
    m->stream = stream_new(fd, &monitor_stream_handler, m);
    m->parser = json_parser_new(MONITOR_VALUE_MAX, MONITOR_DEPTH_MAX, monitor_on_value, m);
    m->ear = (struct json_listener) { monitor_hear, m };
    json_parser_listen(m->parser, monitor_choose_listener);
    error_scope(err);
    static const char *const members[] = {
        "\"execute\":\"qmp_capabilities\"",
        "\"execute\":\"qmp_capabilities\",\"arguments\":{\"enable\":[\"oob\"]}",
    };
    m->negotiation = monitor_request(m, "qmp_capabilities", members[ahead], on_negotiated, m, &err);
    return m;
}

struct monitor *monitor_open(int fd, const char *subject, const struct monitor_handler *handler, void *arg)
{
    return monitor_new(fd, subject, handler, arg, 0, false);
}

struct monitor *monitor_open_ahead(int fd, const char *subject, const struct monitor_handler *handler,
                                   void *arg)
{
    return monitor_new(fd, subject, handler, arg, 0, true);
}

bool monitor_reads_ahead(const struct monitor *m)
{
    return m->ahead;
}

struct monitor *monitor_open_again(int fd, const char *subject, const struct monitor_handler *handler,
                                   void *arg)
{
    struct uuid chance = uuid_random();
    uint32_t number;
    memcpy(&number, chance.bytes, sizeof number);
    return monitor_new(fd, subject, handler, arg, IDS * (1 + number % (UINT32_MAX / IDS - 2)), false);
}

/* What is under way is the negotiation, which has no arguments. */
void monitor_record(struct monitor *m, struct recorder *recorder)
{
    recorder_free(m->recorder);
    m->recorder = recorder;
    for (const struct monitor_request *request = m->requests; request; request = request->next) {
        owned_memory char *text =
            memory_printf("{\"execute\":\"%s\",\"id\":%u}", request->command, request->id);
        recorder_sent(recorder, text, strlen(text));
    }
}

void monitor_set_handler(struct monitor *m, const struct monitor_handler *handler, void *arg)
{
    m->handler = handler;
    m->arg = arg;
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
