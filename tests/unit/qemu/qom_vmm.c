/* SPDX-License-Identifier: Apache-2.0 */
#include "qom_vmm.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/socket.h>

#include "loop/stream.h"

static const char greeting[] =
    "{\"QMP\": {\"version\": {\"qemu\": {\"micro\": 3, \"minor\": 1, \"major\": 11}, \"package\": \"\"}, "
    "\"capabilities\": [\"oob\"]}}\r\n";

static void say(struct vmm_peer *peer, const struct buffer *line)
{
    if (peer->mute)
        return;
    peer->reply_bytes += line->length;
    if (peer->hold)
        buffer_add(&peer->held, line->data, line->length);
    else
        stream_write(peer->stream, line->data, line->length);
}

static void answer(struct vmm_peer *peer, const struct json *request, const char *value)
{
    owned_buffer struct buffer line = { 0 };
    struct json_writer w = { .out = &line, .spaced = true };
    json_open(&w, '{');
    json_key(&w, "return"), json_raw(&w, value);
    json_key(&w, "id"), json_value(&w, json_get(request, "id"));
    json_close(&w, '}');
    buffer_add_text(&line, "\r\n");
    say(peer, &line);
}

static void refuse(struct vmm_peer *peer, const struct json *request, const char *class, const char *format,
                   const char *name)
{
    owned_buffer struct buffer line = { 0 }, text = { 0 };
    struct json_writer w = { .out = &line, .spaced = true };
    buffer_printf(&text, "%s'%s'%s", format[0] == 'P' ? "Path " : "Device ", name, strchr(format, '|') + 1);
    json_open(&w, '{');
    json_key(&w, "id"), json_value(&w, json_get(request, "id"));
    json_key(&w, "error"), json_open(&w, '{');
    json_key(&w, "class"), json_string(&w, class);
    json_key(&w, "desc"), json_string(&w, text.data);
    json_close(&w, '}');
    json_close(&w, '}');
    buffer_add_text(&line, "\r\n");
    say(peer, &line);
}

/* The object, or NULL with the refusal sent. */
static const struct peer_node *resolve(struct vmm_peer *peer, const struct json *request, const char *path)
{
    bool ambiguous;
    const struct peer_node *node = peer_resolve(peer->tree, path, &ambiguous);
    if (ambiguous)
        refuse(peer, request, "GenericError", "P| is ambiguous", path);
    else if (!node)
        refuse(peer, request, "DeviceNotFound", "D| not found", path);
    return node;
}

static void on_bulk(struct vmm_peer *peer, const struct json *request, const struct json *arguments)
{
    const struct json *paths = json_get(arguments, "paths");
    owned_buffer struct buffer value = { 0 };
    struct json_writer w = { .out = &value, .spaced = true };
    peer->bulk_calls++;
    peer->paths.length = 0;
    json_open(&w, '[');
    for (size_t i = 0; i < paths->length; i++) {
        buffer_printf(&peer->paths, "%s\n", json_text(paths->items[i]));
        const struct peer_node *node = resolve(peer, request, json_text(paths->items[i]));
        if (!node)
            return;
        if (peer->broken_names && i == 0)
            continue;
        json_open(&w, '{');
        json_key(&w, "properties");
        peer_list(peer->tree, node, true, &w);
        json_close(&w, '}');
    }
    json_close(&w, ']');
    answer(peer, request, value.data);
}

static void on_list(struct vmm_peer *peer, const struct json *request, const struct json *arguments)
{
    owned_buffer struct buffer value = { 0 };
    struct json_writer w = { .out = &value, .spaced = true };
    const struct peer_node *node = resolve(peer, request, json_get_text(arguments, "path"));
    peer->list_calls++;
    if (!node)
        return;
    peer_list(peer->tree, node, false, &w);
    answer(peer, request, value.data);
}

static void on_get(struct vmm_peer *peer, const struct json *request, const struct json *arguments)
{
    owned_buffer struct buffer value = { 0 };
    owned(arena) struct arena *arena = arena_new();
    error_scope(err);
    struct json_writer w = { .out = &value };
    const struct peer_node *node = resolve(peer, request, json_get_text(arguments, "path"));
    peer->get_calls++;
    if (!node)
        return;
    peer_list(peer->tree, node, true, &w);
    const struct json *list = json_parse(value.data, value.length, arena, &err);
    for (size_t i = 0; json_at(list, i); i++) {
        const struct json *entry = json_at(list, i);
        if (strcmp(json_get_text(entry, "name"), json_get_text(arguments, "property")) != 0)
            continue;
        if (!json_get(entry, "value")) {
            refuse(peer, request, "GenericError", "D| is not readable", json_get_text(entry, "name"));
            return;
        }
        value.length = 0;
        w = (struct json_writer) { .out = &value };
        json_value(&w, json_get(entry, "value"));
        answer(peer, request, value.data);
        return;
    }
    refuse(peer, request, "GenericError", "D| has no such property", json_get_text(arguments, "property"));
}

static void on_tree(struct vmm_peer *peer, const struct json *request, const struct json *arguments)
{
    owned_buffer struct buffer value = { 0 };
    struct json_writer w = { .out = &value, .spaced = true };
    const struct peer_node *node = resolve(peer, request, json_get_text(arguments, "path"));
    if (!node)
        return;
    peer_list_deep(peer->tree, node, &w);
    answer(peer, request, value.data);
}

/* As "info qom-tree" prints it, but for the order of children. */
static void list_below(const struct peer_tree *t, const struct peer_node *node, unsigned level,
                       struct buffer *out)
{
    size_t length = strlen(node->path) == 1 ? 0 : strlen(node->path);
    buffer_printf(out, "%*s/%s (%s)\r\n", (int) (2 * level), "", strrchr(node->path, '/') + 1, node->type);
    for (size_t i = 0; i < t->count; i++) {
        const struct peer_node *n = t->nodes[i];
        if (!n->gone && n != node && strncmp(n->path, node->path, length) == 0 && n->path[length] == '/' &&
            strrchr(n->path, '/') == n->path + length)
            list_below(t, n, level + 1, out);
    }
}

static void on_human(struct vmm_peer *peer, const struct json *request, const struct json *arguments)
{
    owned_buffer struct buffer text = { 0 }, value = { 0 };
    struct json_writer w = { .out = &value };
    if (peer->no_listing)
        buffer_add_text(&text, "unknown command: 'info qom-tree /'\r\n");
    else
        list_below(peer->tree, peer_node(peer->tree, "/"), 0, &text);
    json_string(&w, text.data);
    answer(peer, request, value.data);
}

static void on_nothing(struct vmm_peer *peer, const struct json *request, const struct json *arguments)
{
    answer(peer, request, "{}");
}

static const struct {
    const char *command;
    void (*run)(struct vmm_peer *, const struct json *, const struct json *);
} commands[] = {
    { "qmp_capabilities", on_nothing }, { "query-status", on_nothing }, { "qom-list-get", on_bulk },
    { "qom-list-getv", on_bulk },       { "qom-list", on_list },        { "qom-get", on_get },
    { "qom-tree-get", on_tree },        { "human-monitor-command", on_human },
};

static void on_request(void *arg, struct arena *arena, const struct json *request, size_t bytes)
{
    struct vmm_peer *peer = arg;
    const char *command = json_get_text(request, "execute");
    peer->calls += strcmp(command, "qmp_capabilities") != 0;
    peer->largest_request = bytes > peer->largest_request ? bytes : peer->largest_request;
    if (peer->before)
        peer->before(peer, command);
    for (size_t i = 0; i < ARRAY_COUNT(commands); i++)
        if (strcmp(command, commands[i].command) == 0)
            commands[i].run(peer, request, json_get(request, "arguments"));
    arena_free(arena);
}

static void on_input(void *arg, const char *bytes, size_t length)
{
    struct vmm_peer *peer = arg;
    error_scope(err);
    cr_assert_eq(json_parser_feed(peer->parser, bytes, length, &err), 0, "%s", error_text(&err));
}

static void on_closed(void *arg, const char *reason)
{
}

static const struct stream_handler handler = { .input = on_input, .closed = on_closed };
static const struct monitor_handler monitor_handler = { 0 };

void vmm_peer_open(struct vmm_peer *peer, struct peer_tree *tree)
{
    int fds[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    *peer = (struct vmm_peer) { .tree = tree };
    peer->stream = stream_new(fds[0], &handler, peer);
    peer->parser = json_parser_new(16 << 20, 64, on_request, peer);
    stream_write(peer->stream, greeting, sizeof greeting - 1);
    peer->monitor = monitor_open(fds[1], "domain 'vm1'", &monitor_handler, NULL);
}

void vmm_peer_close(struct vmm_peer *peer)
{
    monitor_free(peer->monitor);
    stream_free(peer->stream);
    json_parser_free(peer->parser);
    buffer_done(&peer->paths);
    buffer_done(&peer->held);
}

void vmm_peer_release(struct vmm_peer *peer)
{
    peer->hold = false;
    stream_write(peer->stream, buffer_text(&peer->held), peer->held.length);
    peer->held.length = 0;
}
