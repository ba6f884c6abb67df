/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/migrate_uri.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/descriptors.h"
#include "simvmm/keyval.h"

/* ---- reading ---- */

static int parse_tcp(struct migrate_uri *uri, const char *at, struct arena *arena, struct error *err)
{
    const char *colon = strrchr(at, ':'), *comma = strchr(at, ',');
    bool brackets = *at == '[';
    if (!colon || colon == at + strlen(at) - 1 || (brackets && colon[-1] != ']'))
        return fail(err, ERR_INVALID_ARG, "error parsing address '%s'", at);
    uri->host = brackets ? arena_copy_bytes(arena, at + 1, (size_t) (colon - at) - 2)
                         : arena_copy_bytes(arena, at, (size_t) (colon - at));
    uri->port = arena_copy_bytes(arena, colon + 1,
                                 comma && comma > colon ? (size_t) (comma - colon) - 1 : strlen(colon + 1));
    return 0;
}

static int parse_file(struct migrate_uri *uri, const char *at, struct arena *arena, struct error *err)
{
    const char *option = strstr(at, ",offset=");
    uri->path = option ? arena_copy_bytes(arena, at, (size_t) (option - at)) : arena_copy(arena, at);
    if (option && !keyval_parse_size(option + strlen(",offset="), 1, &uri->offset))
        return fail(err, ERR_INVALID_ARG, "file URI has bad offset %s: Invalid argument",
                    option + strlen(",offset="));
    return 0;
}

int migrate_uri_parse(const struct vm *vm, const char *text, struct arena *arena, struct migrate_uri *ret_uri,
                      struct error *err)
{
    static const struct {
        const char *prefix;
        enum migrate_transport transport;
    } kinds[] = {
        { "tcp:", MIGRATE_TCP },
        { "unix:", MIGRATE_UNIX },
        { "fd:", MIGRATE_FD },
        { "file:", MIGRATE_FILE },
    };
    size_t k = 0;
    while (k < ARRAY_COUNT(kinds) && !text_starts(text, kinds[k].prefix))
        k++;
    if (k == ARRAY_COUNT(kinds) || (kinds[k].transport == MIGRATE_FILE && !vm_is(vm, 11)))
        return fail(err, ERR_INVALID_ARG, "unknown migration protocol: %s", text);
    struct migrate_uri uri = { .transport = kinds[k].transport, .text = arena_copy(arena, text) };
    const char *rest = text + strlen(kinds[k].prefix);
    if (uri.transport == MIGRATE_TCP && parse_tcp(&uri, rest, arena, err) < 0)
        return -1;
    if (uri.transport == MIGRATE_FILE && parse_file(&uri, rest, arena, err) < 0)
        return -1;
    if (uri.transport == MIGRATE_UNIX || uri.transport == MIGRATE_FD)
        uri.path = arena_copy(arena, rest);
    *ret_uri = uri;
    return 0;
}

static int read_socket(const struct json *address, struct arena *arena, struct migrate_uri *uri,
                       struct error *err)
{
    const char *type = json_get_text(address, "type");
    if (text_equal(type, "unix") && json_get_text(address, "path")) {
        uri->transport = MIGRATE_UNIX;
        uri->path = arena_copy(arena, json_get_text(address, "path"));
    } else if (text_equal(type, "fd") && json_get_text(address, "str")) {
        uri->transport = MIGRATE_FD;
        uri->path = arena_copy(arena, json_get_text(address, "str"));
    } else if (text_equal(type, "inet") && json_get_text(address, "host") && json_get_text(address, "port")) {
        uri->transport = MIGRATE_TCP;
        uri->host = arena_copy(arena, json_get_text(address, "host"));
        uri->port = arena_copy(arena, json_get_text(address, "port"));
    } else {
        return fail(err, ERR_INVALID_ARG, "Parameter 'type' does not accept value '%s'", type ? type : "");
    }
    return 0;
}

static int read_channels(const struct json *channels, struct arena *arena, struct migrate_uri *ret_uri,
                         struct error *err)
{
    const struct json *address = json_get(json_at(channels, 0), "addr");
    const char *transport = json_get_text(address, "transport");
    struct migrate_uri uri = { .text = "" };
    if (channels->length != 1)
        return fail(err, ERR_INVALID_ARG, "Channel list must have one entry");
    if (text_equal(transport, "file") && json_get_text(address, "filename")) {
        uri.transport = MIGRATE_FILE;
        uri.path = arena_copy(arena, json_get_text(address, "filename"));
        (void) json_to_u64(json_get(address, "offset"), &uri.offset);
    } else if (!text_equal(transport, "socket")) {
        return fail(err, ERR_INVALID_ARG, "Parameter 'transport' does not accept value '%s'",
                    transport ? transport : "");
    } else if (read_socket(address, arena, &uri, err) < 0) {
        return -1;
    }
    *ret_uri = uri;
    return 0;
}

int migrate_uri_read(const struct vm *vm, const struct json *arguments, struct arena *arena,
                     struct migrate_uri *ret_uri, struct error *err)
{
    const char *text = json_get_text(arguments, "uri");
    const struct json *channels = json_get(arguments, "channels");
    if (text && channels)
        return fail(err, ERR_INVALID_ARG,
                    "'uri' and 'channels' arguments are mutually exclusive; exactly one of "
                    "the two should be present in 'migrate' qmp command ");
    if (channels)
        return read_channels(channels, arena, ret_uri, err);
    if (!text)
        return fail(err, ERR_INVALID_ARG, "need either 'uri' or 'channels' argument");
    return migrate_uri_parse(vm, text, arena, ret_uri, err);
}

/* ---- opening ---- */

static int unix_address(const char *path, struct sockaddr_un *ret_address, struct error *err)
{
    *ret_address = (struct sockaddr_un) { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof ret_address->sun_path)
        return fail(err, ERR_INVALID_ARG,
                    "UNIX socket path '%s' is too long\nPath must be less than %zu bytes", path,
                    sizeof ret_address->sun_path);
    strcpy(ret_address->sun_path, path);
    return 0;
}

/* Begins to connect, or listens. */
static int attach(const struct sockaddr *address, socklen_t size, bool listens, const char *name,
                  struct error *err)
{
    owned_fd int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return fail(err, ERR_INVALID_ARG, "Failed to create socket: %s", strerror(errno));
    int yes = 1;
    if (listens && address->sa_family != AF_UNIX)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (!listens && connect(fd, address, size) < 0 && errno != EINPROGRESS)
        return fail(err, ERR_INVALID_ARG, "Failed to connect to '%s': %s", name, strerror(errno));
    if (listens && bind(fd, address, size) < 0)
        return fail(err, ERR_INVALID_ARG,
                    address->sa_family == AF_UNIX ? "Failed to bind socket to %2$s: %1$s"
                                                  : "Failed to find an available port: %1$s",
                    strerror(errno), name);
    if (listens && listen(fd, 1) < 0)
        return fail(err, ERR_INVALID_ARG, "Failed to listen on socket: %s", strerror(errno));
    int taken = fd;
    fd = -1;
    return taken;
}

static int open_tcp(const struct migrate_uri *uri, bool listens, struct error *err)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = listens ? AI_PASSIVE : 0 },
                    *found = NULL;
    int rc = getaddrinfo(*uri->host ? uri->host : NULL, uri->port, &hints, &found);
    if (rc)
        return fail(err, ERR_INVALID_ARG, "address resolution failed for %s:%s: %s", uri->host, uri->port,
                    gai_strerror(rc));
    owned_memory char *name = memory_printf("%s:%s", uri->host, uri->port);
    int fd = attach(found->ai_addr, found->ai_addrlen, listens, name, err);
    freeaddrinfo(found);
    return fd;
}

static int open_unix(const struct migrate_uri *uri, bool listens, struct error *err)
{
    struct sockaddr_un address;
    if (unix_address(uri->path, &address, err) < 0)
        return -1;
    if (listens)
        (void) unlink(uri->path);
    return attach((struct sockaddr *) &address, sizeof address, listens, uri->path, err);
}

static int open_file(struct vm *vm, const struct migrate_uri *uri, bool writes, struct error *err)
{
    int fd = descriptors_open(vm, uri->path, writes ? O_WRONLY | O_CREAT : O_RDONLY, 0600);
    if (fd < 0)
        return fail(err, ERR_INVALID_ARG, writes ? "Could not create '%s': %s" : "Could not open '%s': %s",
                    uri->path, strerror(errno));
    struct stat info;
    if (writes && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && ftruncate(fd, (off_t) uri->offset) < 0) {
        int number = errno;
        close(fd);
        return fail(err, ERR_INVALID_ARG, "failed to truncate migration file to offset %llx: %s",
                    (unsigned long long) uri->offset, strerror(number));
    }
    (void) lseek(fd, (off_t) uri->offset, SEEK_SET);
    return fd;
}

/* Newer QEMU wants a socket or pipe there; older ones write to anything. */
static int check_kind(const struct vm *vm, int fd, struct error *err)
{
    struct stat info;
    if (vm_is(vm, 11) && fstat(fd, &info) == 0 && !S_ISSOCK(info.st_mode) && !S_ISFIFO(info.st_mode))
        return fail(err, ERR_INVALID_ARG, "fd: migration to a file is not supported. Use file: instead.");
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return 0;
}

static int take_descriptor(struct vm *vm, const struct monitor *monitor, const char *name, bool inherited,
                           struct error *err)
{
    int fd =
        inherited ? descriptors_take(vm, monitor, name, err) : descriptors_take_named(vm, monitor, name, err);
    if (fd >= 0 && check_kind(vm, fd, err) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int migrate_uri_connect(struct vm *vm, const struct monitor *monitor, const struct migrate_uri *uri,
                        bool *ret_late, struct error *err)
{
    *ret_late = uri->transport == MIGRATE_UNIX || uri->transport == MIGRATE_TCP;
    switch (uri->transport) {
    case MIGRATE_FILE:
        return open_file(vm, uri, true, err);
    case MIGRATE_FD:
        return take_descriptor(vm, monitor, uri->path, false, err);
    case MIGRATE_UNIX:
        return open_unix(uri, false, err);
    default:
        return open_tcp(uri, false, err);
    }
}

int migrate_uri_open(struct vm *vm, const struct monitor *monitor, const struct migrate_uri *uri,
                     bool *ret_listens, struct error *err)
{
    *ret_listens = uri->transport == MIGRATE_UNIX || uri->transport == MIGRATE_TCP;
    switch (uri->transport) {
    case MIGRATE_FILE:
        return open_file(vm, uri, false, err);
    case MIGRATE_FD:
        return take_descriptor(vm, monitor, uri->path, true, err);
    case MIGRATE_UNIX:
        return open_unix(uri, true, err);
    default:
        return open_tcp(uri, true, err);
    }
}
