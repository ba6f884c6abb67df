/* SPDX-License-Identifier: Apache-2.0 */
/* Serial ports and consoles: the host's end (-chardev) and the guest's. */
#include "qemu/line.h"

#include "base/memory.h"
#include "base/text.h"

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

static int add_backend(struct line *line, const struct chardev *chardev, const char *id, struct error *err)
{
    static const char *const backends[] = {
        [CHARDEV_NULL] = "null", [CHARDEV_VC] = "vc", [CHARDEV_PTY] = "pty", [CHARDEV_DEV] = "serial",
        [CHARDEV_FILE] = "file", [CHARDEV_PIPE] = "pipe", [CHARDEV_TCP] = "socket", [CHARDEV_UNIX] = "socket",
    };
    enum chardev_type type = chardev->type;
    if (type >= ARRAY_COUNT(backends) || !backends[type] || chardev->tls == YES)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "type '%s'%s is not supported",
                    enum_word(&chardev_type_names, type), chardev->tls == YES ? " with tls" : "");
    bool has_path = type == CHARDEV_DEV || type == CHARDEV_FILE || type == CHARDEV_PIPE ||
                    type == CHARDEV_UNIX;
    if (has_path && !chardev->path)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "it has no <source path='...'/>");
    owned_buffer struct buffer option = { 0 };
    option_add(&option, NULL, backends[type]);
    option_add(&option, "id", id);
    option_add(&option, "path", has_path ? chardev->path : NULL);
    if (type == CHARDEV_FILE)
        option_add(&option, "append", enum_word(&on_off_names, chardev->append));
    if (type == CHARDEV_UNIX && !text_equal(chardev->mode, "connect")) {
        option_add(&option, "server", on_off(true));
        option_add(&option, "wait", on_off(false));
    }
    if (type == CHARDEV_TCP)
        add_tcp(&option, chardev);
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
    if (add_backend(line, chardev, backend, err) < 0 || add_device(line, chardev, driver, backend, err) < 0)
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

int line_chardevs(struct line *line, struct error *err)
{
    const struct domain_def *def = line->def;
    for (size_t i = 0; i < def->serials.count; i++)
        if (add_one(line, def->serials.items[i], serial_driver(def->serials.items[i]), err) < 0)
            return fail_in(err, "serial port '%s'", def->serials.items[i]->alias);
    for (size_t i = 0; i < def->consoles.count; i++)
        if (add_console(line, i, err) < 0)
            return fail_in(err, "console '%s'", def->consoles.items[i]->alias);
    return 0;
}
