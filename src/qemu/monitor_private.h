/* SPDX-License-Identifier: Apache-2.0 */
/* monitor_private.h - the halves of the QMP client: monitor.c speaks, monitor_call.c waits. */
#pragma once
#include "qemu/monitor.h"

/* A fiber in monitor_handshake(); it may find the monitor gone when it wakes. */
struct monitor_handshake {
    struct wait wait;
    struct error error;
};

/* The fiber is woken by the end of the negotiation or of the monitor; NULL: it waits no more. */
void monitor_set_handshake(struct monitor *m, struct monitor_handshake *handshake, uint64_t deadline);
bool monitor_is_negotiated(const struct monitor *m);
int monitor_fail_broken(const struct monitor *m, const char *command, struct error *err);

typedef void monitor_done(void *arg, struct monitor_reply *reply, struct error *failure);

/* `members` is the inside of the command's object, without its id; `command` is its name for messages.
 * NULL: it could not be sent. */
struct monitor_request *monitor_request(struct monitor *m, const char *command, const char *members,
                                        monitor_done *done, void *arg, struct error *err);
void monitor_request_abandon(struct monitor_request *request);  /* nobody is to be told any more */
