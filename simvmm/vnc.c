/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/vnc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/keyval.h"
#include "simvmm/value.h"

static int listen_unix(struct vnc *vnc, struct error *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(vnc->path) >= sizeof address.sun_path)
        return fail(err, ERR_INVALID_ARG, "UNIX socket path '%s' is too long", vnc->path);
    strcpy(address.sun_path, vnc->path);
    owned_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink(vnc->path);
    if (bind(fd, (struct sockaddr *) &address, sizeof address) < 0 || listen(fd, 1) < 0)
        return fail(err, ERR_INVALID_ARG, "Failed to bind socket to %s: %s", vnc->path, strerror(errno));
    vnc->listener = listener_new(fd, vnc_accepted, vnc->vm);
    fd = -1;
    return 0;
}

/* A listening socket, or -1 and errno. */
static int bind_to(const struct vnc *vnc, unsigned port)
{
    struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t) port) };
    struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t) port) };
    bool six = strchr(vnc->host, ':') != NULL;
    if (six ? inet_pton(AF_INET6, vnc->host, &in6.sin6_addr) != 1
            : *vnc->host && inet_pton(AF_INET, vnc->host, &in.sin_addr) != 1)
        inet_pton(AF_INET, "127.0.0.1", &in.sin_addr);
    int yes = 1;
    int fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    int rc = six ? bind(fd, (struct sockaddr *) &in6, sizeof in6)
                 : bind(fd, (struct sockaddr *) &in, sizeof in);
    if (rc == 0 && listen(fd, 1) == 0)
        return fd;
    rc = errno;
    close(fd);
    errno = rc;
    return -1;
}

/* "HOST:DISPLAY" with an optional to=LIMIT. */
static int listen_tcp(struct vm *vm, struct vnc *vnc, const char *text, const struct json *given,
                      struct error *err)
{
    const char *colon = strrchr(text, ':');
    uint64_t display, last;
    if (!colon)
        return fail(err, ERR_INVALID_ARG, "no vnc port specified");
    if (!text_to_u64(colon + 1, 65535 - 5900, &display))
        return fail(err, ERR_INVALID_ARG, "can't convert to a number: %s", colon + 1);
    bool bracket = *text == '[';
    vnc->host = arena_copy_bytes(vm->arena, text + bracket, (size_t) (colon - text) - 2 * bracket);
    last = display;
    if (keyval_number(given, "to", &last, err) < 0)
        return -1;
    for (; display <= last; display++) {
        vnc->port = 5900 + (unsigned) display;
        int fd = bind_to(vnc, vnc->port);
        if (fd >= 0) {
            vnc->listener = listener_new(fd, vnc_accepted, vm);
            return 0;
        }
    }
    return fail(err, ERR_INVALID_ARG, "Failed to find an available port: %s", strerror(errno));
}

int vnc_listen(struct vm *vm, const struct json *given, struct error *err)
{
    static const char *const keys[] = { "vnc",
                                        "id",
                                        "to",
                                        "password",
                                        "password-secret",
                                        "audiodev",
                                        "share",
                                        "websocket",
                                        "sasl",
                                        "tls-creds",
                                        "tls-authz",
                                        "sasl-authz",
                                        "lossy",
                                        "key-delay-ms",
                                        "display",
                                        "head",
                                        "power-control",
                                        "ipv4",
                                        "ipv6",
                                        "reverse",
                                        "lock-key-sync",
                                        "non-adaptive",
                                        "connections" };
    for (size_t i = 0; i < given->length; i++) {
        size_t k = 0;
        while (k < ARRAY_COUNT(keys) && !text_equal(keys[k], given->members[i].key))
            k++;
        if (k == ARRAY_COUNT(keys))
            return fail(err, ERR_INVALID_ARG, "Invalid parameter '%s'", given->members[i].key);
    }
    const char *text = keyval_text(given, "vnc");
    struct vnc *vnc = ARENA_NEW(vm->arena, struct vnc);
    const char *id = keyval_text(given, "id");
    *vnc = (struct vnc) { .vm = vm, .id = id ? arena_copy(vm->arena, id) : "default", .expires = UINT64_MAX };
    vm->vnc = vnc;
    if (!text || text_equal(text, "none"))
        return 0;
    if (keyval_bool(given, "password", &vnc->password, err) < 0)
        return -1;
    if (!text_starts(text, "unix:"))
        return listen_tcp(vm, vnc, text, given, err);
    vnc->path = text + 5;
    return listen_unix(vnc, err);
}

int vnc_move(struct vm *vm, const char *host, const char *port, struct error *err)
{
    uint64_t number;
    struct vnc *vnc = vm->vnc;
    if (!text_to_u64(port, 65535, &number))
        return fail(err, ERR_INVALID_ARG, "can't convert to a number: %s", port);
    listener_free(take(vnc->listener));
    if (vnc->path)
        unlink(vnc->path);
    vnc->path = NULL;
    vnc->host = arena_copy(vm->arena, host);
    vnc->port = (unsigned) number;
    int fd = bind_to(vnc, vnc->port);
    if (fd < 0)
        return fail(err, ERR_INVALID_ARG, "Failed to find an available port: %s", strerror(errno));
    vnc->listener = listener_new(fd, vnc_accepted, vm);
    return 0;
}
