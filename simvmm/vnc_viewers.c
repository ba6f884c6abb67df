/* SPDX-License-Identifier: Apache-2.0 */
/* Who looks at the screen. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "simvmm/clock.h"
#include "simvmm/event.h"
#include "simvmm/rfb.h"
#include "simvmm/value.h"
#include "simvmm/vnc.h"

struct viewer {
    struct vnc *vnc;
    struct rfb *rfb;
    char host[INET6_ADDRSTRLEN];
    unsigned port;
    const char *family;
};

/* ---- descriptions ---- */

static struct json *describe_server(const struct vnc *vnc, struct arena *a)
{
    struct json *v = value_object(a);
    bool six = strchr(vnc->host ? vnc->host : "", ':') != NULL;
    value_set_text(a, v, "family", vnc->path ? "unix" : six ? "ipv6" : "ipv4");
    value_set_text(a, v, "host", vnc->path ? "" : vnc->host);
    value_set_text(a, v, "service", vnc->path ? vnc->path : arena_printf(a, "%u", vnc->port));
    value_set_text(a, v, "auth", vnc->password ? "vnc" : "none");
    return v;
}

static struct json *describe_viewer(const struct viewer *viewer, struct arena *a)
{
    struct json *v = value_object(a);
    value_set_text(a, v, "host", viewer->host);
    value_set_text(a, v, "service", viewer->port ? arena_printf(a, "%u", viewer->port) : "");
    value_set_text(a, v, "family", viewer->family);
    value_set_bool(a, v, "websocket", false);
    return v;
}

static struct json *describe_viewers(const struct vnc *vnc, struct arena *a)
{
    struct json *list = value_array(a);
    for (size_t i = vnc->viewers.count; i-- > 0;)
        value_push(a, list, describe_viewer(vnc->viewers.items[i], a));
    return list;
}

const struct json *vnc_describe(const struct vm *vm, struct arena *a)
{
    struct json *v = vm->vnc ? describe_server(vm->vnc, a) : value_object(a);
    value_set_bool(a, v, "enabled", vm->vnc != NULL);
    if (vm->vnc)
        value_set(a, v, "clients", describe_viewers(vm->vnc, a));
    return v;
}

const struct json *vnc_describe_servers(const struct vm *vm, struct arena *a)
{
    struct json *list = value_array(a), *one = value_object(a), *servers = value_array(a);
    if (!vm->vnc)
        return list;
    if (vm->vnc->listener) {
        struct json *server = describe_server(vm->vnc, a);
        value_set_bool(a, server, "websocket", false);
        value_push(a, servers, server);
    }
    value_set_text(a, one, "id", vm->vnc->id);
    value_set(a, one, "server", servers);
    value_set(a, one, "clients", describe_viewers(vm->vnc, a));
    value_set_text(a, one, "auth", vm->vnc->password ? "vnc" : "none");
    value_push(a, list, one);
    return list;
}

static void emit(const struct viewer *viewer, const char *event)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a), *server = describe_server(viewer->vnc, a);
    value_set_bool(a, server, "websocket", false);
    value_set(a, data, "server", server);
    value_set(a, data, "client", describe_viewer(viewer, a));
    event_emit(viewer->vnc->vm, event, data);
}

/* ---- life ---- */

static void viewer_free(struct viewer *viewer)
{
    struct vnc *vnc = viewer->vnc;
    for (size_t i = 0; i < vnc->viewers.count; i++)
        if (vnc->viewers.items[i] == viewer) {
            vector_remove(&vnc->viewers, i);
            break;
        }
    rfb_free(viewer->rfb);
    free(viewer);
}

static void on_closed(void *arg, struct rfb *rfb)
{
    (void) rfb;
    emit(arg, "VNC_DISCONNECTED");
    viewer_free(arg);
}

/* One that will not share ends the others. */
static void on_ready(void *arg, struct rfb *rfb, bool shared)
{
    struct viewer *viewer = arg;
    (void) rfb;
    for (size_t i = viewer->vnc->viewers.count; !shared && i-- > 0;)
        if (viewer->vnc->viewers.items[i] != viewer)
            on_closed(viewer->vnc->viewers.items[i], NULL);
    emit(viewer, "VNC_INITIALIZED");
}

static bool on_password(void *arg, uint8_t ret_key[8])
{
    const struct vnc *vnc = ((struct viewer *) arg)->vnc;
    for (int i = 0; i < VNC_PASSWORD_MAX; i++) {
        ret_key[i] = 0;
        for (int bit = 0; bit < 8; bit++)               /* VNC has the bits the other way round */
            ret_key[i] |= (uint8_t) ((vnc->password_text[i] >> bit & 1) << (7 - bit));
    }
    return vnc->password_set && clock_wall(vnc->vm->clock) / 1000000 < vnc->expires;
}

static void take_address(struct viewer *viewer, int fd)
{
    struct sockaddr_storage address = { 0 };
    socklen_t size = sizeof address;
    viewer->family = "unix";
    if (getpeername(fd, (struct sockaddr *) &address, &size) < 0)
        return;
    const struct sockaddr_in *in = (const struct sockaddr_in *) &address;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *) &address;
    if (address.ss_family == AF_INET) {
        viewer->family = "ipv4";
        viewer->port = ntohs(in->sin_port);
        inet_ntop(AF_INET, &in->sin_addr, viewer->host, sizeof viewer->host);
    } else if (address.ss_family == AF_INET6) {
        viewer->family = "ipv6";
        viewer->port = ntohs(in6->sin6_port);
        inet_ntop(AF_INET6, &in6->sin6_addr, viewer->host, sizeof viewer->host);
    }
}

void vnc_adopt(struct vm *vm, int fd, bool without_password)
{
    static const struct rfb_handler handler = { on_ready, on_closed, on_password };
    struct vnc *vnc = vm->vnc;
    if (vnc->viewers.count == VNC_VIEWERS_MAX) {
        close(fd);
        return;
    }
    struct viewer *viewer = NEW(struct viewer);
    viewer->vnc = vnc;
    take_address(viewer, fd);
    viewer->rfb = rfb_new(vm, fd, vnc->password && !without_password, &handler, viewer);
    vector_push(&vnc->viewers, viewer);
    emit(viewer, "VNC_CONNECTED");
}

void vnc_accepted(void *vm, int fd)
{
    vnc_adopt(vm, fd, false);
}

void vnc_refresh(struct vm *vm)
{
    for (size_t i = 0; vm->vnc && i < vm->vnc->viewers.count; i++)
        rfb_refresh(vm->vnc->viewers.items[i]->rfb);
}

void vnc_close(struct vm *vm)
{
    struct vnc *vnc = vm->vnc;
    if (!vnc)
        return;
    while (vnc->viewers.count)
        viewer_free(vnc->viewers.items[0]);
    vector_done(&vnc->viewers);
    if (vnc->listener && vnc->path)
        unlink(vnc->path);
    listener_free(vnc->listener);
    vnc->listener = NULL;
}

/* ---- the password ---- */

bool vnc_wants_password(const struct vm *vm)
{
    return vm->vnc && vm->vnc->password;
}

void vnc_set_password(struct vm *vm, const char *text)
{
    size_t length = strnlen(text, VNC_PASSWORD_MAX);
    memset(vm->vnc->password_text, 0, sizeof vm->vnc->password_text);
    memcpy(vm->vnc->password_text, text, length);
    vm->vnc->password_set = true;
}

int vnc_expire_password(struct vm *vm, const char *time, struct error *err)
{
    uint64_t now = clock_wall(vm->clock) / 1000000, seconds;
    if (text_equal(time, "now"))
        vm->vnc->expires = 0;
    else if (text_equal(time, "never"))
        vm->vnc->expires = UINT64_MAX;
    else if (text_to_u64(time + (*time == '+'), UINT64_MAX / 2, &seconds))
        vm->vnc->expires = seconds + (*time == '+' ? now : 0);
    else if (!vm_is(vm, 11))
        vm->vnc->expires = 0;           /* any text was a number to it */
    else
        return fail(err, ERR_INVALID_ARG, "Parameter 'time' doesn't take value '%s'", time);
    return 0;
}
