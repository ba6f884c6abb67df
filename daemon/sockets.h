/* SPDX-License-Identifier: Apache-2.0 */
/* sockets.h - where clients connect.
 *
 * Each place has a read-write and a read-only socket.  A socket that systemd passed in serves the place whose
 * path it is bound to, and its file is systemd's; files of our own are removed when the list is freed.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/own.h"

struct settings;
struct places;

struct client_socket {
    char *path;
    int fd;                             /* -1 once it was taken */
    bool read_only;
    bool ours;                          /* we made the file */
};

struct sockets { struct client_socket *items; size_t count; };

/* `passed` descriptors from 3 on came from systemd. */
struct sockets *sockets_open(const struct settings *settings, const struct places *places, bool under_root,
                             size_t passed, struct error *err);
void sockets_free(struct sockets *sockets);
DEFINE_OWNED(sockets)
