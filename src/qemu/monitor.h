/* SPDX-License-Identifier: Apache-2.0 */
/* monitor.h - a client of QMP, the protocol of a running emulator.
 *
 * Many commands may be under way at once; replies are matched by id, and events come whenever they like.
 * Each command has a deadline.  A VMM that misses one, closes, or says what is not QMP ends in one state:
 * the monitor is broken, for good.  Then every command under way fails, with an error that names the
 * subject and the command, and after that the handler's broken() is called, once.  Nothing here ever
 * blocks, and no other monitor notices.
 *
 * `subject` is who the errors speak of: "domain 'vm1'".  Callers need not put it in front again.
 *
 * To send several commands and wait only then, so that they cost one round trip:
 *
 *     owned_call struct monitor_call status = { 0 }, balloon = { 0 };
 *     monitor_call_start(m, &status, "query-status", NULL);
 *     monitor_call_start(m, &balloon, "query-balloon", NULL);
 *     if (monitor_call_wait(&status, err) < 0 || monitor_call_wait(&balloon, err) < 0)
 *         return -1;
 *     ... json_get_text(status.reply.value, "status") ...
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/own.h"
#include "json/json.h"
#include "loop/fiber.h"

enum {
    MONITOR_UNDER_WAY_MAX = 256,        /* commands; one more is refused */
    MONITOR_OUTPUT_MAX = 16 * 1024 * 1024,      /* bytes that the VMM has not read yet; more are refused */
    MONITOR_VALUE_MAX = 64 * 1024 * 1024,       /* bytes of one reply or event */
    MONITOR_DEPTH_MAX = 1024,
    MONITOR_TIMEOUT_MS = 30 * 1000,     /* of a command, until monitor_set_timeout() */
};

struct monitor;
struct recorder;

enum monitor_end {
    MONITOR_CLOSED,                     /* by the peer: how the end of every guest looks from here */
    MONITOR_SILENT,                     /* a deadline was missed */
    MONITOR_NONSENSE,                   /* not JSON, not QMP, too large, or an answer to what nobody asked */
};

struct monitor_handler {
    /* `event` is the whole object; `arena` owns it, and is now the handler's.  May call monitor_free(). */
    void (*event)(void *arg, const char *name, const struct json *event, struct arena *arena);
    /* On the loop, never from within a call into the monitor.  May call monitor_free().  May be NULL. */
    void (*broken)(void *arg, enum monitor_end end, const char *reason);
};

/* Takes fd, a connected socket, and begins the negotiation; commands may follow before it is answered. */
struct monitor *monitor_open(int fd, const char *subject, const struct monitor_handler *handler, void *arg);
/* The same with QMP's out-of-band commands enabled, which we send none of: but then the VMM reads up to eight
 * commands ahead while it runs one.  For QEMU since 4.0; one that cannot breaks the monitor. */
struct monitor *monitor_open_ahead(int fd, const char *subject, const struct monitor_handler *handler,
                                   void *arg);
bool monitor_reads_ahead(const struct monitor *m);
/* The same for a VMM that an earlier daemon talked to: QEMU sends the answers to that one's last
 * commands to us.  They are dropped, and our own ids begin where that one's cannot have been. */
struct monitor *monitor_open_again(int fd, const char *subject, const struct monitor_handler *handler,
                                   void *arg);
/* Takes the recorder, which writes down what is said and heard from now on, and what is under way. */
void monitor_record(struct monitor *m, struct recorder *recorder);
/* From now on events and the end are told to this one. */
void monitor_set_handler(struct monitor *m, const struct monitor_handler *handler, void *arg);
/* Never waits.  Commands under way fail with ERR_ABORTED; broken() is not called.  Every callback may. */
void monitor_free(struct monitor *m);
DEFINE_OWNED(monitor)
void monitor_set_timeout(struct monitor *m, unsigned ms);       /* of commands to come; not 0 */
bool monitor_is_broken(const struct monitor *m);

struct monitor_version {
    unsigned major, minor, micro;
    char package[128];                  /* "" if it names none; cut if it is longer */
};

/* Waits for the greeting and the end of the negotiation, until `deadline` (0: the command's own). */
WAITS int monitor_handshake(struct monitor *m, uint64_t deadline, struct error *err);
const struct monitor_version *monitor_version(const struct monitor *m);        /* NULL before the greeting */

/* What came of a command. */
enum monitor_refusal {
    MONITOR_NOT_REFUSED,                /* answered, or lost */
    MONITOR_GENERIC_ERROR,              /* and every class that has no name of its own here */
    MONITOR_COMMAND_NOT_FOUND,
    MONITOR_DEVICE_NOT_FOUND,
    MONITOR_DEVICE_NOT_ACTIVE,
    MONITOR_KVM_MISSING_CAP,
};

struct monitor_reply {
    const struct json *value;           /* what "return" held; NULL if there is no answer */
    const struct json *whole;           /* the reply as it came, id and all; NULL if there is none */
    struct arena *arena;                /* owns both */
    enum monitor_refusal refusal;
    size_t request_bytes, reply_bytes;  /* on the wire */
};
void monitor_reply_done(struct monitor_reply *reply);

/* A command under way, wherever the caller keeps it; zeroed to begin with.  It may be done with at any time:
 * then the answer is dropped when it comes. */
struct monitor_call {
    struct monitor_reply reply;         /* valid after monitor_call_wait() */
    struct error error;                 /* why it failed; code ERR_NONE if it did not */
    struct wait wait;                   /* private, both */
    struct monitor_request *request;
};

/* `arguments` is the text of a JSON object, or NULL.  No needless white space: each byte costs QEMU 9 us. */
void monitor_call_start(struct monitor *m, struct monitor_call *call, const char *command,
                        const char *arguments);
/* The descriptor travels ahead of the next command, which is to be "getfd" or "add-fd".  Takes fd. */
void monitor_pass_fd(struct monitor *m, int fd);
/* The same for an answer that may be too large to hold: what "return" holds is told to the listener as it
 * comes, and reply.value is null.  After monitor_call_done() the listener hears no more. */
void monitor_call_start_told(struct monitor *m, struct monitor_call *call, const char *command,
                             const char *arguments, const struct json_listener *listener);
/* 0 with call->reply.  -1: refused (ERR_VMM, and reply.refusal says how), lost (ERR_VMM, ERR_TIMEOUT), or the
 * fiber was cancelled (ERR_ABORTED). */
WAITS int monitor_call_wait(struct monitor_call *call, struct error *err);
/* The same for one who has no more time than that; the VMM itself still has its own. */
WAITS int monitor_call_wait_until(struct monitor_call *call, uint64_t deadline, struct error *err);
void monitor_call_done(struct monitor_call *call);
#define owned_call __attribute__((cleanup(monitor_call_done)))

/* Start, wait, done; `ret_reply` may be NULL.  After a refusal only ret_reply->refusal is set. */
WAITS int monitor_call(struct monitor *m, const char *command, const char *arguments,
                       struct monitor_reply *ret_reply, struct error *err);

/* The same with a callback, from the loop or from within monitor_free(): `failure` is NULL or says why there
 * is no value.  What the callback wants to keep of the reply it moves out, leaving zeroes.  -1: it could not
 * be sent, and `done` will not be called.  `done` may be NULL. */
int monitor_send(struct monitor *m, const char *command, const char *arguments,
                 void (*done)(void *arg, struct monitor_reply *reply, struct error *failure), void *arg,
                 struct error *err);

/* A whole command as a person wrote it, with an id of his own or none.  `out` gets the reply, an error object
 * too, in QEMU's way of writing and with that id. */
WAITS int monitor_raw(struct monitor *m, const char *text, struct buffer *out, struct error *err);

struct monitor_totals {
    uint64_t calls, replies, refusals, events;
    uint64_t request_bytes, reply_bytes, event_bytes;   /* the greeting counts as a reply's bytes */
};
struct monitor_totals monitor_totals(const struct monitor *m);
