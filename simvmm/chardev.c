/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/chardev.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "simvmm/chardev_private.h"
#include "simvmm/compose.h"
#include "simvmm/keyval.h"
#include "simvmm/monitor.h"

enum { ECHO_MAX = 4096 };               /* what nobody reads is not echoed */

/* ---- clients ---- */

static void on_input(void *arg, const char *bytes, size_t length)
{
    struct chardev *c = arg;
    if (c->monitor)
        monitor_input(c->monitor, bytes, length);
    else if (c->front)
        c->front->input(c->front_arg, bytes, length);
}

static void connect_later(struct chardev *c);

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
    if (c->reconnect_ms)
        connect_later(c);
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

static void on_reconnect(void *arg)
{
    struct chardev *c = arg;
    error_scope(ignored);
    timer_free(c->reconnect);
    c->reconnect = NULL;
    if (chardev_connect(c, &ignored) < 0) {
        connect_later(c);
        return;
    }
    int fd = c->fd;
    c->fd = -1;
    connected(c, fd);
}

static void connect_later(struct chardev *c)
{
    if (!c->reconnect)
        c->reconnect = timer_start(c->reconnect_ms, 0, on_reconnect, c);
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

/* What a disk or pipe does not take is lost; the guest does not wait for it. */
static void write_all(int fd, const char *bytes, size_t length)
{
    while (fd >= 0 && length) {
        ssize_t n = write(fd, bytes, length);
        if (n <= 0)
            return;
        bytes += n, length -= (size_t) n;
    }
}

void chardev_write(struct chardev *c, const void *bytes, size_t length)
{
    write_all(c->log, bytes, length);
    if (c->out >= 0)
        write_all(c->out, bytes, length);
    else if (c->stream)
        stream_write(c->stream, bytes, length);
    else if (!c->ring_size)
        write_all(c->fd, bytes, length);
    if (!c->ring_size)
        return;
    buffer_add(&c->ring, bytes, length);
    if (c->ring.length > c->ring_size)
        buffer_drop(&c->ring, c->ring.length - c->ring_size);
}

void chardev_echo(struct chardev *c, const void *bytes, size_t length)
{
    if (!c->stream || stream_pending(c->stream) < ECHO_MAX)
        chardev_write(c, bytes, length);
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
        int fd = c->fd;
        c->fd = -1;
        connected(c, fd);
    } else if (c->reconnect_ms && !c->stream) {
        c->reconnect = timer_start(0, 0, on_reconnect, c);
    }
}

/* ---- making ---- */

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

static void add_to_tree(struct chardev *c)
{
    const struct part *part = data_part(c->vm->data, "chardev", c->backend);
    struct placing place = { .parent = qom_at(c->vm->tree, "/chardevs"), .name = c->id, .id = c->id };
    if (part && place.parent)
        c->node = compose_part(c->vm, part, &place);
    add_address(c);
}

struct chardev *chardev_create(struct vm *vm, const struct json *given, struct error *err)
{
    const char *id = keyval_text(given, "id");
    if (!id)
        return fail(err, ERR_INVALID_ARG, "chardev: no id specified"), NULL;
    if (chardev_find(vm, id))
        return fail(err, ERR_INVALID_ARG, "Duplicate ID '%s' for chardev", id), NULL;
    struct chardev *c = chardev_open(vm, arena_copy(vm->arena, id), given, err);
    if (!c)
        return NULL;
    add_to_tree(c);
    vector_push(&vm->chardevs, c);
    return c;
}

/* ---- the end of one ---- */

/* Gives back all that the back end holds. */
static void close_backend(struct chardev *c)
{
    bool bound = c->listener || c->listening >= 0;
    int *const numbers[] = { &c->listening, &c->fd, &c->slave, &c->out, &c->log };
    timer_free(c->reconnect);
    stream_free(c->stream);
    listener_free(c->listener);
    if (bound && c->path)
        (void) unlink(c->path);         /* as QEMU does, whoever made the socket */
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        if (*numbers[i] >= 0)
            close(*numbers[i]);
    buffer_done(&c->ring);
}

int chardev_change(struct chardev *c, const struct json *given, struct error *err)
{
    struct chardev *other = chardev_open(c->vm, c->id, given, err);
    if (!other)
        return -1;
    struct monitor *monitor = c->monitor;
    const struct chardev_front *front = c->front;
    void *front_arg = c->front_arg;
    bool used = c->used;
    if (c->node)
        qom_node_remove(c->vm->tree, c->node);
    close_backend(c);
    *c = *other;
    free(other);
    c->monitor = monitor, c->front = front, c->front_arg = front_arg, c->used = used;
    add_to_tree(c);
    chardev_start(c);
    return 0;
}

void chardev_remove(struct chardev *c)
{
    struct vm *vm = c->vm;
    for (size_t i = 0; i < vm->chardevs.count; i++)
        if (vm->chardevs.items[i] == c) {
            vector_remove(&vm->chardevs, i);
            break;
        }
    if (c->node)
        qom_node_remove(vm->tree, c->node);
    chardev_free(c);
}

void chardev_free(struct chardev *c)
{
    if (!c)
        return;
    close_backend(c);
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
    c->used = c->used && front;
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

bool chardev_is_busy(const struct chardev *c)
{
    return c->front || c->monitor;
}

bool chardev_is_ring(const struct chardev *c)
{
    return c->ring_size;
}

size_t chardev_ring_read(struct chardev *c, size_t most, struct buffer *out)
{
    size_t length = c->ring.length < most ? c->ring.length : most;
    buffer_add(out, c->ring.data, length);
    buffer_drop(&c->ring, length);
    return length;
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
