/* SPDX-License-Identifier: Apache-2.0 */
/* What a monitor hears: the greeting, events, answers, and what should not be. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "qemu/monitor_private.h"

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

/* An answer is told to who asked first, as the id may come behind it. */
const struct json_listener *monitor_choose_listener(void *arg, const char *member)
{
    struct monitor *m = arg;
    if (!m->greeted || !m->requests || !m->requests->told || strcmp(member, "return") != 0)
        return NULL;
    m->telling = m->requests;
    return &m->ear;
}

void monitor_hear(void *arg, enum json_event event, const char *text, size_t length)
{
    struct monitor *m = arg;
    const struct json_listener *listener = m->telling ? m->telling->listener : NULL;
    if (listener)
        listener->hear(listener->arg, event, text, length);
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
    if (m->telling && request != m->telling) {
        monitor_reply_done(reply);
        monitor_break(m, MONITOR_NONSENSE, NULL, "the emulator did not answer '%s' when it was its turn",
                      m->telling->command);
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

void monitor_on_value(void *arg, struct arena *arena, const struct json *value, size_t bytes)
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
    recorder_heard(m->recorder, bytes, length);
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

const struct stream_handler monitor_stream_handler = { .input = on_input, .closed = on_closed };
