/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/session.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/daemon.h"
#include "qemu/operations.h"
#include "rpc/server.h"

struct session *session_new(struct daemon *daemon, struct peer *peer)
{
    struct session *session = NEW(struct session);
    const struct peer_credentials *who = peer_credentials(peer);
    session->daemon = daemon;
    session->peer = peer;
    session->references = 1;
    if (who->user == (uid_t) -1)
        snprintf(session->caller, sizeof session->caller, "client %u", peer_number(peer));
    else
        snprintf(session->caller, sizeof session->caller, "client %u (uid %u, pid %d)", peer_number(peer),
                 (unsigned) who->user, (int) who->pid);
    return session;
}

struct session *session_ref(struct session *session)
{
    session->references++;
    return session;
}

void session_free(struct session *session)
{
    if (!session || --session->references > 0)
        return;
    event_listener_free(session->listener);
    vector_done(&session->registrations);
    free(session);
}

struct ending { struct domain *dom; char caller[64]; };

static WAITS void destroy_left_behind(void *arg)
{
    struct ending *ending = arg;
    struct domain *dom = ending->dom;
    owned_memory char *label = domain_label(dom);
    error_scope(err);
    if (job_begin(dom, "autodestroy", ending->caller, JOB_FIRST | JOB_CANCEL, &err) == 0) {
        owned(job) struct job *job UNUSED = &dom->job;
        if (!dom->autodestroy || !domain_is_active(dom) || domain_destroy(dom, 0, &err) == 0)
            log_info("%s was destroyed, since it was to live no longer than %s", label, ending->caller);
    }
    if (err.code && err.code != ERR_NO_DOMAIN)
        log_error("%s outlives %s, against its wish: %s", label, ending->caller, error_text(&err));
    domain_unref(dom);
    free(ending);
}

void session_destroy_left_behind(struct domain *dom, const char *caller)
{
    struct ending *ending = NEW(struct ending);
    ending->dom = domain_ref(dom);
    snprintf(ending->caller, sizeof ending->caller, "%s", caller);
    if (fiber_start(destroy_left_behind, ending))
        return;
    log_error("domain '%s' outlives %s, against its wish: too many calls are under way", dom->name, caller);
    domain_unref(dom);
    free(ending);
}

void session_end(struct session *session)
{
    struct daemon *daemon = session->daemon;
    session->gone = true;
    session->opened = false;
    event_listener_free(take(session->listener));
    session->registrations.count = 0;
    if (daemon->stopping)
        return;                         /* guests outlive us; the next daemon ends these */
    size_t count;
    owned_memory struct domain **list = registry_list(daemon->registry, &count);
    for (size_t i = 0; i < count; i++) {
        if (list[i]->autodestroy == session)
            session_destroy_left_behind(list[i], session->caller);
    }
}
