/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/vnc_ports.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"

static unsigned char takers[VNC_PORT_MAX + 1 - VNC_PORT_MIN];    /* guests that have it */

/* A name instead of a number is tried on all interfaces. */
bool vnc_port_can_be_bound(const char *address, int port)
{
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t) port) };
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t) port) };
    bool is_six = inet_pton(AF_INET6, address, &six.sin6_addr) == 1;
    if (!is_six && inet_pton(AF_INET, address, &four.sin_addr) != 1)
        four.sin_addr.s_addr = htonl(INADDR_ANY);
    owned_fd int fd = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int one = 1;
    if (fd < 0)
        return false;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    return is_six ? bind(fd, (const struct sockaddr *) &six, sizeof six) == 0
                  : bind(fd, (const struct sockaddr *) &four, sizeof four) == 0;
}

int vnc_port_find(const char *address, struct error *err)
{
    for (int port = VNC_PORT_MIN; port <= VNC_PORT_MAX; port++)
        if (!takers[port - VNC_PORT_MIN] && vnc_port_can_be_bound(address, port))
            return port;
    return fail(err, ERR_OPERATION_FAILED, "no free port for vnc on '%s' between %d and %d", address,
                VNC_PORT_MIN, VNC_PORT_MAX);
}

void vnc_port_take(int port)
{
    if (port >= VNC_PORT_MIN && port <= VNC_PORT_MAX)
        takers[port - VNC_PORT_MIN]++;
}

void vnc_port_give_back(int port)
{
    if (port >= VNC_PORT_MIN && port <= VNC_PORT_MAX && takers[port - VNC_PORT_MIN])
        takers[port - VNC_PORT_MIN]--;
}
