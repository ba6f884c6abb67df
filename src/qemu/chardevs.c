/* SPDX-License-Identifier: Apache-2.0 */
/* Serial and parallel ports, channels and consoles: the host's end (-chardev) and the guest's. */
#include "qemu/line.h"

#include "base/memory.h"
#include "base/text.h"
#include "loop/process.h"

static const char *on_off(bool on)
{
    return on ? "on" : "off";
}

/* host:port of a stream: a listener does not wait for its first client. */
static void add_tcp(struct buffer *option, const struct chardev *chardev)
{
    bool server = text_equal(chardev->mode, "bind");
    option_add(option, "host", chardev->host);
    option_add(option, "port", chardev->service);
    option_add(option, "server", server ? "on" : NULL);
    option_add(option, "wait", server ? "off" : NULL);
}

/* A stream that the far end may break: how long until the next attempt. */
static void add_reconnect(const struct line *line, struct buffer *option, const struct chardev *chardev)
{
    enum { RECONNECT_MS = 9002000 };
    if (chardev->reconnect != YES)
        return;
    uint64_t seconds = chardev->reconnect_seconds.value;
    if (line->caps->version >= RECONNECT_MS)
        option_add_u64(option, "reconnect-ms", seconds * 1000);
    else
        option_add_u64(option, "reconnect", seconds);
}

static void add_stream(const struct line *line, struct buffer *option, const struct chardev *chardev)
{
    if (chardev->listener)
        option_add_u64(option, "fd", (uint64_t) chardev->listener);
    else if (chardev->type == CHARDEV_UNIX)
        option_add(option, "path", chardev->path);
    if (chardev->type == CHARDEV_UNIX && !text_equal(chardev->mode, "connect")) {
        option_add(option, "server", on_off(true));
        option_add(option, "wait", on_off(false));
    }
    if (chardev->type == CHARDEV_TCP)
        add_tcp(option, chardev);
    if (chardev->protocol == PROTOCOL_TELNET)
        option_add(option, "telnet", on_off(true));
    add_reconnect(line, option, chardev);
}

static void add_datagram(struct buffer *option, const struct chardev *chardev)
{
    option_add(option, "host", chardev->host);
    option_add(option, "port", chardev->service);
    option_add(option, "localaddr", chardev->bind_host);
    option_add(option, "localport", chardev->bind_service);
}

static void add_agent(struct buffer *option, const struct chardev *chardev)
{
    option_add(option, "name", "vdagent");
    option_add(option, "clipboard", on_off(chardev->clipboard == YES));
    option_add(option, "mouse", on_off(text_equal(chardev->mouse_mode, "client")));
}

static int check_backend(const struct line *line, const struct chardev *chardev, bool known,
                         const char *service, struct error *err)
{
    enum chardev_type type = chardev->type;
    bool encrypted = chardev->tls == YES || chardev->protocol > PROTOCOL_TELNET;
    bool spice = type == CHARDEV_SPICEVMC || type == CHARDEV_SPICEPORT;
    if (!known || encrypted || (type == CHARDEV_SPICEVMC && !service))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "type '%s'%s is not supported",
                    enum_word(&chardev_type_names, type), encrypted ? " with tls" : "");
    if (spice && !caps_has_type(line->caps, "chardev-spicevmc"))
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "type '%s' needs spice, which emulator '%s' was built without",
                    enum_word(&chardev_type_names, type), line->caps->emulator);
    if (type == CHARDEV_VDAGENT && !caps_has_type(line->caps, "chardev-qemu-vdagent"))
        return fail(err, ERR_CONFIG_UNSUPPORTED, "emulator '%s' has no qemu-vdagent", line->caps->emulator);
    bool needs_path = type == CHARDEV_DEV || type == CHARDEV_FILE || type == CHARDEV_PIPE ||
                      type == CHARDEV_UNIX;
    if (needs_path && !chardev->path && !chardev->listener)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "it has no <source path='...'/>");
    return 0;
}

int line_chardev_backend(struct line *line, const struct chardev *chardev, const char *id,
                         const char *service, struct error *err)
{
    static const char *const backends[] = {
        [CHARDEV_NULL] = "null", [CHARDEV_VC] = "vc", [CHARDEV_PTY] = "pty", [CHARDEV_DEV] = "serial",
        [CHARDEV_FILE] = "file", [CHARDEV_PIPE] = "pipe", [CHARDEV_TCP] = "socket", [CHARDEV_UNIX] = "socket",
        [CHARDEV_STDIO] = "stdio", [CHARDEV_UDP] = "udp", [CHARDEV_SPICEVMC] = "spicevmc",
        [CHARDEV_SPICEPORT] = "spiceport", [CHARDEV_VDAGENT] = "qemu-vdagent", [CHARDEV_DBUS] = NULL,
    };
    enum chardev_type type = chardev->type;
    if (check_backend(line, chardev, type < ARRAY_COUNT(backends) && backends[type], service, err) < 0)
        return -1;
    owned_buffer struct buffer option = { 0 };
    option_add(&option, NULL, backends[type]);
    option_add(&option, "id", id);
    if (type == CHARDEV_DEV || type == CHARDEV_FILE || type == CHARDEV_PIPE)
        option_add(&option, "path", chardev->path);
    if (type == CHARDEV_FILE)
        option_add(&option, "append", enum_word(&on_off_names, chardev->append));
    if (type == CHARDEV_UNIX || type == CHARDEV_TCP)
        add_stream(line, &option, chardev);
    if (type == CHARDEV_UDP)
        add_datagram(&option, chardev);
    if (type == CHARDEV_VDAGENT)
        add_agent(&option, chardev);
    if (type == CHARDEV_SPICEVMC || type == CHARDEV_SPICEPORT)
        option_add(&option, "name", type == CHARDEV_SPICEVMC ? service : chardev->channel);
    option_add(&option, "logfile", chardev->log_file);
    option_add(&option, "logappend", chardev->log_file ? on_off(chardev->log_append != OFF) : NULL);
    argv_add_pair(line->argv, "-chardev", buffer_text(&option));
    return 0;
}

static int add_device(struct line *line, const struct chardev *chardev, const char *driver,
                      const char *backend, struct error *err)
{
    if (line_check_type(line, driver, "it", err) < 0)
        return -1;
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    props_text(&device, "chardev", backend);
    props_text(&device, "id", chardev->alias);
    props_text(&device, "name", chardev->name);
    if (text_equal(driver, "isa-serial"))
        props_opt_u32(&device, "index", chardev->port);
    if (line_address(line, &device, chardev->address, err) < 0)
        return -1;
    line_device(line, &device);
    return 0;
}

static const char *serial_driver(const struct chardev *serial)
{
    return serial->model ? serial->model : "isa-serial";
}

static int add_one(struct line *line, const struct chardev *chardev, const char *driver, struct error *err)
{
    owned_memory char *backend = memory_printf("char%s", chardev->alias);
    if (line_chardev_backend(line, chardev, backend, "vdagent", err) < 0 ||
        add_device(line, chardev, driver, backend, err) < 0)
        return -1;
    return 0;
}

static int add_console(struct line *line, size_t index, struct error *err)
{
    const struct chardev *console = line->def->consoles.items[index];
    if (console->target == TARGET_VIRTIO)
        return add_one(line, console, "virtconsole", err);
    if (console->target <= TARGET_SERIAL && index == 0 && line->def->serials.count)
        return 0;                       /* serial port 0 under another name */
    const char *target = enum_word(&chardev_target_names, console->target);
    return fail(err, ERR_CONFIG_UNSUPPORTED, "target type '%s' is not supported here",
                target ? target : "default");
}

static int add_channel(struct line *line, const struct chardev *channel, struct error *err)
{
    if (channel->target == TARGET_VIRTIO)
        return add_one(line, channel, "virtserialport", err);
    return fail(err, ERR_CONFIG_UNSUPPORTED, "target type '%s' is not supported, only 'virtio' is",
                enum_word(&chardev_target_names, channel->target));
}

int line_chardevs(struct line *line, struct error *err)
{
    const struct domain_def *def = line->def;
    for (size_t i = 0; i < def->serials.count; i++)
        if (add_one(line, def->serials.items[i], serial_driver(def->serials.items[i]), err) < 0)
            return fail_in(err, "serial port '%s'", def->serials.items[i]->alias);
    for (size_t i = 0; i < def->parallels.count; i++)
        if (add_one(line, def->parallels.items[i], "isa-parallel", err) < 0)
            return fail_in(err, "parallel port '%s'", def->parallels.items[i]->alias);
    for (size_t i = 0; i < def->channels.count; i++)
        if (add_channel(line, def->channels.items[i], err) < 0)
            return fail_in(err, "channel '%s'", def->channels.items[i]->alias);
    for (size_t i = 0; i < def->consoles.count; i++)
        if (add_console(line, i, err) < 0)
            return fail_in(err, "console '%s'", def->consoles.items[i]->alias);
    return 0;
}

/* --- sockets whose place is left to us --- */

static bool is_ours(const struct chardev *channel)
{
    return channel->type == CHARDEV_UNIX && channel->target == TARGET_VIRTIO && !channel->path;
}

int line_number_channels(struct domain_def *live, int first, struct error *err)
{
    for (size_t i = 0; i < live->channels.count; i++) {
        struct chardev *channel = live->channels.items[i];
        if (!is_ours(channel))
            continue;
        if (first > PROCESS_FD_MAX)
            return fail(err, ERR_CONFIG_UNSUPPORTED,
                        "channel '%s': there are too many channels without a path", channel->alias);
        channel->mode = "bind";
        channel->listener = first++;
    }
    return 0;
}
