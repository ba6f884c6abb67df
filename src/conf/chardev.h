/* SPDX-License-Identifier: Apache-2.0 */
/* chardev.h - <serial> and <console>: a character device and its other end on the host.
 *
 * After defaults: `port` is set; a serial port has a target type and a model; the first console mirrors
 * serial port 0 (console_is_mirror()), and has no device of its own.
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

struct chardev {
    struct extras extras;
    enum chardev_type type;
    const char *tty;                            /* <console tty>: the live pty again, for old clients */

    /* <source>; which of these mean something depends on the type */
    const char *path, *mode, *host, *service, *channel;
    enum on_off append;
    enum yes_no tls;
    const char *log_file;                       /* <log> */
    enum on_off log_append;

    /* <target> */
    enum chardev_target target;
    struct opt_u32 port;
    const char *model;                          /* "isa-serial", "usb-serial"; the QEMU device */

    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(serial_element, struct chardev);
DECLARE_ELEMENT(console_element, struct chardev);
