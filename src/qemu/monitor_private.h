/* SPDX-License-Identifier: Apache-2.0 */
/* monitor_private.h - the parts of the QMP client: monitor.c lives and speaks, monitor_input.c listens,
 * monitor_call.c waits. */
#pragma once
#include "loop/stream.h"
#include "qemu/monitor.h"
#include "qemu/recorder.h"

/* A fiber in monitor_handshake(); it may find the monitor gone when it wakes. */
struct monitor_handshake {
    struct wait wait;
    struct error error;
};

typedef void monitor_done(void *arg, struct monitor_reply *reply, struct error *failure);

/* Ids go round, as each of their digits costs the VMM time; there are far more of them than commands under
 * way, so that a doubled reply does not meet a new command. */
enum { IDS = 1000 };

struct monitor_request {
    struct monitor_request *next;       /* in the order of sending */
    unsigned id;
    char *command;
    uint64_t sent_at, deadline;
    size_t bytes;
    monitor_done *done;                 /* NULL: abandoned */
    void *arg;
    bool told;                          /* what it returns is not built ... */
    const struct json_listener *listener;       /* ... but told to this one; NULL: abandoned */
};

struct monitor {
    struct stream *stream;              /* NULL, with the parser and the timer, once it is broken */
    struct json_parser *parser;
    struct timer *timer;                /* for the earliest deadline, or for one before it */
    uint64_t timer_at;
    char *subject;
    const struct monitor_handler *handler;
    void *arg;
    struct monitor_request *requests, **requests_end;
    unsigned count, first_id, last_id, timeout_ms;     /* ids are first_id + 0...IDS - 1 */
    struct monitor_request *negotiation;    /* while it is under way */
    struct monitor_request *telling;    /* whose answer is being told: VMMs answer in order */
    struct json_listener ear;           /* hears for that one */
    struct monitor_handshake *handshake;
    bool greeted, negotiated, ahead;
    struct monitor_version version;
    struct monitor_totals totals;
    struct recorder *recorder;          /* NULL: nobody asked */
    char *broken;                       /* why, or NULL */
    bool overdue;                       /* a deadline has passed, and the input is looked at once more */
    bool freed;
    int busy;                           /* calls of ours that will still use the monitor */
};

/* Callbacks may free the monitor, so whoever calls them holds it. */
void monitor_hold(struct monitor *m);
void monitor_let_go(struct monitor *m);

/* The end of a monitor, told once; `late` is the request that missed its deadline, or NULL. */
void monitor_break(struct monitor *m, enum monitor_end end, const struct monitor_request *late,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

struct monitor_request *request_find(const struct monitor *m, uint64_t id);
/* Tells the request's owner, and forgets it. */
void request_end(struct monitor *m, struct monitor_request *request, struct monitor_reply *reply,
                 struct error *failure);

extern const struct stream_handler monitor_stream_handler;
void monitor_on_value(void *arg, struct arena *arena, const struct json *value, size_t bytes);
const struct json_listener *monitor_choose_listener(void *arg, const char *member);
void monitor_hear(void *arg, enum json_event event, const char *text, size_t length);

/* The fiber is woken by the end of the negotiation or of the monitor; NULL: it waits no more. */
void monitor_set_handshake(struct monitor *m, struct monitor_handshake *handshake, uint64_t deadline);
bool monitor_is_negotiated(const struct monitor *m);
int monitor_fail_broken(const struct monitor *m, const char *command, struct error *err);

/* `members` is the inside of the command's object, without its id; `command` is its name for messages.
 * NULL: it could not be sent. */
struct monitor_request *monitor_request(struct monitor *m, const char *command, const char *members,
                                        monitor_done *done, void *arg, struct error *err);
void monitor_request_abandon(struct monitor_request *request);  /* nobody is to be told any more */
