/* SPDX-License-Identifier: Apache-2.0 */
/* chardev.h - <serial>, <console>, <channel>, <parallel> and <redirdev>: a character device and its other end
 * on the host.
 *
 * After defaults: `port` is set; a serial port has a target type and a model; the first console mirrors
 * serial port 0 (console_is_mirror()), and has no device of its own.  A channel whose unix socket has no path
 * gets one at each start.
 */
#pragma once
#include "conf/address.h"

#define CHARDEV_TYPES(_) \
    _(CHARDEV_NULL, "null") _(CHARDEV_VC, "vc") _(CHARDEV_PTY, "pty") _(CHARDEV_DEV, "dev") \
    _(CHARDEV_FILE, "file") _(CHARDEV_PIPE, "pipe") _(CHARDEV_STDIO, "stdio") _(CHARDEV_UDP, "udp") \
    _(CHARDEV_TCP, "tcp") _(CHARDEV_UNIX, "unix") _(CHARDEV_SPICEVMC, "spicevmc") \
    _(CHARDEV_SPICEPORT, "spiceport") _(CHARDEV_NMDM, "nmdm") _(CHARDEV_VDAGENT, "qemu-vdagent") \
    _(CHARDEV_DBUS, "dbus")
DECLARE_ENUM(chardev_type, CHARDEV_TYPE_ABSENT, CHARDEV_TYPES);

/* Of serial ports and consoles in one list; the checks know which goes with which. */
#define CHARDEV_TARGETS(_) \
    _(TARGET_ISA_SERIAL, "isa-serial") _(TARGET_USB_SERIAL, "usb-serial") _(TARGET_PCI_SERIAL, "pci-serial") \
    _(TARGET_SPAPR_VIO_SERIAL, "spapr-vio-serial") _(TARGET_SYSTEM_SERIAL, "system-serial") \
    _(TARGET_SCLP_SERIAL, "sclp-serial") _(TARGET_ISA_DEBUG, "isa-debug") \
    _(TARGET_SERIAL, "serial") _(TARGET_VIRTIO, "virtio") _(TARGET_XEN, "xen") _(TARGET_UML, "uml") \
    _(TARGET_LXC, "lxc") _(TARGET_OPENVZ, "openvz") _(TARGET_SCLP, "sclp") _(TARGET_SCLPLM, "sclplm") \
    _(TARGET_GUESTFWD, "guestfwd")
DECLARE_ENUM(chardev_target, TARGET_ABSENT, CHARDEV_TARGETS);

#define CHANNEL_STATES(_) _(CHANNEL_CONNECTED, "connected") _(CHANNEL_DISCONNECTED, "disconnected")
DECLARE_ENUM(channel_state, CHANNEL_STATE_ABSENT, CHANNEL_STATES);

#define CHARDEV_PROTOCOLS(_) \
    _(PROTOCOL_RAW, "raw") _(PROTOCOL_TELNET, "telnet") _(PROTOCOL_TELNETS, "telnets") _(PROTOCOL_TLS, "tls")
DECLARE_ENUM(chardev_protocol, PROTOCOL_ABSENT, CHARDEV_PROTOCOLS);

#define REDIRDEV_BUSES(_) _(REDIRDEV_USB, "usb")
DECLARE_ENUM(redirdev_bus, REDIRDEV_BUS_ABSENT, REDIRDEV_BUSES);

struct chardev {
    struct extras extras;
    enum chardev_type type;
    const char *tty;                            /* <console tty>: the live pty again, for old clients */

    /* <source>; which of these mean something depends on the type */
    const char *path, *mode, *host, *service, *channel;
    const char *bind_host, *bind_service;       /* udp: the near end; host and service are the far one */
    enum on_off append;
    enum yes_no tls;
    enum yes_no reconnect;
    struct opt_u32 reconnect_seconds;
    enum yes_no clipboard;                      /* qemu-vdagent */
    const char *mouse_mode;
    enum chardev_protocol protocol;             /* <protocol>: tcp */
    const char *log_file;                       /* <log> */
    enum on_off log_append;

    /* <target> */
    enum chardev_target target;
    struct opt_u32 port;
    const char *model;                          /* "isa-serial", "usb-serial"; the QEMU device */
    const char *name;                           /* virtio channels: "org.qemu.guest_agent.0" */
    enum channel_state state;                   /* of a running guest: has it opened the channel? */
    const char *guest_address, *guest_port;     /* guestfwd */

    int listener;                               /* of a start: its socket's number in the emulator; 0: none */
    enum redirdev_bus bus;                      /* <redirdev> */
    uint32_t boot_order;

    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(serial_element, struct chardev);
DECLARE_ELEMENT(console_element, struct chardev);
DECLARE_ELEMENT(channel_element, struct chardev);
DECLARE_ELEMENT(parallel_element, struct chardev);
DECLARE_ELEMENT(redirdev_element, struct chardev);

/* Reports a source that lacks what its type needs. */
struct xml_context;
void chardev_check_source(const struct chardev *chardev, struct xml_context *x);
