/* SPDX-License-Identifier: Apache-2.0 */
/* client.h - a connection to a daemon, for programs that ask one thing at a time.
 *
 * Calls block until the reply is here, with a deadline; no loop is needed.  Events that arrive meanwhile are
 * handed over from within the call.  An interactive program watches client_fd() and calls client_read() when
 * it is readable.
 *
 *     owned(client) struct client *c = client_open(NULL, 0, &err);
 *     remote_domain_lookup_by_name_args args = { .name = name };
 *     reply_scope(domain_lookup_by_name, found);
 *     if (!c || client_domain_lookup_by_name(c, &args, &found, &err) < 0) ...
 *
 * After a failure that came from the daemon, the error's text is what libvirt's own clients would show, its
 * code is ours, and client_error_number() is libvirt's number.
 */
#pragma once
#include "base/error.h"
#include "base/own.h"
#include "rpc/procedures.h"

struct client;

enum client_flags { CLIENT_READ_ONLY = 1 };

/* Connects, and opens the hypervisor connection.  `where` is a socket's path (it has a slash and no colon) or
 * a URI: qemu:///system, qemu+unix:///system?socket=PATH.  NULL: $DOMUS_URI, else /run/domus/domus-sock
 * (-ro). */
struct client *client_open(const char *where, unsigned flags, struct error *err);
void client_free(struct client *c);                     /* says goodbye first, without waiting */
DEFINE_OWNED(client)

bool client_is_connected(const struct client *c);       /* as far as can be told without asking */
const char *client_where(const struct client *c);       /* the socket's path */
/* How long each call may take from now on; 0, at first: for ever. */
void client_set_deadline(struct client *c, unsigned milliseconds);
/* While we wait for a daemon that sends nothing, it is pinged after each so many milliseconds, 0 for never;
 * with so many pings unanswered it is given up.  At first 5,000 and 5: a call may take as long as it needs,
 * but a daemon that hangs is found out after 30 seconds. */
void client_set_keepalive(struct client *c, unsigned milliseconds, unsigned count);
/* VIR_ERR_* of the last failed call; 0 if it was not the daemon that said no. */
int client_error_number(const struct client *c);

/* A function for each EVENT row that is of interest; client_on_events() keeps the pointer. */
struct client_events {
#define PROC(number, name, subject, right, job, arguments, reply)
#define EVENT(number, name, message) void (*name)(void *arg, const message *m);
#include "rpc/procedures.def"
};
void client_on_events(struct client *c, const struct client_events *events, void *arg);
int client_fd(const struct client *c);
/* Hands over the events that have arrived; waits at most so long for the first one (-1: for ever).  The
 * number of messages handled, or -1 when the connection is lost. */
int client_read(struct client *c, int milliseconds, struct error *err);

/* One call.  The typed forms, client_NAME(), are made below; void arguments and replies may be NULL. */
int client_call(struct client *c, const struct procedure *p, const void *args, void *reply,
                struct error *err);

/* Streams, one at a time.  It is open once a call has succeeded that opens one, such as
 * client_domain_open_console(), and that call was followed by client_stream_begin(). */
void client_stream_begin(struct client *c, const struct procedure *p);
int client_stream_send(struct client *c, const char *bytes, size_t length, struct error *err);
/* Hands over what has arrived; if that is nothing, waits at most so long for something (-1: for ever).  1; 0
 * when there will be no more; -1 when the stream has failed and is no more. */
typedef void client_stream_data(void *arg, const char *bytes, size_t length);
int client_stream_receive(struct client *c, int milliseconds, client_stream_data *data, void *arg,
                          struct error *err);
/* Says that we have sent all, and waits for what became of it.  What still arrives is thrown away. */
int client_stream_finish(struct client *c, struct error *err);

#define CLIENT_STUB_(program, number, proc, arguments, reply) \
    typedef reply proc##_reply; \
    static inline int client_##proc(struct client *c, const arguments *args, reply *ret, struct error *err) \
    { \
        return client_call(c, procedure_find(program, number), args, ret, err); \
    } \
    static inline void proc##_reply_done(reply *ret) \
    { \
        procedure_free_reply(procedure_find(program, number), ret); \
    }
#define PROC(number, name, subject, right, job, arguments, reply) \
    CLIENT_STUB_(PROGRAM_REMOTE, number, name, arguments, reply)
#define QEMU_PROC(number, name, subject, right, job, arguments, reply) \
    CLIENT_STUB_(PROGRAM_QEMU, number, name, arguments, reply)
#define DOMUS_PROC(number, name, subject, right, job, arguments, reply) \
    CLIENT_STUB_(PROGRAM_DOMUS, number, name, arguments, reply)
#include "rpc/procedures.def"

/* Declares an empty reply that is released at the end of the scope. */
#define reply_scope(proc, variable) __attribute__((cleanup(proc##_reply_done))) proc##_reply variable = { 0 }
