/* SPDX-License-Identifier: Apache-2.0 */
/* chardev_private.h - what chardev.c (who talks) and chardev_open.c (back ends) share. */
#pragma once
#include "simvmm/chardev.h"

struct chardev {
    struct vm *vm;
    const char *id, *backend;
    const char *path, *host, *port; /* of a socket or file */
    const char *pty;
    bool server, used;
    bool leaving;      /* hung up on as soon as it has read all */
    int listening, fd; /* -1: none */
    int out;           /* where a pair of pipes is written to; -1: none */
    int slave;         /* a pty's other end, held lest it hang up; -1: none */
    struct listener *listener;
    struct stream *stream;
    struct monitor *monitor;
    const struct chardev_front *front;
    void *front_arg;
    struct qom_node *node;
    struct buffer ring; /* a ringbuf's bytes: the newest ring_size */
    size_t ring_size;
    int log;               /* -1: none */
    unsigned reconnect_ms; /* a client's socket is connected again after so long; 0: never */
    struct timer *reconnect;
};

/* Opens what the back end named by `given` needs; NULL and an error. The rest is the caller's. */
struct chardev *chardev_open(struct vm *vm, const char *id, const struct json *given, struct error *err);
int chardev_connect(struct chardev *c, struct error *err); /* a client's socket, again */
