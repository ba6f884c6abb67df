/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/chardev.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(chardev_type, CHARDEV_TYPES);
DEFINE_ENUM_CODEC(chardev_target, CHARDEV_TARGETS);

static void check_source(const struct chardev *chardev, struct xml_context *x)
{
    bool has_path = chardev->type == CHARDEV_DEV || chardev->type == CHARDEV_FILE ||
                    chardev->type == CHARDEV_PIPE || chardev->type == CHARDEV_UNIX;
    if (has_path && !chardev->path)
        xml_refuse(x, chardev, ERR_INTERNAL, "<source path='...'>",
                   "a character device of type '%s' needs a path",
                   enum_word(&chardev_type_names, chardev->type));
    if (chardev->type == CHARDEV_TCP && !chardev->service)
        xml_refuse(x, chardev, ERR_INTERNAL, "<source host='...' service='...'>",
                   "a character device of type 'tcp' needs a port");
}

static void serial_check(void *self, struct xml_context *x)
{
    const struct chardev *serial = self;
    check_source(serial, x);
    if (serial->target >= TARGET_SERIAL)
        xml_refuse(x, &serial->target, ERR_XML, "isa-serial, usb-serial, pci-serial, ...",
                   "'%s' is no kind of serial port", enum_word(&chardev_target_names, serial->target));
}

static void console_check(void *self, struct xml_context *x)
{
    const struct chardev *console = self;
    check_source(console, x);
    if (console->target && console->target < TARGET_SERIAL)
        xml_refuse(x, &console->target, ERR_XML, "serial, virtio, ...", "'%s' is no kind of console",
                   enum_word(&chardev_target_names, console->target));
}

#define SELF struct chardev
PART(source, "source", "Its other end on the host.",
    ATTR("mode", mode, string, "bind or connect", IF(type, CHARDEV_TCP, CHARDEV_UNIX)),
    ATTR("path", path, string, "the pty of a running guest", IF(type, CHARDEV_PTY), LIVE_ONLY),
    ATTR("path", path, string, "file, device or socket",
         IF(type, CHARDEV_DEV, CHARDEV_FILE, CHARDEV_PIPE, CHARDEV_UNIX)),
    ATTR("append", append, on_off, "keep what is in the file", IF(type, CHARDEV_FILE)),
    ATTR("host", host, string, "address", IF(type, CHARDEV_TCP)),
    ATTR("service", service, string, "port", IF(type, CHARDEV_TCP)),
    ATTR("tls", tls, yes_no, "encrypt", IF(type, CHARDEV_TCP)),
    ATTR("channel", channel, string, "name of the channel", IF(type, CHARDEV_SPICEPORT, CHARDEV_DBUS)));

PART(log_part, "log", "A file that gets a copy of the output.",
    ATTR("file", log_file, string, "path", REQUIRED),
    ATTR("append", log_append, on_off, "keep what is in the file"));

PART(model, "model", "The emulator's device.", ATTR("name", model, string, "name of the device", REQUIRED));

PART(serial_target, "target", "How the guest sees it.",
    ATTR("type", target, chardev_target, "kind of serial port"),
    ATTR("port", port, opt_u32, "number of the port", RANGE(0, 1023)),
    INLINE(model));

PART(console_target, "target", "How the guest sees it.",
    ATTR("type", target, chardev_target, "kind of console"),
    ATTR("port", port, opt_u32, "number of the console", RANGE(0, 1023)));

ALIAS_PART;

const struct element serial_element = ELEMENT_CHECKED("serial", "A serial port.", serial_check,
    ATTR("type", type, chardev_type, "kind of the other end", DEFAULT("pty")),
    INLINE(source), INLINE(log_part), INLINE(serial_target), INLINE(alias), CHILD(address, address_element));

const struct element console_element = ELEMENT_CHECKED("console", "The guest's main console.", console_check,
    ATTR("type", type, chardev_type, "kind of the other end", DEFAULT("pty")),
    ATTR("tty", tty, string, "the pty of a running guest", IF(type, CHARDEV_PTY), LIVE_ONLY),
    INLINE(source), INLINE(log_part), INLINE(console_target), INLINE(alias), CHILD(address, address_element));
