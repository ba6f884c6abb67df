/* SPDX-License-Identifier: Apache-2.0 */
/* peer.h - the inside of a server's client, shared by server.c, peer.c and call.c.
 *
 * peer.c owns the connection: bytes to frames, keepalive, output and its bound, the end.  call.c owns the
 * calls: the queue, the fibers, the replies.  channel.c owns the streams that calls opened; they end with the
 * connection.  A peer is freed when its connection is gone and no call of it runs.
 *
 * Nothing drops a peer at once, since whoever finds a reason may stand in the middle of a list of peers or in
 * a fiber: peer_doom() marks it, and the next turn of the loop drops it.
 */
#pragma once
#include "loop/loop.h"
#include "loop/stream.h"
#include "rpc/frame.h"
#include "rpc/server.h"

struct task;                            /* a call that waits or runs (call.c) */

struct peer {
    struct server *server;              /* outlives its peers */
    struct peer *next, **link;          /* in the server's list, while not gone */
    struct stream *stream;              /* NULL once gone */
    struct frame_reader reader;
    unsigned number;
    bool read_only;
    bool doomed;                        /* to be dropped by `end` */
    bool closing;                       /* once what it is owed is written */
    bool parsing;                       /* frames are being handed out right now */
    struct timer *end;
    void *data;
    struct peer_credentials credentials;

    struct task *waiting, **waiting_last;
    unsigned waiting_count, running_count;
    size_t waiting_bytes;
    size_t held;  /* bytes that came and are not running yet, as counted in server->held */

    struct channel *channels;
    unsigned channels_count;
    unsigned channels_held;             /* those whose owner takes no more: nothing is read meanwhile */
    struct timer *later;                /* goes on reading */

    struct timer *ping;
    unsigned pings;                     /* unanswered ones */
    uint64_t heard;                     /* when the last frame arrived */
};

struct server {
    const struct server_handler *handler;
    void *arg;
    struct server_limits limits;
    struct peer *peers;
    size_t peers_count, calls_count;
    size_t held;                        /* by all peers */
    size_t references;                  /* one a peer, also those that are gone, and one of the owner */
    unsigned last_number;
    bool stopped;
    bool freed;                         /* waits for its last peers */
    bool starved;                       /* a call found no fiber */
    struct timer *retry;
    struct server_listener *listeners;
};

/* peer.c */
struct peer *peer_new(struct server *s, int fd, bool read_only);
void peer_doom(struct peer *peer, const char *why);
void peer_drop(struct peer *peer);      /* at once: only from the loop */
void peer_unreference(struct peer *peer);   /* frees it if it is gone and idle */
/* Goes on with frames that were left because too many calls waited. */
void peer_resume(struct peer *peer);
/* The same from the next turn of the loop, for whoever does not know where it stands. */
void peer_resume_later(struct peer *peer);
/* Sends bytes that are whole frames. */
void peer_write(struct peer *peer, const struct buffer *frames);
/* After a reply: drops the peer if that was the last thing it was owed. */
void peer_replied(struct peer *peer);

/* call.c */
void call_receive(struct peer *peer, const struct frame *frame);
void call_start_waiting(struct peer *peer);
bool call_has_room(const struct peer *peer);
void call_discard_waiting(struct peer *peer);
/* Sends the error as a frame like this one. */
void call_send_error(struct peer *peer, const struct frame *like, const struct error *failure);

/* channel.c */
void channel_receive(struct peer *peer, const struct frame *frame);
void channels_drained(struct peer *peer);
void channels_drop(struct peer *peer);
void channel_revoke(struct peer *peer, const struct frame *call);       /* the call failed after all */

/* server.c */
void server_unlink(struct peer *peer);
void server_starved(struct server *s);  /* there are no fibers: tries again later */
void server_forget(struct server *s);   /* a peer is freed */
