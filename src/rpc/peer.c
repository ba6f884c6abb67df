/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/peer.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "rpc/codec.h"

enum { CLOSE_GRACE_MS = 5000 };         /* for a client to take what it is owed after CONNECT_CLOSE */

static void on_end(void *arg)
{
    peer_drop(arg);
}

void peer_doom(struct peer *peer, const char *why)
{
    if (peer->doomed || !peer->stream)
        return;
    log_debug("client %u: dropped: %s", peer->number, why);
    peer->doomed = true;
    stream_pause(peer->stream);
    timer_free(peer->end);
    peer->end = timer_start(0, 0, on_end, peer);
}

void peer_drop(struct peer *peer)
{
    timer_free(peer->end);
    timer_free(peer->ping);
    timer_free(peer->later);
    peer->end = peer->ping = peer->later = NULL;
    stream_free(peer->stream);
    peer->stream = NULL;
    channels_drop(peer);
    frame_reader_done(&peer->reader);
    call_discard_waiting(peer);
    peer->server->held -= peer->held;
    peer->held = 0;
    server_unlink(peer);
    peer_unreference(peer);
}

void peer_unreference(struct peer *peer)
{
    struct server *s = peer->server;
    if (peer->stream || peer->running_count)
        return;
    free(peer);
    server_forget(s);
}

static bool has_room(const struct peer *peer)
{
    return call_has_room(peer) && !peer->channels_held;
}

/* Keepalive */

static void send_keepalive(struct peer *peer, int procedure)
{
    owned_buffer struct buffer out = { 0 };
    frame_end(&out, frame_begin(&out, &(struct frame) {
        .program = PROGRAM_KEEPALIVE, .version = 1, .procedure = procedure, .type = FRAME_MESSAGE }));
    peer_write(peer, &out);
}

/* A client whose socket we do not read cannot be blamed for silence.  It is pinged all the same: what it
 * hears from us keeps it from giving us up, since we do not see its own pings either. */
static void on_ping(void *arg)
{
    struct peer *peer = arg;
    const struct server_limits *limits = &peer->server->limits;
    uint64_t silence = loop_now() - peer->heard;
    bool deaf = !has_room(peer);
    unsigned next = limits->ping_interval;
    if (silence < limits->ping_interval) {
        next -= (unsigned) silence;
    } else if (!deaf && peer->pings >= limits->ping_count) {
        peer_doom(peer, "it does not answer pings");
        return;
    } else {
        peer->pings += !deaf;
        send_keepalive(peer, KEEPALIVE_PING);
    }
    timer_free(peer->ping);
    peer->ping = timer_start(next, 0, on_ping, peer);
}

void peer_start_keepalive(struct peer *peer)
{
    if (peer->ping || !peer->stream || !peer->server->limits.ping_count)
        return;
    peer->ping = timer_start(peer->server->limits.ping_interval, 0, on_ping, peer);
}

/* Input */

static void close_fds(struct peer *peer, unsigned count)
{
    for (; count; count--) {
        int fd = stream_take_fd(peer->stream);
        if (fd >= 0)
            close(fd);
    }
}

/* What is neither a call nor a ping is ignored: replies to nothing, packets of streams that are gone. */
static void on_frame(struct peer *peer, const struct frame *frame)
{
    if (frame->type == FRAME_STREAM || frame->type == FRAME_HOLE) {
        channel_receive(peer, frame);
        return;
    }
    if (frame->type == FRAME_CALL || frame->type == FRAME_CALL_WITH_FDS) {
        call_receive(peer, frame);
        return;
    }
    if (frame->program == PROGRAM_KEEPALIVE && frame->type == FRAME_MESSAGE &&
        frame->procedure == KEEPALIVE_PING)
        send_keepalive(peer, KEEPALIVE_PONG);
    close_fds(peer, frame->fds_count);
}

/* Many clients that each stay below their own bounds may still send too much: then the one that holds most
 * goes. */
static void count_held(struct peer *peer)
{
    struct server *s = peer->server;
    size_t held = peer->reader.bytes.length - peer->reader.done + peer->waiting_bytes;
    s->held += held - peer->held;
    peer->held = held;
    if (s->held <= s->limits.input_total)
        return;
    struct peer *most = peer;
    for (struct peer *p = s->peers; p; p = p->next)
        if (p->held > most->held && !p->doomed)
            most = p;
    log_warning("clients hold %zu bytes of unfinished calls: client %u, with most of them, is dropped",
                s->held, most->number);
    peer_doom(most, "it sent more than can be kept");
}

static void read_frames(struct peer *peer)
{
    struct frame frame;
    int rc = 0;
    peer->parsing = true;
    while (!peer->doomed && !peer->closing && has_room(peer) &&
           (rc = frame_next(&peer->reader, &frame)) > 0)
        on_frame(peer, &frame);
    peer->parsing = false;
    if (rc < 0)
        peer_doom(peer, "it does not speak the protocol");
    if (peer->closing || !has_room(peer))
        stream_pause(peer->stream);
    if (peer->reader.done == peer->reader.bytes.length)
        frame_reader_done(&peer->reader);               /* a large frame leaves no large buffer behind */
    count_held(peer);
}

void peer_resume(struct peer *peer)
{
    if (!peer->stream || peer->doomed || peer->closing || peer->parsing || !has_room(peer))
        return;
    stream_resume(peer->stream);
    read_frames(peer);
}

static void on_later(void *arg)
{
    struct peer *peer = arg;
    timer_free(peer->later);
    peer->later = NULL;
    peer_resume(peer);
}

void peer_resume_later(struct peer *peer)
{
    if (peer->stream && !peer->later)
        peer->later = timer_start(0, 0, on_later, peer);
}

static void on_input(void *arg, const char *bytes, size_t length)
{
    struct peer *peer = arg;
    peer->heard = loop_now();
    peer->pings = 0;
    frame_reader_add(&peer->reader, bytes, length);
    read_frames(peer);
}

/* Output */

void peer_write(struct peer *peer, const struct buffer *frames)
{
    if (!peer->stream || peer->doomed)
        return;
    size_t pending = stream_pending(peer->stream);
    if (pending && pending + frames->length > peer->server->limits.output) {
        log_warning("client %u takes none of the %zu bytes it is owed: dropped", peer->number, pending);
        peer_doom(peer, "it does not read");
        return;
    }
    stream_write(peer->stream, frames->data, frames->length);
}

void peer_send(struct peer *peer, enum program program, int number, const void *message)
{
    error_scope(err);
    owned_buffer struct buffer out = { 0 };
    const struct codec *codec = event_codec(program, number);
    assert(codec);                      /* only EVENT rows are sent */
    size_t start = frame_begin(&out, &(struct frame) {
        .program = program, .version = 1, .procedure = number, .type = FRAME_MESSAGE });
    if (codec_encode(codec, message, &out, &err) < 0) {
        log_error("message %d: %s", number, error_text(&err));
        return;
    }
    frame_end(&out, start);
    peer_write(peer, &out);
}

static void on_drained(void *arg)
{
    struct peer *peer = arg;
    if (peer->closing)
        peer_doom(peer, "it said goodbye");
    else
        channels_drained(peer);
}

void peer_replied(struct peer *peer)
{
    if (peer->stream && peer->closing && !stream_pending(peer->stream))
        peer_doom(peer, "it said goodbye");
}

void peer_close_after_reply(struct peer *peer)
{
    if (!peer->stream || peer->doomed || peer->closing)
        return;
    peer->closing = true;
    stream_pause(peer->stream);
    peer->end = timer_start(CLOSE_GRACE_MS, 0, on_end, peer);
}

/* The connection */

static void on_closed(void *arg, const char *reason)
{
    struct peer *peer = arg;
    log_debug("client %u: gone: %s", peer->number, reason ? reason : "it closed");
    peer_drop(peer);
}

static const struct stream_handler handler = {
    .input = on_input, .closed = on_closed, .drained = on_drained,
};

struct peer *peer_new(struct server *s, int fd, bool read_only)
{
    struct peer *peer = NEW(struct peer);
    peer->server = s;
    s->references++;
    peer->number = ++s->last_number;
    peer->read_only = read_only;
    peer->waiting_last = &peer->waiting;
    peer->heard = loop_now();
    peer->stream = stream_new(fd, &handler, peer);
    struct peer_credentials *who = &peer->credentials;
    if (stream_peer(peer->stream, &who->user, &who->group, &who->pid) < 0)
        *who = (struct peer_credentials) { (uid_t) -1, (gid_t) -1, -1 };
    return peer;
}

void *peer_data(const struct peer *peer)
{
    return peer->data;
}

void peer_set_data(struct peer *peer, void *data)
{
    peer->data = data;
}

unsigned peer_number(const struct peer *peer)
{
    return peer->number;
}

bool peer_is_read_only(const struct peer *peer)
{
    return peer->read_only;
}

void peer_set_read_only(struct peer *peer)
{
    peer->read_only = true;
}

bool peer_is_gone(const struct peer *peer)
{
    return !peer->stream || peer->doomed;
}

const struct peer_credentials *peer_credentials(const struct peer *peer)
{
    return &peer->credentials;
}
