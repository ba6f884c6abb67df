/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <uv.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/vector.h"
#include "loop/private.h"

enum {
    INPUT_SIZE = 256 * 1024,
    READS_A_TURN = 4,                   /* then the others have their turn */
    LAST_READS = 64,                    /* of a peer that takes nothing any more */
    KERNEL_FDS_MAX = 253,               /* in one message: SCM_MAX_FD */
};

struct outgoing_fd { int fd; uint64_t at; };    /* goes with the byte at this position of all output ever */

struct stream {
    uv_poll_t poll;
    int fd, polled;                     /* what poll waits for */
    const struct stream_handler *handler;
    void *arg;
    bool is_socket;
    bool paused, ended, freed;
    bool dirty;                         /* in the list of those with fresh output */
    struct stream *next_dirty;
    struct buffer out;
    size_t sent;                        /* of out: the bytes the kernel took */
    uint64_t sent_ever;
    VECTOR(struct outgoing_fd) fds_out;
    int fds_in[STREAM_FDS_MAX], fds_in_count;
};

static struct stream *dirty;
static bool flushing;
static char input[INPUT_SIZE];          /* of whichever stream is being read */

static void on_ready(uv_poll_t *poll, int status, int events);

/* Makes the poll wait for what we want now. */
static void stream_arm(struct stream *s)
{
    if (s->freed)
        return;
    int wanted = (s->paused ? 0 : UV_READABLE) | (stream_pending(s) && !s->dirty ? UV_WRITABLE : 0);
    if (s->ended)
        wanted = 0;
    if (wanted == s->polled)
        return;
    s->polled = wanted;
    if (wanted)
        uv_poll_start(&s->poll, wanted, on_ready);
    else
        uv_poll_stop(&s->poll);
}

static void stream_drop_output(struct stream *s)
{
    for (size_t i = 0; i < s->fds_out.count; i++)
        close(s->fds_out.items[i].fd);
    s->fds_out.count = 0;
    buffer_done(&s->out);
    s->out = (struct buffer) { 0 };
    s->sent = 0;
}

/* Tells the handler, once, that it is over. */
static void stream_end(struct stream *s, const char *reason)
{
    if (s->ended || s->freed)
        return;
    s->ended = true;
    stream_drop_output(s);
    stream_arm(s);
    s->handler->closed(s->arg, reason);
}

/* Input */

static void keep_fds(struct stream *s, const struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR((struct msghdr *) message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (s->fds_in_count < STREAM_FDS_MAX)
                s->fds_in[s->fds_in_count++] = fd;
            else
                close(fd);
        }
    }
}

enum outcome { READ_MORE, READ_ENOUGH, READ_OVER };

/* The far end of a terminal is gone. */
static bool is_hang_up(const struct stream *s, int number)
{
    return number == ECONNRESET || (number == EIO && !s->is_socket);
}

static ssize_t receive(const struct stream *s, struct msghdr *message)
{
    if (s->is_socket)
        return recvmsg(s->fd, message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    message->msg_controllen = 0;
    return read(s->fd, message->msg_iov->iov_base, message->msg_iov->iov_len);
}

static enum outcome read_once(struct stream *s)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(KERNEL_FDS_MAX * sizeof(int))];
    struct iovec space = { input, sizeof input };
    struct msghdr message = { .msg_iov = &space, .msg_iovlen = 1,
                              .msg_control = control, .msg_controllen = sizeof control };
    ssize_t got = receive(s, &message);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return READ_ENOUGH;
    if (got <= 0) {
        stream_end(s, got == 0 || is_hang_up(s, errno) ? NULL : strerror(errno));
        return READ_OVER;
    }
    keep_fds(s, &message);
    if (message.msg_flags & MSG_CTRUNC) {
        stream_end(s, "descriptors were lost, since this process has too many open");
        return READ_OVER;
    }
    s->handler->input(s->arg, input, (size_t) got);
    return (size_t) got == sizeof input || message.msg_controllen ? READ_MORE : READ_ENOUGH;
}

static void stream_read(struct stream *s, int reads)
{
    while (reads-- > 0 && !s->paused && !s->freed && !s->ended && read_once(s) == READ_MORE)
        ;
}

/* Output */

/* A message ends before the next byte that carries a descriptor, or is that byte. */
static ssize_t send_some(struct stream *s)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
    struct iovec bytes = { s->out.data + s->sent, stream_pending(s) };
    struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
    if (!s->is_socket)
        return write(s->fd, bytes.iov_base, bytes.iov_len);
    uint64_t before_fd = s->fds_out.count ? s->fds_out.items[0].at - s->sent_ever : UINT64_MAX;
    if (before_fd == 0) {
        bytes.iov_len = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &s->fds_out.items[0].fd, sizeof(int));
    } else if (before_fd < bytes.iov_len) {
        bytes.iov_len = before_fd;
    }
    return sendmsg(s->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void forget_sent(struct stream *s, size_t count)
{
    if (s->fds_out.count && s->fds_out.items[0].at == s->sent_ever) {
        close(s->fds_out.items[0].fd);
        vector_remove(&s->fds_out, 0);
    }
    s->sent += count;
    s->sent_ever += count;
    if (s->sent == s->out.length) {
        stream_drop_output(s);
    } else if (s->sent > s->out.length / 2) {   /* so that each byte is moved at most once on average */
        buffer_drop(&s->out, s->sent);
        s->sent = 0;
    }
}

/* What a peer said before it stopped taking our output still counts. */
static void stream_fail_output(struct stream *s, int number)
{
    stream_drop_output(s);
    stream_read(s, LAST_READS);
    stream_end(s, number == EPIPE || is_hang_up(s, number) ? NULL : strerror(number));
}

static void stream_send(struct stream *s)
{
    if (!stream_pending(s) || s->ended || s->freed)
        return;
    while (stream_pending(s)) {
        ssize_t sent = send_some(s);
        if (sent < 0 && errno == EAGAIN)
            return;
        if (sent < 0 && errno != EINTR)
            return stream_fail_output(s, errno);
        if (sent > 0)
            forget_sent(s, (size_t) sent);
    }
    if (s->handler->drained)
        s->handler->drained(s->arg);
}

/* What is written meanwhile waits for the poll, lest a handler that always has more keeps us here. */
void streams_flush(void)
{
    flushing = true;
    while (dirty) {
        struct stream *s = dirty;
        dirty = s->next_dirty;
        s->dirty = false;
        stream_send(s);
        stream_arm(s);
    }
    flushing = false;
}

static void stream_mark_dirty(struct stream *s)
{
    if (s->dirty || s->freed)
        return;
    s->dirty = true;
    s->next_dirty = dirty;
    dirty = s;
}

void stream_write(struct stream *s, const void *bytes, size_t length)
{
    if (s->ended || length == 0)
        return;
    bool first = !stream_pending(s);
    buffer_add(&s->out, bytes, length);
    if (first && flushing)
        stream_arm(s);
    else if (first)
        stream_mark_dirty(s);
}

void stream_write_fd(struct stream *s, int fd, char carrier)
{
    if (s->ended) {
        close(fd);
        return;
    }
    struct outgoing_fd item = { fd, s->sent_ever + stream_pending(s) };
    vector_push(&s->fds_out, item);
    stream_write(s, &carrier, 1);
}

size_t stream_pending(const struct stream *s)
{
    return s->out.length - s->sent;
}

/* Life */

/* On an error libuv has stopped the poll; reading and writing will meet the error themselves. */
static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct stream *s = poll->data;
    if (status < 0) {
        s->polled = 0;
        events = UV_READABLE | UV_WRITABLE;
    }
    if (events & UV_WRITABLE)
        stream_send(s);
    if (events & UV_READABLE)
        stream_read(s, READS_A_TURN);
    stream_arm(s);
}

struct stream *stream_new(int fd, const struct stream_handler *handler, void *arg)
{
    struct stream *s = NEW(struct stream);
    struct stat info;
    s->fd = fd;
    s->is_socket = fstat(fd, &info) < 0 || S_ISSOCK(info.st_mode);
    s->handler = handler;
    s->arg = arg;
    s->poll.data = s;
    if (uv_poll_init(loop_uv(), &s->poll, fd) < 0)      /* makes it non-blocking, too */
        abort();
    stream_arm(s);
    return s;
}

static void free_stream(uv_handle_t *handle)
{
    struct stream *s = handle->data;
    vector_done(&s->fds_out);
    free(s);
}

void stream_free(struct stream *s)
{
    if (!s)
        return;
    s->freed = true;
    stream_drop_output(s);
    for (int fd; (fd = stream_take_fd(s)) >= 0; )
        close(fd);
    for (struct stream **at = &dirty; *at; at = &(*at)->next_dirty)
        if (*at == s) {
            *at = s->next_dirty;
            break;
        }
    uv_close((uv_handle_t *) &s->poll, free_stream);
    close(s->fd);
}

void stream_pause(struct stream *s)
{
    s->paused = true;
    stream_arm(s);
}

void stream_resume(struct stream *s)
{
    s->paused = false;
    stream_arm(s);
}

int stream_take_fd(struct stream *s)
{
    if (s->fds_in_count == 0)
        return -1;
    int fd = s->fds_in[0];
    memmove(s->fds_in, s->fds_in + 1, (size_t) --s->fds_in_count * sizeof fd);
    return fd;
}

int stream_peer(const struct stream *s, uid_t *ret_user, gid_t *ret_group, pid_t *ret_pid)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(s->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return -1;
    *ret_user = peer.uid;
    *ret_group = peer.gid;
    *ret_pid = peer.pid;
    return 0;
}
