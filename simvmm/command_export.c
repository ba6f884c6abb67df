/* SPDX-License-Identifier: Apache-2.0 */
/* The NBD server, and the nodes that it shows. */
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/block.h"
#include "simvmm/command.h"
#include "simvmm/given.h"
#include "simvmm/monitor.h"
#include "simvmm/nbd.h"
#include "simvmm/value.h"

enum { CLIENTS_MAX = 100 };

/* ---- the server ---- */

static int listen_unix(const char *path, int *ret_fd, struct error *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path)
        return fail(err, ERR_INVALID_ARG, "UNIX socket path '%s' is too long", path);
    memcpy(address.sun_path, path, strlen(path));
    owned_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    unlink(path);
    if (fd < 0 || bind(fd, (struct sockaddr *) &address, sizeof address) < 0 || listen(fd, CLIENTS_MAX) < 0)
        return fail(err, ERR_INVALID_ARG, "Failed to bind socket to %s: %s", path, strerror(errno));
    *ret_fd = own_take_fd(&fd);
    return 0;
}

static int listen_inet(const char *host, const char *port, int *ret_fd, struct error *err)
{
    struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM }, *found = NULL;
    int on = 1, rc = getaddrinfo(*host ? host : NULL, port, &hints, &found);
    if (rc != 0)
        return fail(err, ERR_INVALID_ARG, "address resolution failed for %s:%s: %s", host, port,
                    gai_strerror(rc));
    owned_fd int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    int bad = fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) < 0 || listen(fd, CLIENTS_MAX) < 0;
    int number = errno;
    freeaddrinfo(found);
    if (bad)
        return fail(err, ERR_INVALID_ARG, "Failed to find an available port: %s", strerror(number));
    *ret_fd = own_take_fd(&fd);
    return 0;
}

static int listen_at(const struct json *address, int *ret_fd, struct error *err)
{
    static const char *const types[] = { "inet", "unix", "vsock", "fd", NULL };
    const struct json *data = json_get(address, "data");
    unsigned type = 0;
    if (!json_get_text(address, "type"))
        return fail(err, ERR_INVALID_ARG, "Parameter 'addr.type' is missing");
    if (given_word(address, "type", types, &type, err) < 0)
        return -1;
    if (!data)
        return fail(err, ERR_INVALID_ARG, "Parameter 'addr.data' is missing");
    const char *path = json_get_text(data, "path"), *host = json_get_text(data, "host"),
               *port = json_get_text(data, "port");
    if (type > 1)
        return fail(err, ERR_NO_SUPPORT, "NBD servers on '%s' addresses are not simulated", types[type]);
    if (type == 1)
        return path ? listen_unix(path, ret_fd, err)
                    : fail(err, ERR_INVALID_ARG, "Parameter 'addr.data.path' is missing");
    if (!host || !port)
        return fail(err, ERR_INVALID_ARG, "Parameter 'addr.data.%s' is missing", host ? "port" : "host");
    return listen_inet(host, port, ret_fd, err);
}

static int server_start(struct call *call, struct error *err)
{
    const struct json *address = json_get(call->arguments, "addr");
    int64_t most = given_number(call->arguments, "max-connections", CLIENTS_MAX);
    int fd = -1;
    if (json_get(call->arguments, "tls-creds"))
        return fail(err, ERR_NO_SUPPORT, "TLS on the NBD server is not simulated");
    if (call->vm->nbd)
        return fail(err, ERR_INVALID_ARG, "NBD server already running");
    if (listen_at(address, &fd, err) < 0)
        return -1;
    most = most <= 0 || most > CLIENTS_MAX ? CLIENTS_MAX : most;
    call->vm->nbd = nbd_new(call->vm, fd, json_get_text(json_get(address, "data"), "path"), (unsigned) most);
    return 0;
}

/* ---- exports ---- */

static struct export *find(const struct vm *vm, const char *id)
{
    for (size_t i = 0; i < vm->exports.count; i++)
        if (text_equal(vm->exports.items[i]->id, id))
            return vm->exports.items[i];
    return NULL;
}

static int add(struct call *call, struct export draft, struct error *err)
{
    struct vm *vm = call->vm;
    if (!vm->nbd)
        return fail(err, ERR_INVALID_ARG, "NBD server not running");
    if (draft.writable && draft.node->read_only)
        return fail(err, ERR_INVALID_ARG, "Cannot export read-only node as writable");
    for (size_t i = 0; i < vm->exports.count; i++)
        if (text_equal(vm->exports.items[i]->name, draft.name))
            return fail(err, ERR_INVALID_ARG, "NBD server already has export named '%s'", draft.name);
    struct export *e = NEW(struct export);
    *e = (struct export) { memory_copy_text(draft.id), memory_copy_text(draft.name),
                           memory_copy_text(draft.description), draft.node, draft.writable };
    block_ref(e->node);
    vector_push(&vm->exports, e);
    return 0;
}

static int export_add(struct call *call, struct error *err)
{
    static const char *const types[] = { "nbd", "vhost-user-blk", "fuse", "vduse-blk", NULL };
    const struct json *given = call->arguments;
    const char *id = json_get_text(given, "id"), *node = json_get_text(given, "node-name"),
               *name = json_get_text(given, "name");
    unsigned type = 0;
    if (given_word(given, "type", types, &type, err) < 0)
        return -1;
    if (type)
        return fail(err, ERR_NO_SUPPORT, "exports of type '%s' are not simulated", types[type]);
    if (find(call->vm, id))
        return fail(err, ERR_INVALID_ARG, "Block export id '%s' is already in use", id);
    struct block_node *b = block_get(call->vm, NULL, node, err);
    if (!b)
        return -1;
    return add(call,
               (struct export) { (char *) id, (char *) (name ? name : node),
                                 (char *) json_get_text(given, "description"), b,
                                 given_bool(given, "writable", false) },
               err);
}

static int server_add(struct call *call, struct error *err)
{
    const struct json *given = call->arguments;
    const char *device = json_get_text(given, "device"), *name = json_get_text(given, "name");
    struct block_node *b = block_get(call->vm, device, device, err);
    if (!b)
        return -1;
    name = name ? name : device;
    if (call->vm->nbd && find(call->vm, name))
        return fail(err, ERR_INVALID_ARG, "Block export id '%s' is already in use", name);
    bool writable = given_bool(given, "writable", false) && !b->read_only;
    return add(call,
               (struct export) { (char *) name, (char *) name, (char *) json_get_text(given, "description"),
                                 b, writable },
               err);
}

static void drop(struct vm *vm, struct export *e)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    if (vm->nbd)
        nbd_cut_off(vm->nbd, e);
    for (size_t i = 0; i < vm->exports.count; i++)
        if (vm->exports.items[i] == e) {
            vector_remove(&vm->exports, i);
            break;
        }
    value_set_text(a, data, "id", e->id);
    event_emit(vm, "BLOCK_EXPORT_DELETED", data);
    block_unref(e->node);
    free(e->id);
    free(e->name);
    free(e->description);
    free(e);
}

static int delete (struct call *call, struct export *e, const char *id, struct error *err)
{
    static const char *const modes[] = { "safe", "hard", NULL };
    unsigned mode = 0;
    if (given_word(call->arguments, "mode", modes, &mode, err) < 0)
        return -1;
    if (!e)
        return fail(err, ERR_INVALID_ARG, "Export '%s' is not found", id);
    if (mode == 0 && nbd_clients(call->vm->nbd, e))
        return fail(err, ERR_INVALID_ARG, "export '%s' still in use", id);
    drop(call->vm, e);
    return 0;
}

static int export_del(struct call *call, struct error *err)
{
    const char *id = json_get_text(call->arguments, "id");
    return delete (call, find(call->vm, id), id, err);
}

static int server_remove(struct call *call, struct error *err)
{
    const char *name = json_get_text(call->arguments, "name");
    if (!call->vm->nbd)
        return fail(err, ERR_INVALID_ARG, "NBD server not running");
    return delete (call, find(call->vm, name), name, err);
}

void exports_done(struct vm *vm)
{
    while (vm->exports.count)
        drop(vm, vm->exports.items[0]);
    vector_done(&vm->exports);
    nbd_free(vm->nbd);
    vm->nbd = NULL;
}

static int server_stop(struct call *call, struct error *err)
{
    if (!call->vm->nbd)
        return fail(err, ERR_INVALID_ARG, "NBD server not running");
    exports_done(call->vm);
    return 0;
}

static int query_exports(struct call *call, struct error *err)
{
    struct json *list = value_array(call->arena);
    (void) err;
    for (size_t i = call->vm->exports.count; i-- > 0;) {
        const struct export *e = call->vm->exports.items[i];
        struct json *v = value_object(call->arena);
        value_set_text(call->arena, v, "id", e->id);
        value_set_text(call->arena, v, "type", "nbd");
        value_set_text(call->arena, v, "node-name", e->node->name);
        value_set_bool(call->arena, v, "shutting-down", false);
        value_push(call->arena, list, v);
    }
    call_return(call, list);
    return 0;
}

#define END                                                                                                  \
    {                                                                                                        \
        NULL, 0, false                                                                                       \
    }
#define SERVER                                                                                               \
    { "tls-creds", ARG_TEXT, true }, { "tls-authz", ARG_TEXT, true },                                        \
    {                                                                                                        \
        "max-connections", ARG_NUMBER, true                                                                  \
    }
#define ADDRESS                                                                                              \
    {                                                                                                        \
        "addr", ARG_OBJECT, false                                                                            \
    }
#define EXPORT                                                                                               \
    { "type", ARG_TEXT, false }, { "id", ARG_TEXT, false }, { "node-name", ARG_TEXT, false },                \
        { "writable", ARG_BOOL, true }, { "writethrough", ARG_BOOL, true }, { "name", ARG_TEXT, true },      \
    {                                                                                                        \
        "description", ARG_TEXT, true                                                                        \
    }

static const struct argument start_args[] = {
    { "handshake-max-seconds", ARG_NUMBER, true }, SERVER, ADDRESS, END
};
static const struct argument old_start_args[] = { ADDRESS, SERVER, END };
static const struct argument server_add_args[] = {
    { "name", ARG_TEXT, true },
    { "description", ARG_TEXT, true },
    { "device", ARG_TEXT, false },
    { "writable", ARG_BOOL, true },
    END,
};
static const struct argument remove_args[] = { { "name", ARG_TEXT, false }, { "mode", ARG_TEXT, true }, END };
static const struct argument export_args[] = { EXPORT, { "allow-inactive", ARG_BOOL, true }, END };
static const struct argument old_export_args[] = { EXPORT, END };
static const struct argument del_args[] = { { "id", ARG_TEXT, false }, { "mode", ARG_TEXT, true }, END };

const struct command export_commands[] = {
    { "nbd-server-start", ONLY_MODERN, server_start, start_args },
    { "nbd-server-start", ONLY_OLD, server_start, old_start_args },
    { "nbd-server-add", ALWAYS, server_add, server_add_args },
    { "nbd-server-remove", ALWAYS, server_remove, remove_args },
    { "nbd-server-stop", ALWAYS, server_stop, NULL },
    { "block-export-add", ONLY_MODERN, export_add, export_args },
    { "block-export-add", ONLY_OLD, export_add, old_export_args },
    { "block-export-del", ALWAYS, export_del, del_args },
    { "query-block-exports", ALWAYS, query_exports, NULL },
    { NULL, ALWAYS, NULL, NULL },
};
