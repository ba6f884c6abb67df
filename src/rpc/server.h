/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - clients, their calls, and what is sent back.
 *
 * The server accepts clients, reads frames, and starts a fiber for each complete call; the fiber runs the
 * handler's `call`, whose reply or error is then encoded and sent.  What a client gets wrong in the protocol
 * never reaches the handler: unknown programs and procedures, undecodable arguments and calls that are not
 * built are answered here.
 *
 * Every client is bounded: 64 calls run and 64 wait, then its socket is not read until one is done; 16 MiB of
 * output may wait for it, more cuts it off; keepalive is not counted.  A peer outlives its connection while a
 * call of it runs, so that handlers need no care: what they send then goes nowhere.
 *
 * Calls of one peer run side by side and may be answered in any order.  What a handler sends to its own peer
 * comes before its reply; for an event it is just registering for, it must not wait between registering and
 * returning.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/own.h"
#include "loop/fiber.h"
#include "rpc/procedures.h"

enum { CALL_FDS_MAX = 32 };

struct server;
struct peer;                            /* a client, as the server sees it */

struct call {
    struct peer *peer;
    const struct procedure *procedure;
    uint32_t serial;                    /* the client's number for it */
    bool has_channel;                   /* it opened one (channel.h) */
    const void *args;                   /* decoded: a struct of the type in procedures.def */
    int fds[CALL_FDS_MAX];              /* came with the call; whoever keeps one puts -1 there */
    size_t fds_count;
    int reply_fds[CALL_FDS_MAX];        /* go with the reply; closed after that */
    size_t reply_fds_count;
};

struct server_handler {
    /* Runs one call, in a fiber of its own.  `reply` is a zeroed struct of the row's type. */
    WAITS int (*call)(void *arg, struct call *call, void *reply, struct error *err);
    /* A client came, or is gone for good (its calls may go on).  Either may be NULL.  Called on the loop. */
    void (*opened)(void *arg, struct peer *peer);
    void (*gone)(void *arg, struct peer *peer);
};

struct server_limits {
    unsigned clients;  /* more are not accepted until one leaves; a tenth is kept for read-write */
    unsigned running, waiting;          /* calls of one client */
    unsigned channels;                  /* of one client; see channel.h */
    size_t input;                       /* bytes of waiting calls of one client */
    size_t input_total;                 /* bytes of unfinished and waiting calls of all */
    size_t output;                      /* bytes a client has not taken yet */
    unsigned ping_interval;             /* milliseconds of silence before a ping */
    unsigned ping_count;                /* unanswered ones before the client is dropped; 0: never ping */
};

#define SERVER_LIMITS ((struct server_limits) { \
    .clients = 5000, .running = 64, .waiting = 64, .channels = 32, \
    .input = 64 << 20, .input_total = 512 << 20, \
    .output = 16 << 20, .ping_interval = 5000, .ping_count = 5 })

struct server *server_new(const struct server_handler *handler, void *arg,
                          const struct server_limits *limits);
/* Serves clients of a listening socket, which it takes. */
void server_listen(struct server *s, int fd, bool read_only);
/* Serves a client that is connected already; takes fd. */
void server_add(struct server *s, int fd, bool read_only);
/* Accepts and reads nothing more; replies still go out.  For a clean end, wait until server_calls() is 0
 * and, for as long as clients may be waited for, until server_owes() no more. */
void server_stop(struct server *s);
size_t server_calls(const struct server *s);            /* running ones */
bool server_owes(const struct server *s);               /* a client has not yet taken all that it was sent */
size_t server_clients(const struct server *s);
/* Drops every client (with `gone`) and the listeners.  Calls that still run end in the void. */
void server_free(struct server *s);
DEFINE_OWNED(server)

/* for (struct peer *p = server_first(s); p; p = peer_next(p)) - only those that are not gone */
struct peer *server_first(const struct server *s);
struct peer *peer_next(const struct peer *peer);

void *peer_data(const struct peer *peer);               /* the handler's own; NULL at first */
void peer_set_data(struct peer *peer, void *data);
unsigned peer_number(const struct peer *peer);          /* 1, 2, 3...: for the log */
bool peer_is_read_only(const struct peer *peer);        /* by its socket, or since it asked to be */
void peer_set_read_only(struct peer *peer);
bool peer_is_gone(const struct peer *peer);
struct peer_credentials { uid_t user; gid_t group; pid_t pid; };
/* As of its connect(); the user is (uid_t) -1 if that is unknown. */
const struct peer_credentials *peer_credentials(const struct peer *peer);

void peer_start_keepalive(struct peer *peer);           /* from now on it may be pinged */
void peer_close_after_reply(struct peer *peer);         /* no more is read; closed once all output is taken */

/* Sends a message.  peer_send_NAME(peer, &message) is the typed form, one for each EVENT row. */
void peer_send(struct peer *peer, enum program program, int number, const void *message);
#define PROC(number, name, subject, right, job, arguments, reply)
#define EVENT(number, name, message) \
    static inline void peer_send_##name(struct peer *peer, const message *m) \
    { \
        peer_send(peer, PROGRAM_REMOTE, number, m); \
    }
#include "rpc/procedures.def"
