/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/server.h"

#include <stdlib.h>

#include "base/memory.h"
#include "rpc/peer.h"

enum { RETRY_MS = 20 };                 /* when all fibers were taken */

struct server_listener {
    struct server *server;
    struct listener *listener;
    bool read_only;
    struct server_listener *next;
};

/* Whoever may only read, which is everybody, cannot take the last places from those who may do more. */
static bool has_room(const struct server *s, bool read_only)
{
    unsigned kept = read_only ? s->limits.clients / 10 : 0;
    return !s->stopped && s->peers_count < s->limits.clients - kept;
}

static void arm_listeners(struct server *s)
{
    for (struct server_listener *l = s->listeners; l; l = l->next)
        has_room(s, l->read_only) ? listener_resume(l->listener) : listener_pause(l->listener);
}

void server_add(struct server *s, int fd, bool read_only)
{
    struct peer *peer = peer_new(s, fd, read_only);
    peer->next = s->peers;
    peer->link = &s->peers;
    if (s->peers)
        s->peers->link = &peer->next;
    s->peers = peer;
    s->peers_count++;
    if (!has_room(s, true))
        arm_listeners(s);
    if (s->handler->opened)
        s->handler->opened(s->arg, peer);
}

static void on_accepted(void *arg, int fd)
{
    struct server_listener *l = arg;
    server_add(l->server, fd, l->read_only);
}

void server_unlink(struct peer *peer)
{
    struct server *s = peer->server;
    *peer->link = peer->next;
    if (peer->next)
        peer->next->link = peer->link;
    bool was_full = !has_room(s, true);
    s->peers_count--;
    if (was_full)
        arm_listeners(s);
    if (s->handler->gone)
        s->handler->gone(s->arg, peer);
}

static void on_retry(void *arg)
{
    struct server *s = arg;
    s->starved = false;
    for (struct peer *peer = s->peers; peer && !s->starved; peer = peer->next)
        call_start_waiting(peer);
    if (s->starved)
        return;
    timer_free(s->retry);
    s->retry = NULL;
    for (struct peer *peer = s->peers; peer; peer = peer->next)
        peer_resume(peer);
}

void server_starved(struct server *s)
{
    s->starved = true;
    if (!s->retry)
        s->retry = timer_start(RETRY_MS, RETRY_MS, on_retry, s);
}

void server_forget(struct server *s)
{
    if (--s->references == 0)
        free(s);
}

struct server *server_new(const struct server_handler *handler, void *arg, const struct server_limits *limits)
{
    struct server *s = NEW(struct server);
    s->handler = handler;
    s->arg = arg;
    s->limits = *limits;
    s->references = 1;
    return s;
}

void server_listen(struct server *s, int fd, bool read_only)
{
    struct server_listener *l = NEW(struct server_listener);
    *l = (struct server_listener) { .server = s, .read_only = read_only, .next = s->listeners };
    l->listener = listener_new(fd, on_accepted, l);
    s->listeners = l;
}

void server_stop(struct server *s)
{
    s->stopped = true;
    arm_listeners(s);
    for (struct peer *peer = s->peers; peer; peer = peer->next)
        stream_pause(peer->stream);
}

size_t server_calls(const struct server *s)
{
    return s->calls_count;
}

bool server_owes(const struct server *s)
{
    for (struct peer *peer = s->peers; peer; peer = peer->next)
        if (peer->stream && stream_pending(peer->stream))
            return true;
    return false;
}

size_t server_clients(const struct server *s)
{
    return s->peers_count;
}

void server_free(struct server *s)
{
    if (!s)
        return;
    s->stopped = s->freed = true;
    while (s->peers)
        peer_drop(s->peers);
    timer_free(s->retry);
    s->retry = NULL;
    while (s->listeners) {
        struct server_listener *l = s->listeners;
        s->listeners = l->next;
        listener_free(l->listener);
        free(l);
    }
    server_forget(s);
}

/* Those that are to be dropped count as gone. */
static struct peer *skip_doomed(struct peer *peer)
{
    while (peer && peer->doomed)
        peer = peer->next;
    return peer;
}

struct peer *server_first(const struct server *s)
{
    return skip_doomed(s->peers);
}

struct peer *peer_next(const struct peer *peer)
{
    return skip_doomed(peer->next);
}
