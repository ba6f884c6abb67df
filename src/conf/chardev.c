/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/chardev.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(chardev_type, CHARDEV_TYPES);
DEFINE_ENUM_CODEC(chardev_target, CHARDEV_TARGETS);
DEFINE_ENUM_CODEC(channel_state, CHANNEL_STATES);
DEFINE_ENUM_CODEC(chardev_protocol, CHARDEV_PROTOCOLS);
DEFINE_ENUM_CODEC(redirdev_bus, REDIRDEV_BUSES);
DEFINE_WORDS_CODEC(pointer_mode, "client", "server");

void chardev_check_source(const struct chardev *chardev, struct xml_context *x)
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
    if (chardev->type == CHARDEV_TCP && chardev->protocol > PROTOCOL_TELNET)
        xml_refuse(x, &chardev->protocol, ERR_CONFIG_UNSUPPORTED,
                   "raw, telnet; tls='yes' of <source> encrypts", "protocol '%s' is not spoken",
                   enum_word(&chardev_protocol_names, chardev->protocol));
    if (chardev->type == CHARDEV_UDP && !chardev->service)
        xml_refuse(x, chardev, ERR_INTERNAL, "<source mode='connect' host='...' service='...'>",
                   "a character device of type 'udp' needs a port");
    if (chardev->type == CHARDEV_SPICEPORT && !chardev->channel)
        xml_refuse(x, chardev, ERR_INTERNAL, "<source channel='...'>",
                   "a character device of type 'spiceport' needs a channel");
}

/* Who calls whom on a stream, and what is spoken, is written down even if nobody asked. */
static void settle_stream(struct chardev *chardev)
{
    if (!chardev->mode && (chardev->type == CHARDEV_TCP || (chardev->type == CHARDEV_UNIX && chardev->path)))
        chardev->mode = "connect";
    if (chardev->type == CHARDEV_TCP && !chardev->protocol)
        chardev->protocol = PROTOCOL_RAW;
}

static void serial_check(void *self, struct xml_context *x)
{
    struct chardev *serial = self;
    chardev_check_source(serial, x);
    settle_stream(serial);
    if (serial->target >= TARGET_SERIAL)
        xml_refuse(x, &serial->target, ERR_XML, "isa-serial, usb-serial, pci-serial, ...",
                   "'%s' is no kind of serial port", enum_word(&chardev_target_names, serial->target));
}

static void console_check(void *self, struct xml_context *x)
{
    struct chardev *console = self;
    chardev_check_source(console, x);
    settle_stream(console);
    if (console->target && console->target < TARGET_SERIAL)
        xml_refuse(x, &console->target, ERR_XML, "serial, virtio, ...", "'%s' is no kind of console",
                   enum_word(&chardev_target_names, console->target));
}

static void parallel_check(void *self, struct xml_context *x)
{
    chardev_check_source(self, x);
    settle_stream(self);
}

/* The socket of a channel may go without a path: libvirt's users leave it to the daemon. */
static void channel_check(void *self, struct xml_context *x)
{
    struct chardev *channel = self;
    if (channel->type == CHARDEV_UNIX && !channel->path && channel->target == TARGET_VIRTIO)
        channel->mode = NULL;
    else
        chardev_check_source(channel, x);
    settle_stream(channel);
    if (channel->target && channel->target != TARGET_VIRTIO && channel->target != TARGET_XEN &&
        channel->target != TARGET_GUESTFWD)
        xml_refuse(x, &channel->target, ERR_CONFIG_UNSUPPORTED, "virtio, guestfwd",
                   "'%s' is no kind of channel", enum_word(&chardev_target_names, channel->target));
    if (channel->type == CHARDEV_SPICEVMC && channel->target == TARGET_VIRTIO && !channel->name)
        channel->name = "com.redhat.spice.0";
}

static void redirdev_check(void *self, struct xml_context *x)
{
    struct chardev *redirdev = self;
    chardev_check_source(redirdev, x);
    settle_stream(redirdev);
    if (!redirdev->bus)
        redirdev->bus = REDIRDEV_USB;
}

#define SELF struct chardev
PART(reconnect, "reconnect", "What happens when the connection is lost.",
    ATTR("enabled", reconnect, yes_no, "connect again?", REQUIRED),
    ATTR("timeout", reconnect_seconds, opt_u32, "seconds between attempts"));
PART(clipboard, "clipboard", "The clipboard.",
    ATTR("copypaste", clipboard, yes_no, "is it shared?", REQUIRED));
PART(mouse, "mouse", "The pointer.",
    ATTR("mode", mouse_mode, pointer_mode, "whose pointer is shown", REQUIRED));
PART(source, "source", "Its other end on the host.",
    ATTR("mode", mode, end_mode, "which end listens", IF(type, CHARDEV_TCP, CHARDEV_UNIX)),
    ATTR("path", path, string, "the pty of a running guest", IF(type, CHARDEV_PTY), LIVE_ONLY),
    ATTR("path", path, string, "file, device or socket",
         IF(type, CHARDEV_DEV, CHARDEV_FILE, CHARDEV_PIPE, CHARDEV_UNIX)),
    ATTR("append", append, on_off, "keep what is in the file", IF(type, CHARDEV_FILE)),
    ATTR("host", host, string, "address", IF(type, CHARDEV_TCP)),
    ATTR("service", service, string, "port", IF(type, CHARDEV_TCP)),
    ATTR("tls", tls, yes_no, "encrypt", IF(type, CHARDEV_TCP)),
    ATTR("channel", channel, string, "name of the channel", IF(type, CHARDEV_SPICEPORT, CHARDEV_DBUS)),
    INLINE(reconnect, IF(type, CHARDEV_TCP, CHARDEV_UNIX)),
    INLINE(clipboard, IF(type, CHARDEV_VDAGENT)),
    INLINE(mouse, IF(type, CHARDEV_VDAGENT)));

/* A datagram has two ends, and a <source> for each. */
PART(near_source, "source", "The near end.",
    ATTR("host", bind_host, string, "address"),
    ATTR("service", bind_service, string, "port"));
PART(far_source, "source", "The far end.",
    ATTR("host", host, string, "address"),
    ATTR("service", service, string, "port"));

PART(protocol, "protocol", "What is spoken on the connection.",
    ATTR("type", protocol, chardev_protocol, "raw or telnet", REQUIRED));

PART(log_part, "log", "A file that gets a copy of the output.",
    ATTR("file", log_file, string, "path", REQUIRED),
    ATTR("append", log_append, on_off, "keep what is in the file"));

PART(model, "model", "The emulator's device.", ATTR("name", model, string, "name of the device", REQUIRED));

PART(serial_target, "target", "How the guest sees it.",
    ATTR("type", target, chardev_target, "kind of serial port"),
    ATTR("port", port, opt_u32, "number of the port", RANGE(0, 1023)),
    INLINE(model));

PART(channel_target, "target", "How the guest sees it.",
    ATTR("type", target, chardev_target, "kind of channel", REQUIRED),
    ATTR("address", guest_address, string, "address in the guest's network", IF(target, TARGET_GUESTFWD)),
    ATTR("port", guest_port, string, "port there", IF(target, TARGET_GUESTFWD)),
    ATTR("name", name, string, "name of the port in the guest", IF(target, TARGET_VIRTIO, TARGET_XEN)),
    ATTR("state", state, channel_state, "has the guest opened it?", IF(target, TARGET_VIRTIO), LIVE_ONLY));

PART(parallel_target, "target", "How the guest sees it.",
    ATTR("type", model, string, "kind of parallel port", LEGACY),
    ATTR("port", port, opt_u32, "number of the port", RANGE(0, 255)));

PART(console_target, "target", "How the guest sees it.",
    ATTR("type", target, chardev_target, "kind of console"),
    ATTR("port", port, opt_u32, "number of the console", RANGE(0, 1023)));

BOOT_PART;
ALIAS_PART;

#define SOURCES \
    INLINE(source, UNLESS(type, CHARDEV_UDP)), \
    INLINE(near_source, IF(type, CHARDEV_UDP), ROLE("mode", "bind")), \
    INLINE(far_source, IF(type, CHARDEV_UDP), ROLE("mode", "connect")), \
    INLINE(protocol, IF(type, CHARDEV_TCP))
#define KIND ATTR("type", type, chardev_type, "kind of the other end", DEFAULT("pty"))

const struct element serial_element = ELEMENT_CHECKED("serial", "A serial port.", serial_check,
    KIND,
    SOURCES, INLINE(log_part), INLINE(serial_target), INLINE(alias), CHILD(address, address_element));

const struct element console_element = ELEMENT_CHECKED("console", "The guest's main console.", console_check,
    ATTR("type", type, chardev_type, "kind of the other end", DEFAULT("pty")),
    ATTR("tty", tty, string, "the pty of a running guest", IF(type, CHARDEV_PTY), LIVE_ONLY),
    SOURCES, INLINE(log_part), INLINE(console_target), INLINE(alias), CHILD(address, address_element));

const struct element channel_element = ELEMENT_CHECKED("channel", "A channel to the guest.", channel_check,
    KIND, SOURCES, INLINE(log_part), INLINE(channel_target, REQUIRED), INLINE(alias),
    CHILD(address, address_element));

const struct element parallel_element = ELEMENT_CHECKED("parallel", "A parallel port.", parallel_check,
    KIND, SOURCES, INLINE(log_part), INLINE(parallel_target), INLINE(alias), CHILD(address, address_element));

const struct element redirdev_element = ELEMENT_CHECKED(
    "redirdev", "A USB device of a client.", redirdev_check,
    ATTR("bus", bus, redirdev_bus, "kind of bus", DEFAULT("usb")),
    KIND, SOURCES, INLINE(log_part), INLINE(boot), INLINE(alias), CHILD(address, address_element));
