/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/channel.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "rpc/peer.h"

enum {
    PACKET_MAX = 262120,                /* what the oldest clients take */
    OUTPUT_FULL = 256 * 1024,           /* bytes a client has not taken: then sources are to pause */
};

struct channel {
    struct peer *peer;
    struct channel *next;               /* in the peer's list */
    struct frame header;                /* of every packet */
    const struct channel_handler *handler;
    void *arg;
    bool finished;                      /* by us */
    bool held;
};

static struct channel *find(const struct peer *peer, const struct frame *frame)
{
    for (struct channel *c = peer->channels; c; c = c->next)
        if (c->header.serial == frame->serial && c->header.procedure == frame->procedure &&
            c->header.program == frame->program && c->header.version == frame->version)
            return c;
    return NULL;
}

static void send_packet(struct channel *c, enum frame_status status, const char *bytes, size_t length)
{
    owned_buffer struct buffer out = { 0 };
    struct frame header = c->header;
    header.status = status;
    size_t start = frame_begin(&out, &header);
    buffer_add(&out, bytes, length);
    frame_end(&out, start);
    peer_write(c->peer, &out);
}

/* From here on it does not exist for the client. */
static void unlink_channel(struct channel *c)
{
    struct channel **at = &c->peer->channels;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    c->peer->channels_count--;
    channel_release(c);
}

struct channel *channel_open(struct call *call, const struct channel_handler *handler, void *arg,
                             struct error *err)
{
    struct peer *peer = call->peer;
    struct frame header = {
        .program = call->procedure->program, .version = 1, .procedure = call->procedure->number,
        .type = FRAME_STREAM, .serial = call->serial };
    if (peer_is_gone(peer))
        return fail(err, ERR_ABORTED, "the client has gone"), NULL;
    if (peer->channels_count >= peer->server->limits.channels)
        return fail(err, ERR_OPERATION_FAILED, "this client has %u open streams, and may not have more",
                    peer->channels_count), NULL;
    if (find(peer, &header))
        return fail(err, ERR_RPC, "there is a stream for call %u already", call->serial), NULL;
    struct channel *c = NEW(struct channel);
    *c = (struct channel) { .peer = peer, .next = peer->channels, .header = header,
                            .handler = handler, .arg = arg };
    peer->channels = c;
    call->has_channel = true;
    peer->channels_count++;
    return c;
}

bool channel_has_room(const struct channel *c)
{
    return !peer_is_gone(c->peer) && stream_pending(c->peer->stream) < OUTPUT_FULL;
}

void channel_send(struct channel *c, const char *bytes, size_t length)
{
    assert(!c->finished);
    while (length) {
        size_t part = length < PACKET_MAX ? length : PACKET_MAX;
        send_packet(c, FRAME_CONTINUE, bytes, part);
        bytes += part;
        length -= part;
    }
}

void channel_finish(struct channel *c)
{
    if (c->finished)
        return;
    c->finished = true;
    channel_release(c);
    send_packet(c, FRAME_CONTINUE, NULL, 0);
}

void channel_fail(struct channel *c, const struct error *failure)
{
    struct frame header = c->header;
    struct peer *peer = c->peer;
    unlink_channel(c);
    free(c);
    call_send_error(peer, &header, failure);
}

void channel_hold(struct channel *c)
{
    if (c->held || c->finished)
        return;
    c->held = true;
    c->peer->channels_held++;
}

void channel_release(struct channel *c)
{
    if (!c->held)
        return;
    c->held = false;
    c->peer->channels_held--;
    peer_resume_later(c->peer);
}

/* What clients send */

static void on_finish(struct channel *c)
{
    error_scope(err);
    unlink_channel(c);
    if (c->handler->finished && c->handler->finished(c->arg, &err) < 0)
        call_send_error(c->peer, &c->header, &err);
    else
        send_packet(c, FRAME_OK, NULL, 0);
    free(c);
}

static void abort_channel(struct channel *c)
{
    unlink_channel(c);
    c->handler->aborted(c->arg);
    free(c);
}

static void on_nonsense(struct channel *c, const struct frame *frame)
{
    error_scope(err);
    fail(&err, ERR_RPC, "a packet of type %d and status %d has no meaning in this stream", frame->type,
         frame->status);
    call_send_error(c->peer, &c->header, &err);
    abort_channel(c);
}

/* An empty packet says that the client will send no more, which changes nothing for us. */
void channel_receive(struct peer *peer, const struct frame *frame)
{
    struct channel *c = find(peer, frame);
    if (!c)
        return;
    if (frame->type == FRAME_STREAM && frame->status == FRAME_CONTINUE) {
        if (!c->finished && frame->length)
            c->handler->data(c->arg, frame->payload, frame->length);
    } else if (frame->type == FRAME_STREAM && frame->status == FRAME_OK) {
        on_finish(c);
    } else if (frame->type == FRAME_STREAM && frame->status == FRAME_ERROR) {
        send_packet(c, FRAME_OK, NULL, 0);
        abort_channel(c);
    } else {
        on_nonsense(c, frame);
    }
}

void channels_drained(struct peer *peer)
{
    for (struct channel *c = peer->channels, *next; c; c = next) {
        next = c->next;
        if (c->handler->room && !c->finished)
            c->handler->room(c->arg);
    }
}

void channels_drop(struct peer *peer)
{
    while (peer->channels)
        abort_channel(peer->channels);
}

void channel_revoke(struct peer *peer, const struct frame *call)
{
    struct channel *c = find(peer, call);
    if (c)
        abort_channel(c);
}
