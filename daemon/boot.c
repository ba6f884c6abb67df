/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/boot.h"

#include "base/log.h"
#include "base/memory.h"
#include "daemon/daemon.h"
#include "daemon/parallel.h"
#include "daemon/session.h"
#include "daemon/sockets.h"
#include "daemon/systemd.h"
#include "domain/definitions.h"
#include "domain/status.h"
#include "loop/loop.h"
#include "qemu/foundling.h"
#include "qemu/operations.h"
#include "rpc/server.h"

enum { REATTACH_AT_ONCE = 64, AUTOSTART_AT_ONCE = 4, CLIENTS_WAIT_MS = 1000 };

static WAITS void reattach(struct domain *dom, void *arg)
{
    struct daemon *daemon = arg;
    error_scope(err);
    owned_memory char *label = domain_label(dom);
    bool autodestroy = dom->record->autodestroy;
    if (daemon->stopping || job_begin(dom, "reattach", NULL, 0, &err) < 0)
        return;
    owned(job) struct job *job UNUSED = &dom->job;
    if (domain_reattach(dom, &err) < 0)
        log_error("%s was not found again: %s", label, error_text(&err));
    else
        log_info("%s was found again: %s", label, domain_state_word(dom->state));
    if (autodestroy && domain_is_active(dom)) {
        dom->autodestroy = daemon;
        session_destroy_left_behind(dom, "a client of an earlier domusd");
    }
}

static WAITS void adopt(struct domain *dom, void *arg)
{
    const struct daemon *daemon = arg;
    error_scope(err);
    owned_memory char *label = domain_label(dom);
    if (daemon->stopping || job_begin(dom, "reattach", NULL, 0, &err) < 0)
        return;
    owned(job) struct job *job UNUSED = &dom->job;
    if (foundling_adopt(dom, &err) < 0)
        log_error("%s is left alone: %s", label, error_text(&err));
    else
        log_info("%s was found without its status file: %s", label, domain_state_word(dom->state));
}

static WAITS void autostart(struct domain *dom, void *arg)
{
    const struct daemon *daemon = arg;
    error_scope(err);
    owned_memory char *label = domain_label(dom);
    if (daemon->stopping)
        return;
    if (job_begin(dom, "autostart", NULL, 0, &err) == 0) {
        owned(job) struct job *job UNUSED = &dom->job;
        if (domain_is_active(dom) || domain_start(dom, 0, &err) == 0)
            log_info("%s was started by itself", label);
    }
    if (err.code)
        log_error("%s was not started by itself: %s", label, error_text(&err));
}

static bool is_found(const struct domain *dom)
{
    return dom->record && !dom->unmanaged;
}

static bool wants_autostart(const struct domain *dom)
{
    return dom->autostart && !domain_is_active(dom);
}

static WAITS void each_that(struct daemon *daemon, bool (*which)(const struct domain *dom), unsigned at_once,
                            uint64_t deadline, void (*fn)(struct domain *dom, void *arg))
{
    size_t count, chosen = 0;
    owned_memory struct domain **list = registry_list(daemon->registry, &count);
    for (size_t i = 0; i < count; i++) {
        if (which(list[i]))
            list[chosen++] = list[i];
    }
    parallel_each(list, chosen, at_once, deadline, fn, daemon);
}

static void serve(struct daemon *daemon)
{
    for (size_t i = 0; i < daemon->sockets->count; i++) {
        struct client_socket *item = &daemon->sockets->items[i];
        server_listen(daemon->server, own_take_fd(&item->fd), item->read_only);
        log_info("clients are served at %s%s", item->path, item->read_only ? " (read-only)" : "");
    }
    systemd_notify("READY=1");
}

void boot(void *arg)
{
    struct daemon *daemon = arg;
    error_scope(err);
    bool due = false;

    const uint64_t deadline = loop_now() + CLIENTS_WAIT_MS;
    foundlings_find(daemon->registry);

    /* A guest that does not answer keeps nobody waiting: until it does, what its status file says of it
     * holds, and who wants to change it waits for its job. */
    each_that(daemon, is_found, REATTACH_AT_ONCE, deadline, reattach);
    each_that(daemon, foundling_is, REATTACH_AT_ONCE, deadline, adopt);
    if (daemon->stopping)
        return;
    serve(daemon);
    if (autostart_is_due(registry_places(daemon->registry), &due, &err) < 0)
        log_error("nothing is started by itself: %s", error_text(&err));
    if (due)
        each_that(daemon, wants_autostart, AUTOSTART_AT_ONCE, 0, autostart);
}
