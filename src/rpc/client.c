/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "loop/stream.h"
#include "rpc/address.h"
#include "rpc/codec.h"
#include "rpc/errors.h"
#include "rpc/frame.h"
#include "rpc/remote_xdr.h"

enum {
    OPEN_MS = 5000,                     /* a daemon that lives answers at once, whatever else it does */
    FINISH_MS = 5000,
    PACKET_MAX = 262120,                /* of a stream: what the oldest daemons take */
    PING_MS = 5000, PING_COUNT = 5,
};

DEFINE_CODEC(error_codec, remote_error);

struct client {
    int fd;                             /* -1 once the connection is lost */
    char *where;
    struct frame_reader reader;
    char received[16 * 1024];           /* room for what one call of recv() brings */
    uint32_t last_serial;
    unsigned deadline;
    unsigned ping_ms, ping_count;       /* of a daemon that is silent while we wait for it */
    unsigned unanswered;                /* pings since the last bytes came */
    uint64_t next_ping;
    int number;
    struct frame stream;                /* the header of the open stream's packets */
    const struct client_events *events;
    void *events_arg;
};

/* Events are handed over as bytes to the function for their row. */

#define PROC(...)
#define EVENT(number, name, message) \
    static void on_##name(const struct client *c, const struct codec *codec, const struct frame *frame) \
    { \
        error_scope(err); \
        message m; \
        if (!c->events->name || codec_decode(codec, frame->payload, frame->length, &m, &err) < 0) \
            return; \
        c->events->name(c->events_arg, &m); \
        codec_release(codec, &m); \
    }
#include "rpc/procedures.def"

static void on_event(const struct client *c, const struct frame *frame)
{
    const struct codec *codec = event_codec(frame->program, frame->procedure);
    if (!codec || !c->events)
        return;
    switch (frame->procedure) {
#define PROC(...)
#define EVENT(number, name, message) case number: on_##name(c, codec, frame); break;
#include "rpc/procedures.def"
    }
}

/* Bytes */

static int lose(struct client *c, struct error *err, const char *why)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    return fail(err, ERR_INTERNAL, "the connection to the daemon at %s is lost: %s", c->where, why);
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t) t.tv_sec * 1000 + (uint64_t) t.tv_nsec / 1000000;
}

static void heard(struct client *c)
{
    c->unanswered = 0;
    c->next_ping = now_ms() + c->ping_ms;
}

/* After a time of silence.  In the middle of a frame of ours no other can be sent, so it only counts. */
static int ping(struct client *c, bool between_frames, struct error *err)
{
    unsigned silent = c->unanswered;
    heard(c);
    if (silent == c->ping_count) {
        owned_memory char *why = memory_printf("it has not answered for %u s, not even a keepalive",
                                               c->ping_ms * (silent + 1) / 1000);
        return lose(c, err, why);
    }
    c->unanswered = silent + 1;
    owned_buffer struct buffer out = { 0 };
    frame_end(&out, frame_begin(&out, &(struct frame) {
        .program = PROGRAM_KEEPALIVE, .version = 1, .procedure = KEEPALIVE_PING, .type = FRAME_MESSAGE }));
    ssize_t sent = between_frames ? send(c->fd, out.data, out.length, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
        return lose(c, err, strerror(errno));
    return sent > 0 && (size_t) sent < out.length ? lose(c, err, "it does not take our call") : 0;
}

/* 1: ready; 0: the time (0: for ever) has come. */
static int wait_for(struct client *c, short what, uint64_t until, struct error *err)
{
    struct pollfd p = { .fd = c->fd, .events = what };
    while (true) {
        uint64_t now = now_ms(), wake = c->ping_ms ? c->next_ping : until;
        wake = until && until < wake ? until : wake;
        int rc = poll(&p, 1, !wake ? -1 : wake > now ? (int) (wake - now) : 0);
        if (rc > 0)
            return rc;
        if (rc < 0 && errno != EINTR)
            return lose(c, err, strerror(errno));
        now = now_ms();
        if (until && now >= until)
            return 0;
        if (c->ping_ms && now >= c->next_ping && ping(c, what == POLLIN, err) < 0)
            return -1;
    }
}

static int send_all(struct client *c, const struct buffer *bytes, uint64_t until, struct error *err)
{
    for (size_t done = 0; done < bytes->length; ) {
        int rc;
        ssize_t sent = send(c->fd, bytes->data + done, bytes->length - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0)
            done += (size_t) sent;
        else if (errno != EAGAIN && errno != EINTR)
            return lose(c, err, strerror(errno));
        else if ((rc = wait_for(c, POLLOUT, until, err)) <= 0)
            return rc < 0 ? -1 : lose(c, err, "it does not take our call");
    }
    return 0;
}

static int receive_some(struct client *c, struct error *err)
{
    ssize_t got = recv(c->fd, c->received, sizeof c->received, MSG_DONTWAIT);
    if (got > 0) {
        heard(c);
        frame_reader_add(&c->reader, c->received, (size_t) got);
    } else if (got == 0) {
        return lose(c, err, "it was closed");
    } else if (errno != EAGAIN && errno != EINTR) {
        return lose(c, err, strerror(errno));
    }
    return 0;
}

/* Frames */

static int answer_ping(struct client *c, struct error *err)
{
    owned_buffer struct buffer out = { 0 };
    frame_end(&out, frame_begin(&out, &(struct frame) {
        .program = PROGRAM_KEEPALIVE, .version = 1, .procedure = KEEPALIVE_PONG, .type = FRAME_MESSAGE }));
    return send_all(c, &out, 0, err);
}

/* The next frame that has arrived; what is a message is dealt with here.  1, 0 if there is none, or -1. */
static int next_frame(struct client *c, struct frame *ret_frame, int *messages, struct error *err)
{
    int rc;
    while ((rc = frame_next(&c->reader, ret_frame)) > 0) {
        if (ret_frame->type != FRAME_MESSAGE)
            return 1;
        if (ret_frame->program == PROGRAM_KEEPALIVE) {
            if (ret_frame->procedure == KEEPALIVE_PING && answer_ping(c, err) < 0)
                return -1;
            continue;
        }
        on_event(c, ret_frame);
        ++*messages;
    }
    return rc < 0 ? lose(c, err, "it does not speak the protocol") : 0;
}

int client_read(struct client *c, int milliseconds, struct error *err)
{
    struct frame stray;
    int messages = 0, rc;
    if (c->fd < 0)
        return lose(c, err, "it was closed before");
    uint64_t until = milliseconds < 0 ? 0 : now_ms() + (uint64_t) milliseconds;
    while (true) {
        while ((rc = next_frame(c, &stray, &messages, err)) > 0)
            ;                           /* a reply that came after its deadline */
        if (rc < 0)
            return -1;
        rc = wait_for(c, POLLIN, messages ? now_ms() : until, err);
        if (rc <= 0)
            return rc < 0 ? -1 : messages;
        if (receive_some(c, err) < 0)
            return messages ? messages : -1;
    }
}

/* Calls */

static int send_call(struct client *c, const struct procedure *p, const void *args, uint64_t until,
                     struct error *err)
{
    owned_buffer struct buffer out = { 0 };
    size_t start = frame_begin(&out, &(struct frame) {
        .program = p->program, .version = 1, .procedure = p->number, .serial = ++c->last_serial });
    if (codec_encode(p->args, args, &out, err) < 0)
        return fail(err, ERR_INVALID_ARG, "the arguments of %s do not fit the protocol's limits", p->name);
    frame_end(&out, start);
    return send_all(c, &out, until, err);
}

static int await_reply(struct client *c, const struct procedure *p, uint64_t until, struct frame *ret_reply,
                       struct error *err)
{
    int messages = 0, rc;
    while (true) {
        rc = next_frame(c, ret_reply, &messages, err);
        if (rc < 0)
            return -1;
        if (rc > 0 && ret_reply->serial == c->last_serial && ret_reply->program == p->program)
            return 0;
        if (rc > 0)
            continue;
        rc = wait_for(c, POLLIN, until, err);
        if (rc == 0)
            return fail(err, ERR_TIMEOUT, "the daemon did not answer %s within %u ms", p->name, c->deadline);
        if (rc < 0 || receive_some(c, err) < 0)
            return -1;
    }
}

static int fail_remote(struct client *c, const struct frame *reply, struct error *err)
{
    remote_error remote;
    if (codec_decode(&error_codec, reply->payload, reply->length, &remote, err) < 0)
        return -1;
    errors_decode(&remote, err);
    c->number = remote.code;
    codec_release(&error_codec, &remote);
    return -1;
}

int client_call(struct client *c, const struct procedure *p, const void *args, void *reply, struct error *err)
{
    struct frame frame;
    uint64_t until = c->deadline ? now_ms() + c->deadline : 0;
    c->number = 0;
    if (c->fd < 0)
        return lose(c, err, "it was closed before");
    if (send_call(c, p, args, until, err) < 0 || await_reply(c, p, until, &frame, err) < 0)
        return -1;
    if (frame.status == FRAME_ERROR)
        return fail_remote(c, &frame, err);
    return reply ? codec_decode(p->reply, frame.payload, frame.length, reply, err) : 0;
}

/* Streams */

void client_stream_begin(struct client *c, const struct procedure *p)
{
    c->stream = (struct frame) {
        .program = p->program, .version = 1, .procedure = p->number, .type = FRAME_STREAM,
        .serial = c->last_serial };
}

static int send_packet(struct client *c, enum frame_status status, const char *bytes, size_t length,
                       uint64_t until, struct error *err)
{
    owned_buffer struct buffer out = { 0 };
    struct frame header = c->stream;
    header.status = status;
    size_t start = frame_begin(&out, &header);
    buffer_add(&out, bytes, length);
    frame_end(&out, start);
    return c->fd < 0 ? lose(c, err, "it was closed before") : send_all(c, &out, until, err);
}

int client_stream_send(struct client *c, const char *bytes, size_t length, struct error *err)
{
    for (size_t done = 0, part; done < length; done += part) {
        part = length - done < PACKET_MAX ? length - done : PACKET_MAX;
        if (send_packet(c, FRAME_CONTINUE, bytes + done, part, 0, err) < 0)
            return -1;
    }
    return 0;
}

/* The stream's next packet that has arrived.  1, 0 if there is none, or -1. */
static int next_packet(struct client *c, struct frame *ret_packet, struct error *err)
{
    int messages = 0, rc;
    while ((rc = next_frame(c, ret_packet, &messages, err)) > 0)
        if (ret_packet->type == FRAME_STREAM && ret_packet->serial == c->stream.serial)
            return ret_packet->status == FRAME_ERROR ? fail_remote(c, ret_packet, err) : 1;
    return rc;
}

/* Like client_stream_receive(), for what has arrived; counts the packets. */
static int hand_over(struct client *c, client_stream_data *data, void *arg, int *packets, struct error *err)
{
    struct frame packet;
    int rc;
    for (; (rc = next_packet(c, &packet, err)) > 0; ++*packets) {
        if (packet.status != FRAME_CONTINUE || !packet.length)
            return 0;
        data(arg, packet.payload, packet.length);
    }
    return rc < 0 ? -1 : 1;
}

int client_stream_receive(struct client *c, int milliseconds, client_stream_data *data, void *arg,
                          struct error *err)
{
    int packets = 0;
    uint64_t until = milliseconds < 0 ? 0 : now_ms() + (uint64_t) milliseconds;
    if (c->fd < 0)
        return lose(c, err, "it was closed before");
    int rc = hand_over(c, data, arg, &packets, err);
    if (rc <= 0 || packets)
        return rc;
    rc = wait_for(c, POLLIN, until, err);
    if (rc <= 0)
        return rc < 0 ? -1 : 1;
    return receive_some(c, err) < 0 ? -1 : hand_over(c, data, arg, &packets, err);
}

int client_stream_finish(struct client *c, struct error *err)
{
    struct frame packet;
    uint64_t until = now_ms() + FINISH_MS;
    if (send_packet(c, FRAME_OK, NULL, 0, until, err) < 0)
        return -1;
    while (true) {
        int rc = next_packet(c, &packet, err);
        if (rc < 0 || (rc > 0 && packet.status == FRAME_OK))
            return rc < 0 ? -1 : 0;
        if (rc > 0)
            continue;
        rc = wait_for(c, POLLIN, until, err);
        if (rc <= 0)
            return rc < 0 ? -1 : lose(c, err, "it does not confirm the end of a stream");
        if (receive_some(c, err) < 0)
            return -1;
    }
}

/* Life */

/* Only servers that let in whoever may open the socket are for us. */
static int authenticate(struct client *c, struct error *err)
{
    reply_scope(auth_list, ways);
    if (client_auth_list(c, NULL, &ways, err) < 0)
        return -1;
    for (u_int i = 0; i < ways.types.types_len; i++)
        if (ways.types.types_val[i] == 0)
            return 0;
    return fail(err, ERR_NO_SUPPORT, "the daemon at %s wants authentication", c->where);
}

struct client *client_open(const char *where, unsigned flags, struct error *err)
{
    owned(client) struct client *c = NEW(struct client);
    owned_memory char *name = NULL;
    c->fd = -1;
    if (address_resolve(where, flags & CLIENT_READ_ONLY, &c->where, &name, err) < 0 ||
        (c->fd = unix_connect(c->where, err)) < 0)
        return NULL;
    remote_connect_open_args args = { .name = name ? &name : NULL, .flags = flags & CLIENT_READ_ONLY };
    client_set_keepalive(c, PING_MS, PING_COUNT);
    c->deadline = OPEN_MS;
    if (authenticate(c, err) < 0 || client_connect_open(c, &args, NULL, err) < 0) {
        if (err->code == ERR_TIMEOUT)
            fail_in(err, "cannot open '%s'", c->where);
        return NULL;
    }
    c->deadline = 0;
    return take(c);
}

void client_free(struct client *c)
{
    if (!c)
        return;
    if (c->fd >= 0) {
        error_scope(err);
        send_call(c, procedure_find(PROGRAM_REMOTE, 2), NULL, now_ms(), &err);
    }
    if (c->fd >= 0)
        close(c->fd);
    frame_reader_done(&c->reader);
    free(c->where);
    free(c);
}

bool client_is_connected(const struct client *c)
{
    char byte;
    return c->fd >= 0 && recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
}

const char *client_where(const struct client *c)
{
    return c->where;
}

void client_set_deadline(struct client *c, unsigned milliseconds)
{
    c->deadline = milliseconds;
}

void client_set_keepalive(struct client *c, unsigned milliseconds, unsigned count)
{
    c->ping_ms = milliseconds;
    c->ping_count = count;
    heard(c);
}

int client_error_number(const struct client *c)
{
    return c->number;
}

void client_on_events(struct client *c, const struct client_events *events, void *arg)
{
    c->events = events;
    c->events_arg = arg;
}

int client_fd(const struct client *c)
{
    return c->fd;
}
