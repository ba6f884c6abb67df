/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/stop.h"

#include "base/log.h"
#include "base/memory.h"
#include "daemon/daemon.h"
#include "daemon/domain_console.h"
#include "daemon/systemd.h"
#include "loop/loop.h"
#include "qemu/operations.h"
#include "rpc/server.h"

enum { PATIENCE_MS = 5000, PATIENCE_AFTER_CANCEL_MS = 2000, PATIENCE_WITH_READERS_MS = 500 };
enum { LOOK_EVERY_MS = 10 };

static size_t count_jobs(const struct registry *registry)
{
    size_t count, running = 0;
    owned_memory struct domain **list = registry_list(registry, &count);
    for (size_t i = 0; i < count; i++)
        running += list[i]->job.what != NULL;
    return running;
}

static void cancel_jobs(const struct registry *registry)
{
    size_t count;
    owned_memory struct domain **list = registry_list(registry, &count);
    for (size_t i = 0; i < count; i++) {
        if (list[i]->job.what && list[i]->job.fiber)
            fiber_cancel(list[i]->job.fiber, "domusd stops");
    }
}

static bool is_quiet(const struct daemon *daemon)
{
    return server_calls(daemon->server) == 0 && count_jobs(daemon->registry) == 0;
}

static WAITS bool wait_for_quiet(const struct daemon *daemon, unsigned ms)
{
    uint64_t deadline = loop_now() + ms;
    error_scope(never);
    while (!is_quiet(daemon) && loop_now() < deadline)
        await_sleep(LOOK_EVERY_MS, &never);
    return is_quiet(daemon);
}

/* The last replies, for clients that read them. */
static WAITS void wait_for_readers(const struct daemon *daemon)
{
    uint64_t deadline = loop_now() + PATIENCE_WITH_READERS_MS;
    error_scope(never);
    while (server_owes(daemon->server) && loop_now() < deadline)
        await_sleep(LOOK_EVERY_MS, &never);
}

/* Trees that are being pulled, plans on their way to the disk: they end once nobody answers them. */
static WAITS void wait_for_background(void)
{
    uint64_t deadline = loop_now() + PATIENCE_AFTER_CANCEL_MS;
    error_scope(never);
    while (fiber_count() > 1 && loop_now() < deadline)          /* we are one ourselves */
        await_sleep(LOOK_EVERY_MS, &never);
}

static WAITS void wind_down(void *arg)
{
    struct daemon *daemon = arg;
    if (!wait_for_quiet(daemon, PATIENCE_MS)) {
        log_warning("calls are still under way; they are cancelled");
        cancel_jobs(daemon->registry);
        wait_for_quiet(daemon, PATIENCE_AFTER_CANCEL_MS);
    }
    domain_consoles_end(daemon);
    wait_for_readers(daemon);
    server_free(take(daemon->server));
    operations_let_go();
    wait_for_background();
    loop_stop();
}

void stop(void *arg)
{
    struct daemon *daemon = arg;
    if (daemon->stopping) {
        loop_stop();
        return;
    }
    daemon->stopping = true;
    log_info("stopping; guests go on running");
    systemd_notify("STOPPING=1");
    server_stop(daemon->server);
    if (!fiber_start(wind_down, daemon))
        loop_stop();
}
