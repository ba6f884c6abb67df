/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "loop/stream.h"

static int unix_address(const char *path, struct sockaddr_un *ret_address, struct error *err)
{
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof ret_address->sun_path)
        return fail(err, ERR_INVALID_ARG, "socket path '%s' has %zu bytes; it may have 1 to %zu", path,
                    length, sizeof ret_address->sun_path - 1);
    *ret_address = (struct sockaddr_un) { .sun_family = AF_UNIX };
    memcpy(ret_address->sun_path, path, length);
    return 0;
}

static int unix_socket(struct error *err)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return fd < 0 ? fail_errno(err, errno, "cannot make a socket") : fd;
}

int unix_connect(const char *path, struct error *err)
{
    struct sockaddr_un address;
    if (unix_address(path, &address, err) < 0)
        return -1;
    owned_fd int fd = unix_socket(err);
    if (fd < 0)
        return -1;
    if (connect(fd, (struct sockaddr *) &address, sizeof address) < 0)
        return fail_errno(err, errno, "cannot connect to '%s'", path);
    int connected = fd;
    fd = -1;
    return connected;
}

/* A socket file outlives its server; nobody behind it means that it may go. */
static int remove_stale(const char *path, struct error *err)
{
    struct stat info;
    if (lstat(path, &info) < 0)
        return errno == ENOENT ? 0 : fail_errno(err, errno, "cannot look at '%s'", path);
    if (!S_ISSOCK(info.st_mode))
        return fail(err, ERR_OPERATION_FAILED, "'%s' is in the way: it is no socket", path);
    error_scope(refused);
    owned_fd int fd = unix_connect(path, &refused);
    if (fd >= 0 || refused.number == EAGAIN)
        return fail(err, ERR_OPERATION_FAILED, "another process listens on '%s'", path);
    if (refused.number != ECONNREFUSED && refused.number != ENOENT) {
        error_move(err, &refused);
        return -1;
    }
    if (unlink(path) < 0 && errno != ENOENT)
        return fail_errno(err, errno, "cannot remove '%s'", path);
    return 0;
}

int unix_listen(const char *path, mode_t mode, int backlog, struct error *err)
{
    struct sockaddr_un address;
    if (unix_address(path, &address, err) < 0 || remove_stale(path, err) < 0)
        return -1;
    owned_fd int fd = unix_socket(err);
    if (fd < 0)
        return -1;
    if (bind(fd, (struct sockaddr *) &address, sizeof address) < 0)
        return fail_errno(err, errno, "cannot bind '%s'", path);
    /* Until listen() nobody can connect, so the mode is right in time. */
    if (chmod(path, mode) < 0 || listen(fd, backlog) < 0) {
        fail_errno(err, errno, "cannot listen on '%s'", path);
        unlink(path);
        return -1;
    }
    int listening = fd;
    fd = -1;
    return listening;
}
