/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/systemd.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"

enum { FIRST_PASSED = 3, PASSED_MAX = 16 };

static uint64_t number_in(const char *variable)
{
    const char *text = getenv(variable);
    uint64_t number = 0;
    return text && text_to_u64(text, INT32_MAX, &number) ? number : 0;
}

size_t systemd_take_sockets(void)
{
    uint64_t count = number_in("LISTEN_PID") == (uint64_t) getpid() ? number_in("LISTEN_FDS") : 0;
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (count > PASSED_MAX)
        count = PASSED_MAX;
    for (int fd = FIRST_PASSED; fd < FIRST_PASSED + (int) count; fd++) {
        if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
            return (size_t) (fd - FIRST_PASSED);
    }
    return count;
}

void systemd_notify(const char *message)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *path = getenv("NOTIFY_SOCKET");
    if (!path || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof address.sun_path)
        return;
    memcpy(address.sun_path, path, strlen(path));
    if (path[0] == '@')
        address.sun_path[0] = '\0';
    owned_fd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return;
    socklen_t length = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + strlen(path));
    sendto(fd, message, strlen(message), MSG_NOSIGNAL, (const struct sockaddr *) &address, length);
}

void systemd_notify_reloading(void)
{
    struct timespec now = { 0 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    owned_memory char *message = memory_printf("RELOADING=1\nMONOTONIC_USEC=%lld",
                                               (long long) now.tv_sec * 1000000 + now.tv_nsec / 1000);
    systemd_notify(message);
}
