/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/chardev_private.h"
#include "simvmm/descriptors.h"
#include "simvmm/keyval.h"
#include "simvmm/stdio.h"

enum { RING_MAX = 64 << 20 };

static int open_unix(struct chardev *c, bool server, struct error *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(c->path) >= sizeof address.sun_path)
        return fail(err, ERR_INVALID_ARG,
                    "UNIX socket path '%s' is too long\nPath must be less than %zu bytes", c->path,
                    sizeof address.sun_path);
    strcpy(address.sun_path, c->path);
    owned_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!server) {
        if (connect(fd, (struct sockaddr *) &address, sizeof address) < 0)
            return fail(err, ERR_INVALID_ARG, "Failed to connect to '%s': %s", c->path, strerror(errno));
        c->fd = fd;
        fd = -1;
        return 0;
    }
    if (unlink(c->path) < 0 && errno != ENOENT)
        return fail(err, ERR_INVALID_ARG, "Failed to unlink socket %s: %s", c->path, strerror(errno));
    if (bind(fd, (struct sockaddr *) &address, sizeof address) < 0)
        return fail(err, ERR_INVALID_ARG, "Failed to bind socket to %s: %s", c->path, strerror(errno));
    if (listen(fd, 1) < 0)
        return fail(err, ERR_INVALID_ARG, "Failed to listen on socket: %s", strerror(errno));
    c->listening = fd;
    fd = -1;
    return 0;
}

static int open_tcp(struct chardev *c, bool server, struct error *err)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = server ? AI_PASSIVE : 0 },
                    *found = NULL;
    int rc = getaddrinfo(*c->host ? c->host : NULL, c->port, &hints, &found);
    if (rc)
        return fail(err, ERR_INVALID_ARG, "address resolution failed for %s:%s: %s", c->host, c->port,
                    gai_strerror(rc));
    owned_fd int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    rc =
        server ? bind(fd, found->ai_addr, found->ai_addrlen) : connect(fd, found->ai_addr, found->ai_addrlen);
    int number = errno;
    freeaddrinfo(found);
    if (rc < 0)
        return fail(err, ERR_INVALID_ARG,
                    server ? "Failed to find an available port: %s" : "Failed to connect to '%s:%s': %s",
                    server ? strerror(number) : c->host, c->port, strerror(number));
    if (server && listen(fd, 1) < 0)
        return fail(err, ERR_INVALID_ARG, "Failed to listen on socket: %s", strerror(errno));
    *(server ? &c->listening : &c->fd) = fd;
    fd = -1;
    return 0;
}

/* A descriptor that our parent opened for us, by number. */
static int take_fd(struct chardev *c, const char *text, bool server, struct error *err)
{
    uint64_t number;
    int type;
    socklen_t size = sizeof type;
    if (!text_to_u64(text, INT32_MAX, &number))
        return fail(err, ERR_INVALID_ARG, "No monitor is available to acquire FD '%s'", text);
    if (getsockopt((int) number, SOL_SOCKET, SO_TYPE, &type, &size) < 0)
        return fail(err, ERR_INVALID_ARG, "File descriptor '%s' is not a socket", text);
    fcntl((int) number, F_SETFD, FD_CLOEXEC);
    *(server ? &c->listening : &c->fd) = (int) number;
    struct sockaddr_un address;
    size = sizeof address;
    if (getsockname((int) number, (struct sockaddr *) &address, &size) == 0 &&
        address.sun_family == AF_UNIX && size > sizeof(sa_family_t))
        c->path = arena_copy(c->vm->arena, address.sun_path);
    return 0;
}

static int listen_at(struct chardev *c, struct error *err)
{
    return c->path ? open_unix(c, true, err) : open_tcp(c, true, err);
}

int chardev_connect(struct chardev *c, struct error *err)
{
    return c->path ? open_unix(c, false, err) : open_tcp(c, false, err);
}

static int read_reconnect(struct chardev *c, const struct json *given, struct error *err)
{
    uint64_t seconds = 0, ms = 0;
    if (keyval_number(given, "reconnect", &seconds, err) < 0 ||
        keyval_number(given, "reconnect-ms", &ms, err) < 0)
        return -1;
    if ((seconds || ms) && c->server)
        return fail(err, ERR_INVALID_ARG, "'reconnect' option is incompatible with 'server'");
    if (seconds > UINT32_MAX / 1000 || ms > UINT32_MAX)
        return fail(err, ERR_INVALID_ARG, "Parameter 'reconnect' expects a number of seconds");
    c->reconnect_ms = (unsigned) (seconds ? seconds * 1000 : ms);
    return 0;
}

static int open_socket(struct chardev *c, const struct json *given, struct error *err)
{
    bool server = false, wait = true;
    const char *fd = keyval_text(given, "fd");
    c->path = arena_copy(c->vm->arena, keyval_text(given, "path"));
    c->host = arena_copy(c->vm->arena, keyval_text(given, "host"));
    c->port = arena_copy(c->vm->arena, keyval_text(given, "port"));
    if (keyval_bool(given, "server", &server, err) < 0 || keyval_bool(given, "wait", &wait, err) < 0)
        return -1;
    c->server = server;
    if (fd)
        return take_fd(c, fd, server, err);
    if (read_reconnect(c, given, err) < 0)
        return -1;
    if (!server && c->reconnect_ms)
        return 0; /* tried when the loop runs, and again and again */
    if (c->path || (c->port && c->host))
        return c->server ? listen_at(c, err) : chardev_connect(c, err);
    return fail(err, ERR_INVALID_ARG,
                c->host ? "chardev: socket: no port given" : "Unable to parse FD number ");
}

static int open_pty(struct chardev *c, const struct json *given, struct error *err)
{
    (void) given;
    char name[64];
    if (openpty(&c->fd, &c->slave, name, NULL, NULL) < 0)
        return fail(err, ERR_INVALID_ARG, "Failed to create PTY: %s", strerror(errno));
    struct termios mode;
    tcgetattr(c->slave, &mode);
    cfmakeraw(&mode);
    tcsetattr(c->slave, TCSAFLUSH, &mode);
    fcntl(c->slave, F_SETFD, FD_CLOEXEC);
    fcntl(c->fd, F_SETFD, FD_CLOEXEC);
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    c->pty = arena_copy(c->vm->arena, name);
    printf("char device redirected to %s (label %s)\n", name, c->id);
    fflush(stdout);
    return 0;
}

static int open_file(struct chardev *c, const struct json *given, struct error *err)
{
    c->path = arena_copy(c->vm->arena, keyval_text(given, "path"));
    bool append = false;
    if (!c->path)
        return fail(err, ERR_INVALID_ARG, "chardev: file: no filename given");
    if (keyval_bool(given, "append", &append, err) < 0)
        return -1;
    c->fd = descriptors_open(c->vm, c->path, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0666);
    if (c->fd < 0)
        return fail(err, ERR_INVALID_ARG, "Could not open '%s': %s", c->path, strerror(errno));
    return 0;
}

static int open_stdio(struct chardev *c, const struct json *given, struct error *err)
{
    (void) given;
    c->fd = stdio_open(err);
    return c->fd < 0 ? -1 : 0;
}

static int open_nothing(struct chardev *c, const struct json *given, struct error *err)
{
    (void) c;
    (void) given;
    (void) err;
    return 0;
}

static int open_ringbuf(struct chardev *c, const struct json *given, struct error *err)
{
    uint64_t size = 65536;
    if (keyval_size(given, "size", &size, err) < 0)
        return -1;
    if (!size || size & (size - 1))
        return fail(err, ERR_INVALID_ARG, "size of ringbuf chardev must be power of two");
    if (size > RING_MAX)
        return fail(err, ERR_NO_SUPPORT, "a ringbuf of more than %d bytes is not simulated", RING_MAX);
    c->ring_size = (size_t) size;
    return 0;
}

/* A pair of pipes, PATH.in and PATH.out, or what PATH itself is. */
static int open_pipe(struct chardev *c, const struct json *given, struct error *err)
{
    c->path = arena_copy(c->vm->arena, keyval_text(given, "path"));
    if (!c->path)
        return fail(err, ERR_INVALID_ARG, "chardev: pipe: no device path given");
    owned_memory char *in = memory_printf("%s.in", c->path), *out = memory_printf("%s.out", c->path);
    owned_fd int reading = open(in, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    owned_fd int writing = open(out, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (reading < 0 || writing < 0) {
        c->fd = open(c->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        return c->fd < 0 ? fail(err, ERR_INVALID_ARG, "Could not open '%s': %s", c->path, strerror(errno))
                         : 0;
    }
    c->fd = reading, c->out = writing;
    reading = writing = -1;
    return 0;
}

/* A serial port of the host. */
static int open_tty(struct chardev *c, const struct json *given, struct error *err)
{
    c->path = arena_copy(c->vm->arena, keyval_text(given, "path"));
    if (!c->path)
        return fail(err, ERR_INVALID_ARG, "chardev: serial/tty: no device path given");
    c->fd = open(c->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    return c->fd < 0 ? fail(err, ERR_INVALID_ARG, "Could not open '%s': %s", c->path, strerror(errno)) : 0;
}

static int open_udp(struct chardev *c, const struct json *given, struct error *err)
{
    const char *host = keyval_text(given, "host"), *port = keyval_text(given, "port");
    if (!port)
        return fail(err, ERR_INVALID_ARG, "chardev: udp: remote port not specified");
    struct addrinfo hints = { .ai_socktype = SOCK_DGRAM }, *found = NULL;
    int rc = getaddrinfo(host && *host ? host : "localhost", port, &hints, &found);
    if (rc)
        return fail(err, ERR_INVALID_ARG, "address resolution failed for %s:%s: %s",
                    host ? host : "localhost", port, gai_strerror(rc));
    c->fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    rc = connect(c->fd, found->ai_addr, found->ai_addrlen);
    int number = errno;
    freeaddrinfo(found);
    return rc < 0
               ? fail(err, ERR_INVALID_ARG, "Failed to connect to '%s:%s': %s", host, port, strerror(number))
               : 0;
}

static const struct {
    const char *name;
    int (*open)(struct chardev *c, const struct json *given, struct error *err);
} backends[] = {
    { "socket", open_socket },    { "pty", open_pty },
    { "file", open_file },        { "null", open_nothing },
    { "stdio", open_stdio },      { "ringbuf", open_ringbuf },
    { "memory", open_ringbuf },   { "vc", open_nothing },
    { "udp", open_udp },          { "pipe", open_pipe },
    { "msmouse", open_nothing },  { "testdev", open_nothing },
    { "spicevmc", open_nothing }, { "qemu-vdagent", open_nothing },
    { "serial", open_tty },       { "mux", open_nothing },
};

static int open_log(struct chardev *c, const struct json *given, struct error *err)
{
    const char *path = keyval_text(given, "logfile");
    bool append = false;
    if (!path)
        return 0;
    if (keyval_bool(given, "logappend", &append, err) < 0)
        return -1;
    c->log = descriptors_open(c->vm, path, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0666);
    return c->log < 0 ? fail(err, ERR_INVALID_ARG, "Unable to open logfile %s: %s", path, strerror(errno))
                      : 0;
}

struct chardev *chardev_open(struct vm *vm, const char *id, const struct json *given, struct error *err)
{
    const char *backend = keyval_text(given, "backend");
    size_t i = 0;
    while (i < ARRAY_COUNT(backends) && !text_equal(backends[i].name, backend))
        i++;
    if (i == ARRAY_COUNT(backends))
        return fail(err, ERR_INVALID_ARG, "'%s' is not a valid char driver name", backend ? backend : ""),
               NULL;
    struct chardev *c = NEW(struct chardev);
    *c = (struct chardev) { .vm = vm,
                            .id = id,
                            .backend = backends[i].name,
                            .listening = -1,
                            .fd = -1,
                            .slave = -1,
                            .out = -1,
                            .log = -1 };
    if (backends[i].open(c, given, err) < 0 || open_log(c, given, err) < 0)
        return chardev_free(c), NULL;
    return c;
}
