/* SPDX-License-Identifier: Apache-2.0 */
/* The screen: pictures of it, and its VNC server. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/descriptors.h"
#include "simvmm/device.h"
#include "simvmm/picture.h"
#include "simvmm/vnc.h"

/* ---- pictures ---- */

static bool has_screen(const struct device *device)
{
    static const char *const drivers[] = { "VGA", "cirrus-vga", "virtio-vga", "virtio-gpu-pci", "qxl-vga",
                                           "qxl", "vmware-svga", "bochs-display", "ramfb", "secondary-vga" };
    for (size_t i = 0; i < ARRAY_COUNT(drivers); i++)
        if (text_equal(drivers[i], device->driver))
            return true;
    return false;
}

static uint64_t heads(const struct device *device)
{
    const struct qom_property *p = qom_property_find(device->node, "max_outputs");
    uint64_t count = 1;
    if (p && p->value)
        text_to_u64(p->value, UINT32_MAX, &count);
    return count;
}

/* The screen is the same whichever device is asked for, but it has to be one that has any. */
static int check_device(const struct call *call, struct error *err)
{
    const char *id = json_get_text(call->arguments, "device");
    uint64_t head = 0;
    json_to_u64(json_get(call->arguments, "head"), &head);
    if (id) {
        const struct device *device = device_find(call->vm, id);
        if (!device)
            return fail(err, ERR_DEVICE_MISSING, "Device '%s' not found", id);
        if (!has_screen(device) || head >= heads(device))
            return fail(err, ERR_INVALID_ARG, "Device %s (head %llu) is not bound to a QemuConsole", id,
                        (unsigned long long) head);
        return 0;
    }
    if (json_get(call->arguments, "head"))
        return fail(err, ERR_INVALID_ARG, "'head' must be specified together with 'device'");
    for (size_t i = 0; i < call->vm->devices.count; i++)
        if (has_screen(call->vm->devices.items[i]))
            return 0;
    return fail(err, ERR_INVALID_ARG, "There is no console to take a screendump from");
}

static int write_all(int fd, const struct buffer *bytes)
{
    size_t done = 0;
    while (done < bytes->length) {
        ssize_t got = write(fd, bytes->data + done, bytes->length - done);
        if (got < 0 && errno != EINTR)
            return -1;
        done += got > 0 ? (size_t) got : 0;
    }
    return 0;
}

static int screendump(struct call *call, struct error *err)
{
    const char *path = json_get_text(call->arguments, "filename");
    const char *format = json_get_text(call->arguments, "format");
    bool png = text_equal(format, "png");
    if (format && !png && !text_equal(format, "ppm"))
        return fail(err, ERR_INVALID_ARG, "Parameter 'format' does not accept value '%s'", format);
    if (check_device(call, err) < 0)
        return -1;
    owned_fd int fd = descriptors_open(call->vm, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0)
        return fail(err, ERR_INVALID_ARG,
                    vm_is(call->vm, 11) ? "Could not create '%s': %s" : "failed to open file '%s': %s", path,
                    strerror(errno));
    owned_buffer struct buffer picture = { 0 };
    (png ? picture_png : picture_ppm)(call->vm->screen, &picture);
    if (write_all(fd, &picture) < 0)
        return fail(err, ERR_INVALID_ARG, "failed to write to '%s': %s", path, strerror(errno));
    return 0;
}

/* ---- VNC ---- */

static int query_vnc(struct call *call, struct error *err)
{
    (void) err;
    call_return(call, vnc_describe(call->vm, call->arena));
    return 0;
}

static int query_servers(struct call *call, struct error *err)
{
    (void) err;
    call_return(call, vnc_describe_servers(call->vm, call->arena));
    return 0;
}

/* Whether it is for VNC; there is no other that could be asked. */
static int check_protocol(struct call *call, struct error *err)
{
    const char *protocol = json_get_text(call->arguments, "protocol");
    if (text_equal(protocol, "vnc"))
        return 0;
    if (!text_equal(protocol, "spice"))
        return fail(err, ERR_INVALID_ARG, "Parameter 'protocol' does not accept value '%s'", protocol);
    call->error_class = "DeviceNotActive";
    return fail(err, ERR_INVALID_ARG, "SPICE is not in use");
}

static int check_connected(const struct vm *vm, const char *connected, struct error *err)
{
    if (!connected || text_equal(connected, "keep"))
        return 0;
    if (!text_equal(connected, "fail") && !text_equal(connected, "disconnect"))
        return fail(err, ERR_INVALID_ARG, "Parameter 'connected' does not accept value '%s'", connected);
    return fail(err, ERR_INVALID_ARG,
                vm_is(vm, 11) ? "parameter 'connected' must be 'keep' when 'protocol' is 'vnc'"
                              : "Invalid parameter 'connected'");
}

static bool is_display(const struct vm *vm, const char *id)
{
    return vm->vnc && (!id || text_equal(id, vm->vnc->id));
}

static int take_password(struct call *call, const char *display, struct error *err)
{
    bool modern = vm_is(call->vm, 11);
    if (!is_display(call->vm, display))
        return fail(err, ERR_INVALID_ARG, modern ? "No VNC display is present" : "Could not set password");
    if (!vnc_wants_password(call->vm))
        return fail(err, ERR_INVALID_ARG,
                    modern ? "VNC password authentication is disabled" : "Could not set password");
    vnc_set_password(call->vm, json_get_text(call->arguments, "password"));
    return 0;
}

static int set_password(struct call *call, struct error *err)
{
    if (check_protocol(call, err) < 0
        || check_connected(call->vm, json_get_text(call->arguments, "connected"), err) < 0)
        return -1;
    return take_password(call, json_get_text(call->arguments, "display"), err);
}

static int change_password(struct call *call, struct error *err)
{
    return take_password(call, NULL, err);
}

static int expire_password(struct call *call, struct error *err)
{
    if (check_protocol(call, err) < 0)
        return -1;
    if (!is_display(call->vm, json_get_text(call->arguments, "display")))
        return fail(err, ERR_INVALID_ARG, "Could not set password expire time");
    return vnc_expire_password(call->vm, json_get_text(call->arguments, "time"), err);
}

static int check_type(const struct call *call, struct error *err)
{
    const char *type = json_get_text(call->arguments, "type");
    return text_equal(type, "vnc")
               ? 0
               : fail(err, ERR_INVALID_ARG, "Parameter 'type' does not accept value '%s'", type);
}

static int display_reload(struct call *call, struct error *err)
{
    bool certificates = false;
    json_to_bool(json_get(call->arguments, "tls-certs"), &certificates);
    if (check_type(call, err) < 0)
        return -1;
    return certificates ? fail(err, ERR_INVALID_ARG, "vnc tls is not enabled") : 0;
}

static int display_update(struct call *call, struct error *err)
{
    const struct json *first = json_at(json_get(call->arguments, "addresses"), 0);
    if (check_type(call, err) < 0)
        return -1;
    if (!call->vm->vnc)
        return fail(err, ERR_INVALID_ARG, "Can not find vnc display");
    const char *host = json_get_text(first, "host"), *port = json_get_text(first, "port");
    if (!first)
        return 0;
    if (!text_equal(json_get_text(first, "type"), "inet") || !host || !port)
        return fail(err, ERR_NO_SUPPORT, "simvmm moves a VNC server only to an address of type inet");
    return vnc_move(call->vm, host, port, err);
}

static int add_client(struct call *call, struct error *err)
{
    const char *protocol = json_get_text(call->arguments, "protocol");
    bool skip = false;
    json_to_bool(json_get(call->arguments, "skipauth"), &skip);
    owned_fd int fd = -1;
    const char *name = json_get_text(call->arguments, "fdname");
    if ((fd = descriptors_take(call->vm, call->monitor, name, err)) < 0)
        return -1;
    if (!text_equal(protocol, "vnc") || !call->vm->vnc)
        return fail(err, ERR_INVALID_ARG, "protocol '%s' is invalid", protocol);
    vnc_adopt(call->vm, fd, skip);
    fd = -1;
    return 0;
}

#define ARGUMENTS(...) (const struct argument[]) { __VA_ARGS__, { NULL, 0, false } }
#define MUST(name, type) { name, type, false }
#define MAY(name, type) { name, type, true }

const struct command screen_commands[] = {
    { "screendump", ALWAYS, screendump,
      ARGUMENTS(MUST("filename", ARG_TEXT), MAY("device", ARG_TEXT), MAY("head", ARG_NUMBER),
                MAY("format", ARG_TEXT)) },
    { "query-vnc", ALWAYS, query_vnc, NULL },
    { "query-vnc-servers", ALWAYS, query_servers, NULL },
    { "set_password", ALWAYS, set_password,
      ARGUMENTS(MUST("protocol", ARG_TEXT), MUST("password", ARG_TEXT), MAY("connected", ARG_TEXT),
                MAY("display", ARG_TEXT)) },
    { "change-vnc-password", ALWAYS, change_password, ARGUMENTS(MUST("password", ARG_TEXT)) },
    { "expire_password", ALWAYS, expire_password,
      ARGUMENTS(MUST("protocol", ARG_TEXT), MUST("time", ARG_TEXT), MAY("display", ARG_TEXT)) },
    { "display-reload", ALWAYS, display_reload,
      ARGUMENTS(MUST("type", ARG_TEXT), MAY("tls-certs", ARG_BOOL)) },
    { "display-update", ALWAYS, display_update,
      ARGUMENTS(MUST("type", ARG_TEXT), MAY("addresses", ARG_ARRAY)) },
    { "add_client", ALWAYS, add_client,
      ARGUMENTS(MUST("protocol", ARG_TEXT), MUST("fdname", ARG_TEXT), MAY("skipauth", ARG_BOOL),
                MAY("tls", ARG_BOOL)) },
    { NULL, ALWAYS, NULL, NULL },
};
