/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.h - what domusd is made of, and its life from start to stop. */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "daemon/emulators.h"
#include "daemon/options.h"
#include "domain/registry.h"

struct console;
struct server;
struct settings;
struct sockets;
struct signal_watch;

struct daemon {
    struct options options;
    struct settings *settings;
    struct emulators emulators;
    struct registry *registry;
    struct server *server;
    struct sockets *sockets;
    struct console *consoles;           /* those that clients have open; the server's channels own them */
    struct signal_watch *watches[3];
    int lock;
    bool stopping;
};

/* Everything but serving: settings, places, lock, log, definitions.  Guests that run are found again, and
 * clients served, once the loop runs. */
int daemon_start(struct daemon *daemon, const struct options *options, struct error *err);
void daemon_run(struct daemon *daemon);                 /* until a signal stops it */
/* Also of one that failed to start.  Guests run on. */
void daemon_stop(struct daemon *daemon);
