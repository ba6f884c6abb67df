/* SPDX-License-Identifier: Apache-2.0 */
/* migrate_uri.h - where a migration goes to or comes from: file:PATH[,offset=N], fd:NAME, unix:PATH,
 * tcp:HOST:PORT, or the same as the "channels" of QMP. There is no exec: what is asked over QMP reaches no
 * shell.
 */
#pragma once
#include "simvmm/vm.h"

struct migrate_uri {
    enum migrate_transport { MIGRATE_FILE, MIGRATE_FD, MIGRATE_UNIX, MIGRATE_TCP } transport;
    const char *path; /* of a file or socket; a descriptor's name or number */
    const char *host, *port;
    uint64_t offset;
    const char *text; /* as it was given */
};

/* From the arguments of migrate or migrate-incoming; all strings are the arena's. */
int migrate_uri_read(const struct vm *vm, const struct json *arguments, struct arena *arena,
                     struct migrate_uri *ret_uri, struct error *err);
int migrate_uri_parse(const struct vm *vm, const char *text, struct arena *arena, struct migrate_uri *ret_uri,
                      struct error *err);

/* A descriptor to write to, non-blocking. *ret_late: what came to nothing is no error of the command, but of
 * the migration that it has begun. -1 and an error. */
int migrate_uri_connect(struct vm *vm, const struct monitor *monitor, const struct migrate_uri *uri,
                        bool *ret_late, struct error *err);
/* A descriptor to read from, or (*ret_listens) one that listens for the peer. */
int migrate_uri_open(struct vm *vm, const struct monitor *monitor, const struct migrate_uri *uri,
                     bool *ret_listens, struct error *err);
