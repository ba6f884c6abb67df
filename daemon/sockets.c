/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/sockets.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/files.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "daemon/settings.h"
#include "domain/places.h"
#include "loop/stream.h"

enum { BACKLOG = 512, SOCKETS_MAX = 6, FIRST_PASSED = 3, PASSED_MAX = 16 };

static const char *const libvirt_names[] = { "libvirt-sock", "virtqemud-sock" };

/* Which group may use the read-write sockets: 0 (root, who may anyway) if there is none. */
static gid_t group_of(const struct settings *settings, bool under_root)
{
    if (under_root || !*settings->socket_group)
        return 0;
    const struct group *group = getgrnam(settings->socket_group);
    return group ? group->gr_gid : 0;
}

static int passed_for(const char *path, int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sockaddr_un address = { 0 };
        socklen_t length = sizeof address;
        if (fds[i] >= 0 && getsockname(fds[i], (struct sockaddr *) &address, &length) == 0 &&
            address.sun_family == AF_UNIX && strncmp(address.sun_path, path, sizeof address.sun_path) == 0)
            return own_take_fd(&fds[i]);
    }
    return -1;
}

static int listen_at(const char *path, bool read_only, gid_t group, struct error *err)
{
    owned_fd int fd = unix_listen(path, read_only ? 0666 : group ? 0660 : 0600, BACKLOG, err);
    if (fd < 0)
        return -1;
    if (!read_only && group && chown(path, (uid_t) -1, group) < 0)
        return fail_errno(err, errno, "cannot give %s to group %d", path, (int) group);
    return own_take_fd(&fd);
}

struct opening { struct sockets *sockets; gid_t group; int passed[PASSED_MAX]; size_t passed_count; };

static int open_one(struct opening *opening, const char *folder, const char *name, bool read_only,
                    struct error *err)
{
    struct client_socket *item = &opening->sockets->items[opening->sockets->count];
    item->path = memory_printf("%s/%s%s", folder, name, read_only ? "-ro" : "");
    item->read_only = read_only;
    item->fd = passed_for(item->path, opening->passed, opening->passed_count);
    opening->sockets->count++;
    if (item->fd < 0) {
        item->fd = listen_at(item->path, read_only, opening->group, err);
        item->ours = item->fd >= 0;
    }
    return item->fd < 0 ? -1 : 0;
}

static int open_pair(struct opening *opening, const char *folder, const char *name, struct error *err)
{
    return open_one(opening, folder, name, false, err) < 0 ? -1 : open_one(opening, folder, name, true, err);
}

static int refuse_if_served(const char *folder, const char *name, struct error *err)
{
    owned_memory char *path = memory_printf("%s/%s", folder, name);
    error_scope(nobody);
    owned_fd int fd = unix_connect(path, &nobody);
    if (fd >= 0)
        return fail(err, ERR_BUSY, "libvirt_sockets = yes, but another daemon answers at %s; stop it first",
                    path);
    return 0;
}

static int open_libvirt_sockets(struct opening *opening, struct error *err)
{
    static const char folder[] = "/run/libvirt";
    if (folder_make(folder, 0755, err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_COUNT(libvirt_names); i++) {
        if (refuse_if_served(folder, libvirt_names[i], err) < 0)
            return -1;
    }
    for (size_t i = 0; i < ARRAY_COUNT(libvirt_names); i++) {
        if (open_pair(opening, folder, libvirt_names[i], err) < 0)
            return -1;
    }
    return 0;
}

struct sockets *sockets_open(const struct settings *settings, const struct places *places, bool under_root,
                             size_t passed, struct error *err)
{
    owned(sockets) struct sockets *sockets = NEW(struct sockets);
    sockets->items = memory_new(SOCKETS_MAX * sizeof *sockets->items);
    struct opening opening = { .sockets = sockets, .group = group_of(settings, under_root) };
    while (opening.passed_count < passed && opening.passed_count < PASSED_MAX) {
        opening.passed[opening.passed_count] = FIRST_PASSED + (int) opening.passed_count;
        opening.passed_count++;
    }

    int rc = open_pair(&opening, places->run, "domus-sock", err);
    if (rc == 0 && settings->libvirt_sockets)
        rc = open_libvirt_sockets(&opening, err);
    for (size_t i = 0; i < opening.passed_count; i++) {
        if (opening.passed[i] < 0)
            continue;
        log_warning("the service manager passed a socket that is bound to none of our places; it is closed");
        close(opening.passed[i]);
    }
    return rc < 0 ? NULL : take(sockets);
}

void sockets_free(struct sockets *sockets)
{
    if (!sockets)
        return;
    for (size_t i = 0; i < sockets->count; i++) {
        struct client_socket *item = &sockets->items[i];
        if (item->fd >= 0)
            close(item->fd);
        if (item->ours)
            unlink(item->path);
        free(item->path);
    }
    free(sockets->items);
    free(sockets);
}
