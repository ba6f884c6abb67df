/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/log.h"
#include "base/memory.h"
#include "config.h"
#include "daemon/boot.h"
#include "daemon/dispatch.h"
#include "daemon/lock.h"
#include "daemon/settings.h"
#include "daemon/sockets.h"
#include "daemon/stop.h"
#include "daemon/systemd.h"
#include "domain/definitions.h"
#include "domain/status.h"
#include "loop/loop.h"
#include "loop/process.h"
#include "qemu/operations.h"
#include "rpc/server.h"

/* The folder may be given as seen from here; nothing later depends on where "here" is. */
static struct places *find_places(const struct options *options, struct error *err)
{
    if (!options->root)
        return places_new(NULL);
    if (folder_make(options->root, 0755, err) < 0)
        return NULL;
    owned_memory char *root = realpath(options->root, NULL);
    if (root)
        return places_new(root);
    fail_errno(err, errno, "cannot find --root %s", options->root);
    return NULL;
}

/* The command line wins over the file. */
static struct settings *read_settings(const struct options *options, const struct places *places,
                                      struct error *err)
{
    owned(settings) struct settings *settings = settings_new();
    if (settings_read(settings, options->config ? options->config : places->config, options->config, err) < 0)
        return NULL;
    if (options->emulator)
        settings_set_text(&settings->emulator, options->emulator);
    return take(settings);
}

static int open_log(const struct daemon *daemon, struct error *err)
{
    const struct settings *settings = daemon->settings;
    log_set_level(daemon->options.verbose ? LOG_LEVEL_DEBUG
                                          : (enum log_level) (settings->log_level - LOG_WORD_ERROR));
    return log_open(*settings->log_file ? settings->log_file : NULL, err);
}

static int load_domains(struct daemon *daemon, struct error *err)
{
    const struct conf_defaults defaults = { .arch = "x86_64" };     /* what we wrote ourselves has them all */
    size_t damaged;
    struct journal *journal = journal_open(registry_places(daemon->registry), err);
    if (!journal)
        return -1;
    registry_set_journal(daemon->registry, journal);
    if (definitions_load(daemon->registry, &defaults, &damaged, err) < 0 ||
        statuses_load(daemon->registry, &defaults, err) < 0)
        return -1;
    log_info("domusd %s (process %d): %zu domains%s", PACKAGE_VERSION, (int) getpid(),
             registry_count(daemon->registry), damaged ? ", besides damaged definitions" : "");
    return 0;
}

static struct server *make_server(struct daemon *daemon)
{
    struct server_limits limits = SERVER_LIMITS;
    limits.clients = daemon->settings->max_clients;
    limits.running = daemon->settings->max_client_calls;
    limits.ping_interval = daemon->settings->keepalive_interval * 1000;
    limits.ping_count = daemon->settings->keepalive_interval ? daemon->settings->keepalive_count : 0;
    return server_new(&dispatch_handler, daemon, &limits);
}

/* A log that cannot be opened leaves the one there is. */
static void reopen_log(const struct daemon *daemon)
{
    error_scope(err);
    if (open_log(daemon, &err) < 0)
        log_error("the log stays where it was: %s", error_text(&err));
}

static void reload(void *arg)
{
    struct daemon *daemon = arg;
    error_scope(err);
    systemd_notify_reloading();
    const struct places *places = registry_places(daemon->registry);
    owned(settings) struct settings *fresh = read_settings(&daemon->options, places, &err);
    if (fresh)
        settings_reload(daemon->settings, fresh);
    reopen_log(daemon);                         /* whatever the file says: it may have been moved away */
    if (!fresh || emulators_init(&daemon->emulators, daemon->settings, places, &err) < 0)
        log_error("the configuration was not taken over: %s", error_text(&err));
    else
        log_info("the configuration was read again");
    systemd_notify("READY=1");
}

int daemon_start(struct daemon *daemon, const struct options *options, struct error *err)
{
    size_t passed = systemd_take_sockets();
    daemon->options = *options;
    daemon->lock = -1;
    loop_init();
    signal(SIGPIPE, SIG_IGN);
    umask(0022);
    process_raise_descriptor_limit();           /* a client is a descriptor, a guest some more */

    owned(places) struct places *places = find_places(options, err);
    if (!places || !(daemon->settings = read_settings(options, places, err)) ||
        places_make(places, err) < 0 || (daemon->lock = lock_take(places->run, err)) < 0 ||
        open_log(daemon, err) < 0)
        return -1;
    daemon->registry = registry_new(take(places));
    const struct places *where = registry_places(daemon->registry);
    /* The sockets are a second lock: what is loaded is tidied up, too, and that must not be another's. */
    if (emulators_init(&daemon->emulators, daemon->settings, where, err) < 0 ||
        !(daemon->sockets = sockets_open(daemon->settings, where, options->root, passed, err)) ||
        load_domains(daemon, err) < 0)
        return -1;
    daemon->server = make_server(daemon);
    daemon->watches[0] = signal_watch_new(SIGTERM, stop, daemon);
    daemon->watches[1] = signal_watch_new(SIGINT, stop, daemon);
    daemon->watches[2] = signal_watch_new(SIGHUP, reload, daemon);
    return fiber_start(boot, daemon) ? 0 : fail(err, ERR_INTERNAL, "cannot start the first fiber");
}

void daemon_run(struct daemon *daemon)
{
    loop_run();
}

void daemon_stop(struct daemon *daemon)
{
    for (size_t i = 0; i < ARRAY_COUNT(daemon->watches); i++)
        signal_watch_free(daemon->watches[i]);
    server_free(daemon->server);
    sockets_free(daemon->sockets);
    if (fiber_count() > 0) {
        log_warning("%zu pieces of work did not end in time, and are dropped", fiber_count());
        _exit(EXIT_SUCCESS);
    }
    operations_done();
    registry_free(daemon->registry);
    emulators_done(&daemon->emulators);
    settings_free(daemon->settings);
    loop_done();
    if (daemon->lock >= 0)
        close(daemon->lock);
}
