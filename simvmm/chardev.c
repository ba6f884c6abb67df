/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/chardev.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "simvmm/compose.h"
#include "simvmm/keyval.h"
#include "simvmm/monitor.h"
#include "simvmm/stdio.h"

enum { ECHO_MAX = 4096 };               /* what nobody reads is not echoed */

struct chardev {
    struct vm *vm;
    const char *id, *backend;
    const char *path, *host, *port;     /* of a socket or file */
    const char *pty;
    bool server, used;
    bool leaving;                       /* hung up on as soon as it has read all */
    int listening, fd;                  /* -1: none */
    int slave;                          /* a pty's other end, held lest it hang up; -1: none */
    struct listener *listener;
    struct stream *stream;
    struct monitor *monitor;
    const struct chardev_front *front;
    void *front_arg;
    struct qom_node *node;
};

/* ---- clients ---- */

static void on_input(void *arg, const char *bytes, size_t length)
{
    struct chardev *c = arg;
    if (c->monitor)
        monitor_input(c->monitor, bytes, length);
    else if (c->front)
        c->front->input(c->front_arg, bytes, length);
}

static void gone(struct chardev *c)
{
    stream_free(c->stream);
    c->stream = NULL;
    c->leaving = false;
    if (c->node && text_equal(c->backend, "socket"))
        qom_set_bool(c->node, "connected", false);
    if (c->monitor)
        monitor_closed(c->monitor);
    if (c->listener)
        listener_resume(c->listener);
}

static void on_closed(void *arg, const char *reason)
{
    (void) reason;
    gone(arg);
}

/* A client that is to be hung up on gets what was written before. */
static void on_drained(void *arg)
{
    struct chardev *c = arg;
    if (c->leaving)
        gone(c);
}

static const struct stream_handler client_handler = { on_input, on_closed, on_drained };

static void connected(struct chardev *c, int fd)
{
    c->stream = stream_new(fd, &client_handler, c);
    if (c->node && text_equal(c->backend, "socket"))
        qom_set_bool(c->node, "connected", true);
    if (c->monitor)
        monitor_opened(c->monitor);
    else if (c->front)
        c->front->opened(c->front_arg);
}

static void on_accepted(void *arg, int fd)
{
    struct chardev *c = arg;
    listener_pause(c->listener);
    connected(c, fd);
}

void chardev_hang_up(struct chardev *c)
{
    if (!c->stream)
        return;
    if (!stream_pending(c->stream)) {
        gone(c);
        return;
    }
    c->leaving = true;
    stream_pause(c->stream);
}

void chardev_write(struct chardev *c, const void *bytes, size_t length)
{
    if (c->stream)
        stream_write(c->stream, bytes, length);
}

void chardev_echo(struct chardev *c, const void *bytes, size_t length)
{
    if (c->stream && stream_pending(c->stream) < ECHO_MAX)
        stream_write(c->stream, bytes, length);
}

void chardev_pause(struct chardev *c, bool paused)
{
    if (c->stream && paused)
        stream_pause(c->stream);
    else if (c->stream)
        stream_resume(c->stream);
}

void chardev_start(struct chardev *c)
{
    if (c->listening >= 0) {
        c->listener = listener_new(c->listening, on_accepted, c);
        c->listening = -1;
    } else if (c->fd >= 0 && !text_equal(c->backend, "file")) {
        connected(c, c->fd);
        c->fd = -1;
    }
}

/* ---- making ---- */

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
    if (getsockname((int) number, (struct sockaddr *) &address, &size) == 0 && address.sun_family == AF_UNIX
        && size > sizeof(sa_family_t))
        c->path = arena_copy(c->vm->arena, address.sun_path);
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
    if (c->path)
        return open_unix(c, server, err);
    if (c->port && c->host)
        return open_tcp(c, server, err);
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
    c->fd = open(c->path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
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

static const struct {
    const char *name;
    int (*open)(struct chardev *c, const struct json *given, struct error *err);
} backends[] = {
    { "socket", open_socket },    { "pty", open_pty },         { "file", open_file },
    { "null", open_nothing },     { "stdio", open_stdio },   { "ringbuf", open_nothing },
    { "memory", open_nothing },   { "vc", open_nothing },      { "udp", open_nothing },
    { "pipe", open_nothing },     { "msmouse", open_nothing }, { "testdev", open_nothing },
    { "spicevmc", open_nothing }, { "mux", open_nothing },
};

static void add_address(struct chardev *c)
{
    if (!c->node || !text_equal(c->backend, "socket") || !c->path)
        return;
    owned_buffer struct buffer b = { 0 };
    struct json_writer w = { .out = &b, .spaced = true, .ascii = true };
    json_open(&w, '{');
    json_key(&w, "path"), json_string(&w, c->path);
    json_key(&w, "type"), json_string(&w, "unix");
    json_close(&w, '}');
    qom_set(c->node, "addr", buffer_text(&b));
}

struct chardev *chardev_create(struct vm *vm, const struct json *given, struct error *err)
{
    const char *id = keyval_text(given, "id"), *backend = keyval_text(given, "backend");
    if (!id)
        return fail(err, ERR_INVALID_ARG, "chardev: no id specified"), NULL;
    if (chardev_find(vm, id))
        return fail(err, ERR_INVALID_ARG, "Duplicate ID '%s' for chardev", id), NULL;
    for (size_t i = 0; i < ARRAY_COUNT(backends); i++) {
        if (!text_equal(backends[i].name, backend))
            continue;
        struct chardev *c = NEW(struct chardev);
        *c = (struct chardev) {
            .vm = vm, .id = arena_copy(vm->arena, id), .backend = backends[i].name, .listening = -1, .fd = -1,
            .slave = -1
        };
        if (backends[i].open(c, given, err) < 0)
            return chardev_free(c), NULL;
        const struct part *part = data_part(vm->data, "chardev", backends[i].name);
        struct placing place = { .parent = qom_at(vm->tree, "/chardevs"), .name = c->id, .id = c->id };
        if (part && place.parent)
            c->node = compose_part(vm, part, &place);
        add_address(c);
        vector_push(&vm->chardevs, c);
        return c;
    }
    return fail(err, ERR_INVALID_ARG, "'%s' is not a valid char driver name", backend ? backend : ""), NULL;
}

void chardev_free(struct chardev *c)
{
    if (!c)
        return;
    bool bound = c->listener || c->listening >= 0;
    stream_free(c->stream);
    listener_free(c->listener);
    if (bound && c->path)
        (void) unlink(c->path);         /* as QEMU does, whoever made the socket */
    if (c->listening >= 0)
        close(c->listening);
    if (c->fd >= 0)
        close(c->fd);
    if (c->slave >= 0)
        close(c->slave);
    free(c);
}

struct chardev *chardev_find(const struct vm *vm, const char *id)
{
    for (size_t i = 0; i < vm->chardevs.count; i++)
        if (text_equal(vm->chardevs.items[i]->id, id))
            return vm->chardevs.items[i];
    return NULL;
}

const char *chardev_id(const struct chardev *c)
{
    return c->id;
}

void chardev_set_monitor(struct chardev *c, struct monitor *monitor)
{
    c->monitor = monitor;
    c->used = true;
}

void chardev_set_front(struct chardev *c, const struct chardev_front *front, void *arg)
{
    c->front = front;
    c->front_arg = arg;
}

void chardev_set_used(struct chardev *c, bool used)
{
    c->used = used;
}

bool chardev_is_used(const struct chardev *c)
{
    return c->used;
}

const char *chardev_pty(const struct chardev *c)
{
    return c->pty;
}

int chardev_take_fd(struct chardev *c)
{
    return c->stream ? stream_take_fd(c->stream) : -1;
}

bool chardev_is_open(const struct chardev *c)
{
    return c->stream != NULL;
}

void chardev_describe(const struct chardev *c, struct buffer *out)
{
    if (c->pty)
        buffer_printf(out, "pty:%s", c->pty);
    else if (!text_equal(c->backend, "socket"))
        buffer_add_text(out, c->backend);
    else if (c->path)
        buffer_printf(out, "%sunix:%s%s", c->stream ? "" : "disconnected:", c->path,
                      c->server ? ",server=on" : "");
    else
        buffer_printf(out, "%stcp:%s:%s%s", c->stream ? "" : "disconnected:", c->host ? c->host : "",
                      c->port ? c->port : "", c->server ? ",server=on" : "");
}
