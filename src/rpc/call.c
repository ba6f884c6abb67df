/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "rpc/codec.h"
#include "rpc/errors.h"
#include "rpc/peer.h"
#include "rpc/remote_xdr.h"

DEFINE_CODEC(error_codec, remote_error);

struct task {
    struct call call;
    struct task *next;
    struct frame header;                /* without a payload */
    char *payload;
    size_t length;
};

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static void task_free(struct task *task)
{
    if (!task)
        return;
    close_all(task->call.fds, task->call.fds_count);
    close_all(task->call.reply_fds, task->call.reply_fds_count);
    free(task->payload);
    free(task);
}
DEFINE_OWNED(task)

/* Replies */

static struct frame reply_header(const struct frame *call, enum frame_status status)
{
    return (struct frame) {
        .program = call->program, .version = call->version, .procedure = call->procedure,
        .type = FRAME_REPLY, .serial = call->serial, .status = status };
}

void call_send_error(struct peer *peer, const struct frame *like, const struct error *failure)
{
    error_scope(err);
    owned_buffer struct buffer out = { 0 };
    remote_error remote;
    struct frame header = *like;
    header.status = FRAME_ERROR;
    size_t start = frame_begin(&out, &header);
    errors_encode(failure, &remote);
    int rc = codec_encode(&error_codec, &remote, &out, &err);
    codec_release(&error_codec, &remote);
    if (rc < 0) {
        log_error("client %u: an error could not be sent: %s", peer->number, error_text(failure));
        return;
    }
    frame_end(&out, start);
    peer_write(peer, &out);
}

static void send_error(struct peer *peer, const struct frame *call, const struct error *failure)
{
    struct frame header = reply_header(call, FRAME_ERROR);
    call_send_error(peer, &header, failure);
}

static int send_reply(struct task *task, const void *reply, struct error *err)
{
    struct call *call = &task->call;
    owned_buffer struct buffer out = { 0 };
    struct frame header = reply_header(&task->header, FRAME_OK);
    if (call->reply_fds_count) {
        header.type = FRAME_REPLY_WITH_FDS;
        header.fds_count = (unsigned) call->reply_fds_count;
    }
    size_t start = frame_begin(&out, &header);
    if (codec_encode(call->procedure->reply, reply, &out, err) < 0)
        return fail(err, ERR_INTERNAL, "the reply to %s does not fit its limits", call->procedure->name);
    frame_end(&out, start);
    peer_write(call->peer, &out);
    for (size_t i = 0; i < call->reply_fds_count && !peer_is_gone(call->peer); i++) {
        stream_write_fd(call->peer->stream, call->reply_fds[i], 0);
        call->reply_fds[i] = -1;
    }
    return 0;
}

/* Running */

static int run_handler(struct task *task, void *args, void *reply, struct error *err)
{
    struct call *call = &task->call;
    const struct server *s = call->peer->server;
    if (s->freed)
        return fail(err, ERR_ABORTED, "the daemon is stopping");
    if (codec_decode(call->procedure->args, task->payload, task->length, args, err) < 0)
        return -1;
    free(take(task->payload));
    call->args = args;
    return s->handler->call(s->arg, call, reply, err);
}

static void run_task(struct task *task)
{
    error_scope(err);
    const struct procedure *p = task->call.procedure;
    owned_memory void *args = memory_new(p->args->size);
    owned_memory void *reply = memory_new(p->reply->size);
    if (run_handler(task, args, reply, &err) < 0 || send_reply(task, reply, &err) < 0) {
        send_error(task->call.peer, &task->header, &err);
        if (task->call.has_channel)
            channel_revoke(task->call.peer, &task->header);
    }
    codec_release(p->args, args);
    codec_release(p->reply, reply);
}

static void task_main(void *arg)
{
    struct task *task = arg;
    struct peer *peer = task->call.peer;
    run_task(task);
    task_free(task);

    peer->running_count--;
    peer->server->calls_count--;
    peer_replied(peer);
    call_start_waiting(peer);
    peer_resume(peer);
    peer_unreference(peer);
}

bool call_has_room(const struct peer *peer)
{
    const struct server *s = peer->server;
    return !s->stopped && peer->waiting_count < s->limits.waiting && peer->waiting_bytes <= s->limits.input &&
        !(s->starved && peer->waiting);
}

/* Taking calls in */

static struct task *take_waiting(struct peer *peer)
{
    struct task *task = peer->waiting;
    peer->waiting = task->next;
    if (!peer->waiting)
        peer->waiting_last = &peer->waiting;
    peer->waiting_count--;
    peer->waiting_bytes -= task->length;
    return task;
}

void call_start_waiting(struct peer *peer)
{
    struct server *s = peer->server;
    while (peer->waiting && !s->stopped && !peer->closing && !peer_is_gone(peer) &&
           peer->running_count < s->limits.running) {
        if (!fiber_start(task_main, peer->waiting)) {
            server_starved(s);
            return;
        }
        take_waiting(peer);
        peer->running_count++;
        s->calls_count++;
    }
}

void call_discard_waiting(struct peer *peer)
{
    while (peer->waiting)
        task_free(take_waiting(peer));
}

/* What the protocol itself finds wrong with a call, or the procedure that it is for. */
static const struct procedure *find_procedure(const struct frame *frame, struct error *err)
{
    if (!program_is_known(frame->program) || frame->version != 1) {
        fail(err, ERR_RPC, "Cannot find program %d version %d", (int) frame->program, (int) frame->version);
        return NULL;
    }
    if (frame->status != FRAME_OK) {
        fail(err, ERR_RPC, "Unexpected message status %d", frame->status);
        return NULL;
    }
    const struct procedure *p = procedure_find(frame->program, frame->procedure);
    const char *api = procedure_api(frame->program, frame->procedure);
    if (!p && api)
        fail(err, ERR_NO_SUPPORT, "%s", api);
    else if (!p)
        fail(err, ERR_RPC, "unknown procedure: %d", frame->procedure);
    return p;
}

static struct task *task_new(struct peer *peer, const struct frame *frame)
{
    struct task *task = NEW(struct task);
    task->call.peer = peer;
    task->call.serial = frame->serial;
    task->header = *frame;
    task->header.payload = NULL;
    task->payload = memory_copy_bytes(frame->payload, frame->length);
    task->length = frame->length;
    for (unsigned i = 0; i < frame->fds_count; i++)
        task->call.fds[task->call.fds_count++] = stream_take_fd(peer->stream);
    return task;
}

void call_receive(struct peer *peer, const struct frame *frame)
{
    error_scope(err);
    owned(task) struct task *task = task_new(peer, frame);
    for (size_t i = 0; i < task->call.fds_count; i++)
        if (task->call.fds[i] < 0) {
            peer_doom(peer, "it announced descriptors that did not come");
            return;
        }
    task->call.procedure = find_procedure(frame, &err);
    if (!task->call.procedure) {
        send_error(peer, frame, &err);
        return;
    }
    *peer->waiting_last = task;
    peer->waiting_last = &task->next;
    peer->waiting_count++;
    peer->waiting_bytes += task->length;
    take(task);
    call_start_waiting(peer);
}
