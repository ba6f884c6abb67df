/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/control.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loop/stream.h"
#include "simvmm/clock.h"
#include "simvmm/guest.h"
#include "simvmm/message.h"
#include "simvmm/script.h"

struct client { struct control *control; struct stream *stream; struct buffer input; bool leaving; };

struct control {
    struct vm *vm;
    char *path;
    int fd;                             /* -1 once the listener has it */
    struct listener *listener;
    VECTOR(struct client *) clients;
};

int control_listen(struct vm *vm, const char *path, struct error *err)
{
    if (vm->control)
        return fail(err, ERR_INVALID_ARG, "control= is given twice");
    int fd = unix_listen(path, 0600, CONTROL_CLIENTS_MAX, err);
    if (fd < 0)
        return -1;
    vm->control = NEW(struct control);
    *vm->control = (struct control) { .vm = vm, .path = memory_copy_text(path), .fd = fd };
    return 0;
}

void control_listen_by_environment(struct vm *vm)
{
    const char *path = getenv("SIMVMM_CONTROL");
    error_scope(err);
    if (path && !vm->control && control_listen(vm, path, &err) < 0)
        message_print(vm, "no control socket: %s", error_text(&err));
}

static void client_free(struct client *client)
{
    struct control *c = client->control;
    for (size_t i = 0; i < c->clients.count; i++)
        if (c->clients.items[i] == client) {
            vector_remove(&c->clients, i);
            break;
        }
    stream_free(client->stream);
    buffer_done(&client->input);
    free(client);
    if (c->listener)
        listener_resume(c->listener);
}

/* ---- lines ---- */

static void run_line(struct vm *vm, const char *text, size_t length, struct buffer *out)
{
    error_scope(err);
    struct script_line *line = script_line_parse(text, length, &err);
    bool keep = line && line->when != WHEN_NOW && guest_has_room(vm);
    if (keep)
        guest_take_line(vm, line);
    else if (line && line->when != WHEN_NOW)
        fail(&err, ERR_INVALID_ARG, "the guest has %d lines already", SCRIPT_LINES_MAX);
    else if (line)
        script_line_run(vm, line, out, &err);
    if (!keep)
        script_line_free(line);
    if (err.code == ERR_NONE)
        buffer_add_text(out, "ok\n");
    else
        buffer_printf(out, "error: %s\n", error_text(&err));
}

static void on_input(void *arg, const char *bytes, size_t length)
{
    struct client *client = arg;
    clock_stir(client->control->vm->clock);
    buffer_add(&client->input, bytes, length);
    const char *end;
    while (client->input.length && (end = memchr(client->input.data, '\n', client->input.length))) {
        size_t one = (size_t) (end - client->input.data);
        owned_buffer struct buffer out = { 0 };
        run_line(client->control->vm, client->input.data, one, &out);
        stream_write(client->stream, out.data, out.length);
        buffer_drop(&client->input, one + 1);
    }
    if (client->input.length <= SCRIPT_LINE_MAX)
        return;
    static const char complaint[] = "error: a line is too long\n";
    stream_write(client->stream, complaint, sizeof complaint - 1);
    stream_pause(client->stream);
    client->leaving = true;
}

static void on_closed(void *arg, const char *reason)
{
    (void) reason;
    client_free(arg);
}

static void on_drained(void *arg)
{
    struct client *client = arg;
    if (client->leaving)
        client_free(client);
}

static void on_accepted(void *arg, int fd)
{
    static const struct stream_handler handler = { on_input, on_closed, on_drained };
    struct control *c = arg;
    struct client *client = NEW(struct client);
    client->control = c;
    client->stream = stream_new(fd, &handler, client);
    vector_push(&c->clients, client);
    if (c->clients.count == CONTROL_CLIENTS_MAX)
        listener_pause(c->listener);
}

void control_start(struct control *c)
{
    if (!c)
        return;
    c->listener = listener_new(c->fd, on_accepted, c);
    c->fd = -1;
}

void control_free(struct control *c)
{
    if (!c)
        return;
    listener_free(take(c->listener));
    while (c->clients.count)
        client_free(c->clients.items[0]);
    if (c->fd >= 0)
        close(c->fd);
    unlink(c->path);
    vector_done(&c->clients);
    free(c->path);
    free(c);
}
