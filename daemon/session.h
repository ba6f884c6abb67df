/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - what the daemon knows of one client: its hypervisor connection and the events it asked for.
 *
 * A call that outlives its client finds the session still there (it is counted), closed and without
 * registrations.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "base/own.h"
#include "base/uuid.h"
#include "base/vector.h"

struct daemon;
struct domain;
struct event_listener;
struct peer;

enum { REGISTRATIONS_MAX = 1024, LEGACY_CALLBACK = -1 };

/* Events of one kind, of one domain or of all. */
struct registration {
    int callback;                       /* LEGACY_CALLBACK: a client without callback ids */
    int event;
    bool of_one_domain;
    struct uuid domain;
};

struct session {
    struct daemon *daemon;
    struct peer *peer;
    bool opened;                        /* CONNECT_OPEN was called */
    bool gone;
    char caller[64];                    /* "client 3 (uid 0, pid 4711)" */
    struct event_listener *listener;    /* NULL until the first registration */
    VECTOR(struct registration) registrations;
    unsigned references;
};

struct session *session_new(struct daemon *daemon, struct peer *peer);
struct session *session_ref(struct session *session);
void session_free(struct session *session);             /* gives one reference back */
DEFINE_OWNED(session)
/* The client is gone: no more events; domains that were to live no longer than it are destroyed. */
void session_end(struct session *session);

/* Starts a fiber that destroys a domain whose client is gone. */
void session_destroy_left_behind(struct domain *dom, const char *caller);
