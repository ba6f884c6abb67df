/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h - connected sockets and listening ones, with descriptor passing; terminals.
 *
 * A stream owns its descriptor.  Input is handed on as it arrives; every read is a recvmsg() with room
 * for descriptors, which queue up in order (at most STREAM_FDS_MAX; more are closed).  Output is queued,
 * gathered until the end of the loop's turn, and written as the peer takes it; its bound is the
 * caller's, by stream_pending().  Built on readiness (uv_poll) and recvmsg/sendmsg, since uv's own
 * streams lose descriptors.  A terminal (a guest's pty) is read and written as a socket is, without
 * descriptors; whoever holds the other end is its peer.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/own.h"

enum { STREAM_FDS_MAX = 32 };

struct stream;

struct stream_handler {
    /* Bytes arrived.  The handler may pause, write or free the stream. */
    void (*input)(void *arg, const char *bytes, size_t length);
    /* The peer is gone (reason NULL: it closed; else what failed), and all that it said was handed on.
     * Called at most once, never from within a call into the stream; nothing is called afterwards.  The
     * handler usually frees the stream. */
    void (*closed)(void *arg, const char *reason);
    /* All output was written.  May be NULL. */
    void (*drained)(void *arg);
};

/* Takes fd, and makes it non-blocking. */
struct stream *stream_new(int fd, const struct stream_handler *handler, void *arg);
void stream_free(struct stream *s);                             /* unsent output is lost; never waits */
DEFINE_OWNED(stream)
void stream_write(struct stream *s, const void *bytes, size_t length);     /* copies */
/* A descriptor (taken, closed once sent) that travels with a byte of its own, after all written before:
 * libvirt wants a 0, and QEMU's monitor what JSON skips. */
void stream_write_fd(struct stream *s, int fd, char carrier);
size_t stream_pending(const struct stream *s);                  /* bytes of output that the kernel has not */
/* No input until stream_resume(); nor is the end of the peer noticed, unless there is output for it. */
void stream_pause(struct stream *s);
void stream_resume(struct stream *s);
int stream_take_fd(struct stream *s);                           /* the oldest received descriptor, or -1 */
/* SO_PEERCRED */
int stream_peer(const struct stream *s, uid_t *ret_user, gid_t *ret_group, pid_t *ret_pid);

/* All sockets are close-on-exec and non-blocking.  A path longer than sockaddr_un takes is an error that says
 * so.  Both return a descriptor.  unix_listen() replaces a socket file that nobody serves any more. */
int unix_listen(const char *path, mode_t mode, int backlog, struct error *err);
int unix_connect(const char *path, struct error *err);  /* err->number: ENOENT, ECONNREFUSED, EAGAIN (busy) */

/* Accepts what comes, on a socket that listens already.  When we are out of descriptors it
 * tries again 10 times a second. */
struct listener;
struct listener *listener_new(int fd, void (*accepted)(void *arg, int fd), void *arg);  /* takes fd */
void listener_pause(struct listener *l);
void listener_resume(struct listener *l);
void listener_free(struct listener *l);
DEFINE_OWNED(listener)
