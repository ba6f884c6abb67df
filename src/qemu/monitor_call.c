/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to use a monitor, all of them over monitor_request(). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "qemu/monitor_private.h"

void monitor_reply_done(struct monitor_reply *reply)
{
    arena_free(reply->arena);
    *reply = (struct monitor_reply) { 0 };
}

static void add_members(struct buffer *out, const char *command, const char *arguments)
{
    struct json_writer w = { .out = out };
    json_key(&w, "execute");
    json_string(&w, command);
    if (arguments) {
        json_key(&w, "arguments");
        json_raw(&w, arguments);
    }
}

static struct monitor_request *send_command(struct monitor *m, const char *command, const char *arguments,
                                            monitor_done *done, void *arg, struct error *err)
{
    owned_buffer struct buffer members = { 0 };
    add_members(&members, command, arguments);
    return monitor_request(m, command, members.data, done, arg, err);
}

int monitor_send(struct monitor *m, const char *command, const char *arguments,
                 void (*done)(void *arg, struct monitor_reply *reply, struct error *failure), void *arg,
                 struct error *err)
{
    return send_command(m, command, arguments, done, arg, err) ? 0 : -1;
}

/* Calls */

static void on_call_done(void *arg, struct monitor_reply *reply, struct error *failure)
{
    struct monitor_call *call = arg;
    call->request = NULL;
    call->reply = *reply;
    *reply = (struct monitor_reply) { 0 };
    if (failure)
        error_move(&call->error, failure);
    wait_done(&call->wait, 0);
}

void monitor_call_start(struct monitor *m, struct monitor_call *call, const char *command,
                        const char *arguments)
{
    assert(!call->request && !call->wait.woken);
    call->request = send_command(m, command, arguments, on_call_done, call, &call->error);
    if (!call->request)
        wait_done(&call->wait, 0);
}

void monitor_call_start_told(struct monitor *m, struct monitor_call *call, const char *command,
                             const char *arguments, const struct json_listener *listener)
{
    monitor_call_start(m, call, command, arguments);
    if (!call->request)
        return;
    call->request->told = true;
    call->request->listener = listener;
}

WAITS int monitor_call_wait(struct monitor_call *call, struct error *err)
{
    return monitor_call_wait_until(call, 0, err);
}

WAITS int monitor_call_wait_until(struct monitor_call *call, uint64_t deadline, struct error *err)
{
    if (wait_until(&call->wait, deadline, err) < 0)
        return -1;
    if (!call->error.code)
        return 0;
    fail(err, call->error.code, "%s", error_text(&call->error));
    return -1;
}

void monitor_call_done(struct monitor_call *call)
{
    if (call->request)
        monitor_request_abandon(call->request);
    monitor_reply_done(&call->reply);
    error_clear(&call->error);
    *call = (struct monitor_call) { 0 };
}

WAITS int monitor_call(struct monitor *m, const char *command, const char *arguments,
                       struct monitor_reply *ret_reply, struct error *err)
{
    owned_call struct monitor_call call = { 0 };
    monitor_call_start(m, &call, command, arguments);
    int rc = monitor_call_wait(&call, err);
    if (!ret_reply)
        return rc;
    if (rc < 0) {
        ret_reply->refusal = call.reply.refusal;
        return -1;
    }
    *ret_reply = call.reply;
    call.reply = (struct monitor_reply) { 0 };
    return 0;
}

/* The negotiation */

WAITS int monitor_handshake(struct monitor *m, uint64_t deadline, struct error *err)
{
    if (monitor_is_negotiated(m))
        return 0;                       /* should it have broken since, the calls under way will say so */
    if (monitor_is_broken(m))
        return monitor_fail_broken(m, "qmp_capabilities", err);
    struct monitor_handshake handshake = { 0 };
    monitor_set_handshake(m, &handshake, deadline);
    if (wait_until(&handshake.wait, 0, err) < 0) {
        monitor_set_handshake(m, NULL, 0);
        return -1;
    }
    if (!handshake.error.code)
        return 0;
    error_move(err, &handshake.error);
    return -1;
}

/* A person's command */

/* Writes the members of `object`, with `id` (NULL: none) for the one that it has. */
static void write_members(struct json_writer *w, const struct json *object, const struct json *id)
{
    for (size_t i = 0; i < object->length; i++) {
        const struct json_member *member = &object->members[i];
        bool is_id = strcmp(member->key, "id") == 0;
        if (is_id && !id)
            continue;
        json_key(w, member->key);
        json_value(w, is_id ? id : member->value);
    }
}

static const char *command_name(const struct json *object, struct error *err)
{
    const char *name = json_get_text(object, "execute");
    if (!name)
        name = json_get_text(object, "exec-oob");
    if (!name)
        fail(err, ERR_INVALID_ARG, "a monitor command is a JSON object with a member 'execute': "
             "{\"execute\":\"query-status\"}");
    return name;
}

WAITS int monitor_raw(struct monitor *m, const char *text, struct buffer *out, struct error *err)
{
    owned(arena) struct arena *arena = arena_new();
    const struct json *object = json_parse(text, strlen(text), arena, err);
    if (!object)
        return fail_in(err, "monitor command");
    const char *name = command_name(object, err);
    if (!name)
        return -1;
    owned_buffer struct buffer members = { 0 };
    struct json_writer request = { .out = &members };
    write_members(&request, object, NULL);

    owned_call struct monitor_call call = { 0 };
    call.request = monitor_request(m, name, members.data, on_call_done, &call, err);
    if (!call.request || (monitor_call_wait(&call, err) < 0 && !call.reply.whole))
        return -1;
    error_clear(err);                   /* an answer that is an error is an answer */
    struct json_writer reply = { .out = out, .spaced = true, .ascii = true };
    json_open(&reply, '{');
    write_members(&reply, call.reply.whole, json_get(object, "id"));
    json_close(&reply, '}');
    return 0;
}
