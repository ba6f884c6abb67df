/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "base/log.h"
#include "base/memory.h"
#include "loop/loop.h"
#include "loop/private.h"
#include "loop/stream.h"

enum { ACCEPTS_A_TURN = 64, RETRY_MS = 100 };

struct listener {
    uv_poll_t poll;
    int fd;
    void (*accepted)(void *arg, int fd);
    void *arg;
    struct timer *retry;                /* while we are out of descriptors */
    bool paused, freed;
};

static void on_connection(uv_poll_t *poll, int status, int events);

static void listener_arm(struct listener *l)
{
    if (l->paused || l->retry)
        uv_poll_stop(&l->poll);
    else
        uv_poll_start(&l->poll, UV_READABLE, on_connection);
}

static void on_retry(void *arg)
{
    struct listener *l = arg;
    timer_free(l->retry);
    l->retry = NULL;
    listener_arm(l);
}

static bool is_shortage(int number)
{
    return number == EMFILE || number == ENFILE || number == ENOBUFS || number == ENOMEM;
}

static void on_connection(uv_poll_t *poll, int status, int events)
{
    struct listener *l = poll->data;
    for (int i = 0; i < ACCEPTS_A_TURN && !l->paused && !l->freed; i++) {
        int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0) {
            l->accepted(l->arg, fd);
        } else if (is_shortage(errno)) {
            log_debug("cannot accept a connection now: %m");
            l->retry = timer_start(RETRY_MS, 0, on_retry, l);
            listener_arm(l);
            return;
        } else if (errno != ECONNABORTED && errno != EINTR) {
            return;
        }
    }
}

struct listener *listener_new(int fd, void (*accepted)(void *arg, int fd), void *arg)
{
    struct listener *l = NEW(struct listener);
    l->fd = fd;
    l->accepted = accepted;
    l->arg = arg;
    l->poll.data = l;
    if (uv_poll_init(loop_uv(), &l->poll, fd) < 0)      /* makes it non-blocking, too */
        abort();
    listener_arm(l);
    return l;
}

void listener_pause(struct listener *l)
{
    l->paused = true;
    listener_arm(l);
}

void listener_resume(struct listener *l)
{
    l->paused = false;
    listener_arm(l);
}

static void free_listener(uv_handle_t *handle)
{
    free(handle->data);
}

void listener_free(struct listener *l)
{
    if (!l)
        return;
    l->freed = true;
    timer_free(l->retry);
    uv_close((uv_handle_t *) &l->poll, free_listener);
    close(l->fd);
}
