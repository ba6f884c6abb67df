/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/netdev.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/keyval.h"

struct netdev *netdev_find(const struct vm *vm, const char *id)
{
    for (size_t i = 0; i < vm->netdevs.count; i++)
        if (text_equal(vm->netdevs.items[i]->id, id))
            return vm->netdevs.items[i];
    return NULL;
}

/* Passed descriptors are what our parent says they are, or not there at all. */
static int check_fd(const struct vm *vm, const char *id, const char *text, struct error *err)
{
    uint64_t number;
    if (!text || !text_to_u64(text, INT32_MAX, &number))
        return 0;
    if (fcntl((int) number, F_GETFD) >= 0)
        return 0;
    const char *why = strerror(errno);
    if (vm_is(vm, 11))
        return fail(err, ERR_INVALID_ARG, "Can't set file descriptor %s non-blocking: %s: %s", text, why,
                    why);
    return fail(err, ERR_INVALID_ARG, "%s: Can't use file descriptor %s: %s", id, text, why);
}

/* What the two kinds take that are used with guests of our size; the others are not looked into. */
static const struct { const char *type; const char *keys[32]; } own_keys[] = {
    { "user",
      { "hostname",
        "restrict",
        "ipv4",
        "ipv6",
        "ip",
        "net",
        "host",
        "tftp",
        "bootfile",
        "dhcpstart",
        "dns",
        "dnssearch",
        "domainname",
        "ipv6-prefix",
        "ipv6-prefixlen",
        "ipv6-host",
        "ipv6-dns",
        "smb",
        "smbserver",
        "hostfwd",
        "guestfwd",
        "tftp-server-name" } },
    { "tap",
      { "ifname", "fd", "fds", "script", "downscript", "br", "helper", "sndbuf", "vnet_hdr", "vhost",
        "vhostfd", "vhostfds", "vhostforce", "queues", "poll-us" } },
};

static int check_keys(const char *type, const struct json *given, struct error *err)
{
    for (size_t i = 0; i < ARRAY_COUNT(own_keys); i++) {
        if (!text_equal(own_keys[i].type, type))
            continue;
        for (size_t m = 0; m < given->length; m++) {
            const char *key = given->members[m].key;
            size_t k = 0;
            while (k < ARRAY_COUNT(own_keys[i].keys) && own_keys[i].keys[k] &&
                   !text_equal(own_keys[i].keys[k], key))
                k++;
            bool common = text_equal(key, "type") || text_equal(key, "id");
            if (!common && (k == ARRAY_COUNT(own_keys[i].keys) || !own_keys[i].keys[k]))
                return fail(err, ERR_INVALID_ARG, "Invalid parameter '%s'", key);
        }
    }
    return 0;
}

int netdev_create(struct vm *vm, const struct json *given, struct error *err)
{
    static const char *const types[] = { "user",       "tap",        "bridge",  "socket", "stream", "dgram",
                                         "vhost-user", "vhost-vdpa", "hubport", "l2tpv3", "vde",    "passt" };
    const char *type = keyval_text(given, "type"), *id = keyval_text(given, "id");
    size_t i = 0;
    if (!id)
        return fail(err, ERR_INVALID_ARG, "Parameter 'id' is missing");
    if (!type)
        return fail(err, ERR_INVALID_ARG, "Parameter 'type' is missing");
    while (i < ARRAY_COUNT(types) && !text_equal(types[i], type))
        i++;
    if (i == ARRAY_COUNT(types))
        return fail(err, ERR_INVALID_ARG, "Parameter 'type' does not accept value '%s'", type);
    if (netdev_find(vm, id))
        return fail(err, ERR_INVALID_ARG, "Duplicate ID '%s' for netdev", id);
    if (check_keys(type, given, err) < 0 || check_fd(vm, id, keyval_text(given, "fd"), err) < 0 ||
        check_fd(vm, id, keyval_text(given, "vhostfd"), err) < 0)
        return -1;
    struct netdev *n = ARENA_NEW(vm->arena, struct netdev);
    *n = (struct netdev) { .id = arena_copy(vm->arena, id), .type = types[i] };
    vector_push(&vm->netdevs, n);
    return 0;
}

int netdev_delete(struct vm *vm, const char *id, struct error *err)
{
    for (size_t i = 0; i < vm->netdevs.count; i++)
        if (text_equal(vm->netdevs.items[i]->id, id)) {
            vector_remove(&vm->netdevs, i);
            return 0;
        }
    return fail(err, ERR_DEVICE_MISSING, "Device '%s' not found", id);
}
