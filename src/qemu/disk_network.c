/* SPDX-License-Identifier: Apache-2.0 */
/* Images that a server has: what the block layer is told instead of a file's name. */
#include "qemu/disk.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static const struct protocol { const char *name; unsigned port; bool unix_too; } protocols[] = {
    { "nbd", 10809, true }, { "iscsi", 3260, false }, { "http", 80, false }, { "https", 443, false },
    { "ftp", 21, false }, { "ftps", 990, false }, { "ssh", 22, false },
};

static const struct protocol *find_protocol(const struct disk *disk)
{
    for (size_t i = 0; i < ARRAY_COUNT(protocols); i++)
        if (text_equal(protocols[i].name, disk->protocol))
            return &protocols[i];
    return NULL;
}

int disk_check_network(const struct disk *disk, struct error *err)
{
    const struct protocol *protocol = find_protocol(disk);
    if (!protocol)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "protocol '%s' is not supported; nbd, iscsi, http, https, ftp, ftps and ssh are",
                    disk->protocol ? disk->protocol : "");
    if (disk->hosts.count != 1)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "protocol '%s' needs exactly one <host>", disk->protocol);
    const struct disk_host *host = disk->hosts.items[0];
    bool is_unix = host->transport == TRANSPORT_UNIX;
    if (host->transport > (protocol->unix_too ? TRANSPORT_UNIX : TRANSPORT_TCP))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "transport '%s' is not supported for protocol '%s'",
                    enum_word(&host_transport_names, host->transport), disk->protocol);
    if (is_unix ? !host->socket : !host->name)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<host> lacks a %s", is_unix ? "socket" : "name");
    if (!disk->source_name && !protocol->unix_too)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "protocol '%s' needs a name", disk->protocol);
    if (disk->tls == YES)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "tls='yes' is not supported");
    return 0;
}

static char *port_of(const struct disk *disk)
{
    const char *port = disk->hosts.items[0]->port;
    return port ? memory_copy_text(port) : memory_printf("%u", find_protocol(disk)->port);
}

static void add_nbd(struct props *node, const struct disk *disk, const char *port)
{
    const struct disk_host *host = disk->hosts.items[0];
    props_begin(node, "driver", "nbd");
    props_object(node, "server");
    props_text(node, "type", host->transport == TRANSPORT_UNIX ? "unix" : "inet");
    props_text(node, "path", host->transport == TRANSPORT_UNIX ? host->socket : NULL);
    if (host->transport != TRANSPORT_UNIX) {
        props_text(node, "host", host->name);
        props_text(node, "port", port);
    }
    props_close_object(node);
    props_text(node, "export", disk->source_name);
    props_positive(node, "reconnect-delay", disk->reconnect_delay);
}

/* The name is the target's, and may have the unit behind it. */
static void add_iscsi(struct props *node, const struct disk *disk, const char *port)
{
    const char *slash = strchr(disk->source_name, '/');
    int length = (int) (slash ? slash - disk->source_name : (long) strlen(disk->source_name));
    bool bare_v6 = strchr(disk->hosts.items[0]->name, ':') != NULL;
    props_begin(node, "driver", "iscsi");
    props_printf(node, "portal", bare_v6 ? "[%s]:%s" : "%s:%s", disk->hosts.items[0]->name, port);
    props_printf(node, "target", "%.*s", length, disk->source_name);
    props_u64(node, "lun", slash ? strtoull(slash + 1, NULL, 10) : 0);
    props_text(node, "transport", "tcp");
    props_text(node, "initiator-name", disk->initiator);
}

static void add_url(struct props *node, const struct disk *disk, const char *port)
{
    bool bare_v6 = strchr(disk->hosts.items[0]->name, ':') != NULL;
    const char *path = disk->source_name;
    props_begin(node, "driver", disk->protocol);
    props_printf(node, "url", bare_v6 ? "%s://[%s]:%s/%s%s%s" : "%s://%s:%s/%s%s%s", disk->protocol,
                 disk->hosts.items[0]->name, port, path + (*path == '/'), disk->query ? "?" : "",
                 disk->query ? disk->query : "");
    if (disk->ssl_verify)
        props_bool(node, "sslverify", disk->ssl_verify == YES);
    props_positive(node, "readahead", disk->read_ahead);
    props_positive(node, "timeout", disk->timeout);
}

static void add_ssh(struct props *node, const struct disk *disk, const char *port)
{
    props_begin(node, "driver", "ssh");
    props_text(node, "path", disk->source_name);
    props_object(node, "server");
    props_text(node, "host", disk->hosts.items[0]->name);
    props_text(node, "port", port);
    props_close_object(node);
}

void disk_begin_network(struct props *node, const struct disk *disk)
{
    owned_memory char *port = port_of(disk);
    if (text_equal(disk->protocol, "nbd"))
        add_nbd(node, disk, port);
    else if (text_equal(disk->protocol, "iscsi"))
        add_iscsi(node, disk, port);
    else if (text_equal(disk->protocol, "ssh"))
        add_ssh(node, disk, port);
    else
        add_url(node, disk, port);
}
