/* SPDX-License-Identifier: Apache-2.0 */
/* The connection itself: opening and closing it, what we are and can. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "daemon/capabilities.h"
#include "daemon/daemon.h"
#include "daemon/host.h"
#include "daemon/request.h"
#include "daemon/session.h"
#include "qemu/caps.h"

enum {
    LIBVIRT_LEVEL = 11003000,           /* 11.3.0: clients gate what they offer on it */
    OPEN_READ_ONLY = 1,                 /* other bits leak from inside clients */
};

/* Features that are a promise of this daemon; all others are 0. */
enum {
    FEATURE_FD_PASSING = 8, FEATURE_TYPED_STRINGS = 9, FEATURE_KEEPALIVE = 10, FEATURE_CALLBACK_IDS = 14,
    FEATURE_CLOSE_CALLBACK = 15, FEATURE_NETWORK_UPDATE_ORDER = 16
};

int on_auth_list(struct request *request, const nothing *args, remote_auth_list_ret *ret, struct error *err)
{
    ret->types.types_val = memory_new(sizeof *ret->types.types_val); /* 0: none, the socket's mode decides */
    ret->types.types_len = 1;
    return 0;
}

/* "", qemu:///system and qemu:///session, whatever parameters follow. */
static int check_uri(const char *name, struct error *err)
{
    static const char scheme[] = "qemu://";
    if (!name || !*name)
        return 0;
    if (!text_starts(name, scheme))
        return fail(err, ERR_INTERNAL, "unexpected URI '%s', try qemu:///system", name);
    const char *path = strchr(name + strlen(scheme), '/');
    size_t length = path ? strcspn(path, "?#") : 0;
    if ((length == strlen("/system") && strncmp(path, "/system", length) == 0) ||
        (length == strlen("/session") && strncmp(path, "/session", length) == 0))
        return 0;
    return fail(err, ERR_INTERNAL, "unexpected qemu URI path '%.*s', try qemu:///system", (int) length,
                path ? path : "");
}

int on_connect_open(struct request *request, const remote_connect_open_args *args, nothing *ret,
                    struct error *err)
{
    if (request->session->opened)
        return fail(err, ERR_INTERNAL, "connection already open");
    if (check_uri(args->name ? *args->name : NULL, err) < 0)
        return -1;
    if (args->flags & OPEN_READ_ONLY)
        peer_set_read_only(request->call->peer);
    request->session->opened = !request->session->gone;
    return 0;
}

int on_connect_close(struct request *request, const nothing *args, nothing *ret, struct error *err)
{
    peer_close_after_reply(request->call->peer);
    return 0;
}

int on_connect_supports_feature(struct request *request, const remote_connect_supports_feature_args *args,
                                remote_connect_supports_feature_ret *ret, struct error *err)
{
    if (!request->session->opened && args->feature != FEATURE_KEEPALIVE)
        return fail(err, ERR_INTERNAL, "hypervisor connection not open");
    switch (args->feature) {
    case FEATURE_KEEPALIVE:
        peer_start_keepalive(request->call->peer);
        ret->supported = 1;
        break;
    case FEATURE_FD_PASSING:
    case FEATURE_TYPED_STRINGS:
    case FEATURE_CALLBACK_IDS:
    case FEATURE_CLOSE_CALLBACK:
    case FEATURE_NETWORK_UPDATE_ORDER:
        ret->supported = 1;
        break;
    }
    return 0;
}

int on_connect_get_type(struct request *request, const nothing *args, remote_connect_get_type_ret *ret,
                        struct error *err)
{
    ret->type = memory_copy_text("QEMU");
    return 0;
}

int on_connect_get_version(struct request *request, const nothing *args, remote_connect_get_version_ret *ret,
                           struct error *err)
{
    owned(caps) struct caps *caps = emulators_caps(&request->daemon->emulators, err);
    if (!caps)
        return -1;
    ret->hv_ver = caps->version;
    return 0;
}

int on_connect_get_lib_version(struct request *request, const nothing *args,
                               remote_connect_get_lib_version_ret *ret, struct error *err)
{
    ret->lib_ver = LIBVIRT_LEVEL;
    return 0;
}

int on_connect_get_hostname(struct request *request, const nothing *args,
                            remote_connect_get_hostname_ret *ret, struct error *err)
{
    char name[256];
    if (gethostname(name, sizeof name) < 0)
        return fail_errno(err, errno, "cannot read the host's name");
    name[sizeof name - 1] = '\0';
    ret->hostname = memory_copy_text(name);
    return 0;
}

int on_connect_get_uri(struct request *request, const nothing *args, remote_connect_get_uri_ret *ret,
                       struct error *err)
{
    ret->uri = memory_copy_text("qemu:///system");
    return 0;
}

int on_connect_is_secure(struct request *request, const nothing *args, remote_connect_is_secure_ret *ret,
                         struct error *err)
{
    ret->secure = 1;                    /* a UNIX socket never leaves the host */
    return 0;
}

/* The callback would tell that we lost a daemon behind us, and there is none. */
int on_connect_register_close_callback(struct request *request, const nothing *args, nothing *ret,
                                       struct error *err)
{
    return 0;
}

int on_connect_unregister_close_callback(struct request *request, const nothing *args, nothing *ret,
                                         struct error *err)
{
    return 0;
}

int on_connect_get_max_vcpus(struct request *request, const remote_connect_get_max_vcpus_args *args,
                             remote_connect_get_max_vcpus_ret *ret, struct error *err)
{
    owned(caps) struct caps *caps = emulators_caps(&request->daemon->emulators, err);
    const struct caps_machine *machine = caps ? caps_default_machine(caps) : NULL;
    if (!caps)
        return -1;
    ret->max_vcpus = machine ? (int) machine->cpus_max : 1;
    return 0;
}

int on_node_get_info(struct request *request, const nothing *args, remote_node_get_info_ret *ret,
                     struct error *err)
{
    struct host host;
    if (host_read(&host, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof ret->model - 1 && host.arch[i]; i++)
        ret->model[i] = host.arch[i];
    ret->memory = host.memory_kib;
    ret->cpus = (int) host.cpus;
    ret->mhz = (int) host.mhz;
    ret->nodes = (int) host.nodes;
    ret->sockets = (int) host.sockets;
    ret->cores = (int) host.cores;
    ret->threads = (int) host.threads;
    return 0;
}

int on_connect_get_capabilities(struct request *request, const nothing *args,
                                remote_connect_get_capabilities_ret *ret, struct error *err)
{
    ret->capabilities = capabilities_xml(&request->daemon->emulators, err);
    return ret->capabilities ? 0 : -1;
}

int on_connect_get_domain_capabilities(struct request *request,
                                       const remote_connect_get_domain_capabilities_args *args,
                                       remote_connect_get_domain_capabilities_ret *ret, struct error *err)
{
    ret->capabilities = domain_capabilities_xml(&request->daemon->emulators, args, err);
    return ret->capabilities ? 0 : -1;
}
