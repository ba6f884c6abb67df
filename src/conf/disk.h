/* SPDX-License-Identifier: Apache-2.0 */
/* disk.h - <disk>: a disk, CD-ROM or floppy drive.
 *
 * After defaults: device, driver name and type, bus and, for ide, sata, scsi and fdc, a drive address are
 * set; a cdrom is readonly.  Whether a writable shareable disk without a cache mode is not host-cached is
 * disk_effective_cache().
 *
 * The images below a disk's own are a chain of struct disk as well, of which only type, format, readonly and
 * what belongs to <source> mean something.  NULL: nobody has said what is below, and a start reads it from
 * the image's header; an image without a type: nothing is.
 */
#pragma once
#include "conf/address.h"
#include "conf/iotune.h"
#include "conf/iothreads.h"
#include "conf/virtio.h"

#define DISK_TYPES(_) \
    _(DISK_FILE, "file") _(DISK_BLOCK, "block") _(DISK_DIR, "dir") _(DISK_NETWORK, "network") \
    _(DISK_VOLUME, "volume") _(DISK_NVME, "nvme") _(DISK_VHOST_USER, "vhostuser") \
    _(DISK_VHOST_VDPA, "vhostvdpa")
DECLARE_ENUM(disk_type, DISK_TYPE_ABSENT, DISK_TYPES);

#define DISK_DEVICES(_) \
    _(DISK_DISK, "disk") _(DISK_CDROM, "cdrom") _(DISK_FLOPPY, "floppy") _(DISK_LUN, "lun")
DECLARE_ENUM(disk_device, DISK_DEVICE_ABSENT, DISK_DEVICES);

#define DISK_BUSES(_) \
    _(DISK_BUS_IDE, "ide") _(DISK_BUS_FDC, "fdc") _(DISK_BUS_SCSI, "scsi") _(DISK_BUS_VIRTIO, "virtio") \
    _(DISK_BUS_XEN, "xen") _(DISK_BUS_USB, "usb") _(DISK_BUS_UML, "uml") _(DISK_BUS_SATA, "sata") \
    _(DISK_BUS_SD, "sd") _(DISK_BUS_NVME, "nvme")
DECLARE_ENUM(disk_bus, DISK_BUS_ABSENT, DISK_BUSES);

#define DISK_MODELS(_) \
    _(DISK_MODEL_VIRTIO, "virtio") _(DISK_MODEL_TRANSITIONAL, "virtio-transitional") \
    _(DISK_MODEL_NON_TRANSITIONAL, "virtio-non-transitional") _(DISK_MODEL_USB_STORAGE, "usb-storage") \
    _(DISK_MODEL_USB_BOT, "usb-bot")
DECLARE_ENUM(disk_model, DISK_MODEL_ABSENT, DISK_MODELS);

/* <driver type>: the formats that are known; what else stands there is refused. */
#define DISK_FORMATS(_) \
    _(DISK_RAW, "raw") _(DISK_FORMAT_DIR, "dir") _(DISK_BOCHS, "bochs") _(DISK_CLOOP, "cloop") \
    _(DISK_DMG, "dmg") _(DISK_ISO, "iso") _(DISK_VPC, "vpc") _(DISK_VDI, "vdi") _(DISK_FAT, "fat") \
    _(DISK_VHD, "vhd") _(DISK_PLOOP, "ploop") _(DISK_COW, "cow") _(DISK_QCOW, "qcow") _(DISK_QCOW2, "qcow2") \
    _(DISK_QED, "qed") _(DISK_VMDK, "vmdk")
DECLARE_ENUM(disk_format, DISK_FORMAT_ABSENT, DISK_FORMATS);

/* "default" is read as absent, and "off" as none (contracts.md: ours alone). */
#define DISK_CACHES(_) \
    _(DISK_CACHE_NONE, "none") _(DISK_CACHE_WRITETHROUGH, "writethrough") \
    _(DISK_CACHE_WRITEBACK, "writeback") _(DISK_CACHE_DIRECTSYNC, "directsync") \
    _(DISK_CACHE_UNSAFE, "unsafe")
DECLARE_ENUM(disk_cache, DISK_CACHE_DEFAULT, DISK_CACHES);

#define DISK_ERROR_POLICIES(_) \
    _(DISK_ERROR_STOP, "stop") _(DISK_ERROR_REPORT, "report") _(DISK_ERROR_IGNORE, "ignore") \
    _(DISK_ERROR_ENOSPACE, "enospace")
DECLARE_ENUM(disk_error_policy, DISK_ERROR_DEFAULT, DISK_ERROR_POLICIES);

#define DISK_IOS(_) _(DISK_IO_NATIVE, "native") _(DISK_IO_THREADS, "threads") _(DISK_IO_URING, "io_uring")
DECLARE_ENUM(disk_io, DISK_IO_DEFAULT, DISK_IOS);

#define DISK_DISCARDS(_) _(DISK_DISCARD_UNMAP, "unmap") _(DISK_DISCARD_IGNORE, "ignore")
DECLARE_ENUM(disk_discard, DISK_DISCARD_DEFAULT, DISK_DISCARDS);

#define DISK_ZEROES(_) _(DISK_ZEROES_OFF, "off") _(DISK_ZEROES_ON, "on") _(DISK_ZEROES_UNMAP, "unmap")
DECLARE_ENUM(disk_detect_zeroes, DISK_ZEROES_DEFAULT, DISK_ZEROES);

#define DISK_SNAPSHOTS(_) \
    _(DISK_SNAPSHOT_NO, "no") _(DISK_SNAPSHOT_INTERNAL, "internal") _(DISK_SNAPSHOT_EXTERNAL, "external") \
    _(DISK_SNAPSHOT_MANUAL, "manual")
DECLARE_ENUM(disk_snapshot, DISK_SNAPSHOT_DEFAULT, DISK_SNAPSHOTS);

#define DISK_TRAYS(_) _(DISK_TRAY_CLOSED, "closed") _(DISK_TRAY_OPEN, "open")
DECLARE_ENUM(disk_tray, DISK_TRAY_ABSENT, DISK_TRAYS);

#define STARTUP_POLICIES(_) \
    _(STARTUP_MANDATORY, "mandatory") _(STARTUP_REQUISITE, "requisite") _(STARTUP_OPTIONAL, "optional")
DECLARE_ENUM(startup_policy, STARTUP_DEFAULT, STARTUP_POLICIES);

#define HOST_TRANSPORTS(_) _(TRANSPORT_TCP, "tcp") _(TRANSPORT_UNIX, "unix") _(TRANSPORT_RDMA, "rdma")
DECLARE_ENUM(host_transport, TRANSPORT_ABSENT, HOST_TRANSPORTS);

/* A server that has the image. */
struct disk_host {
    struct extras extras;
    enum host_transport transport;
    const char *name, *port, *socket;           /* socket: of transport unix */
};

struct disk {
    struct extras extras;
    enum disk_type type;
    enum disk_device device;
    enum disk_model model;
    enum yes_no rawio;
    const char *sgio;
    enum disk_snapshot snapshot;

    /* <driver> */
    const char *driver;                         /* "qemu" */
    enum disk_format format;
    enum disk_cache cache;
    enum disk_error_policy error_policy, read_error_policy;
    enum disk_io io;
    enum on_off ioeventfd, event_idx, copy_on_read;
    enum disk_discard discard;
    enum on_off discard_no_unref;
    enum disk_detect_zeroes detect_zeroes;
    uint32_t iothread, queues, queue_size;
    LIST_OF(struct queue_thread) queue_threads;
    struct virtio_options virtio;

    /* <source>; all NULL: no medium */
    const char *file, *dev;                     /* DISK_FILE, DISK_BLOCK */
    const char *dir, *pool, *volume, *mode;     /* DISK_DIR, DISK_VOLUME */
    const char *protocol, *source_name, *query, *tls_hostname;  /* DISK_NETWORK */
    enum yes_no tls;
    LIST_OF(struct disk_host) hosts;
    const char *initiator;                      /* iscsi */
    enum yes_no ssl_verify;                     /* https */
    uint32_t read_ahead, timeout, reconnect_delay;      /* bytes; seconds */
    enum startup_policy startup_policy;
    struct opt_u32 source_index;
    struct disk *backing;                       /* the image below, see there */

    /* <target> */
    const char *target;                         /* "vda" */
    enum disk_bus bus;
    enum disk_tray tray;
    enum on_off removable;
    uint32_t rotation_rate;

    uint32_t logical_block, physical_block;     /* <blockio> */
    struct opt_u32 discard_granularity;
    uint32_t cyls, heads, secs;                 /* <geometry> */
    const char *trans;

    bool readonly, shareable, transient;
    enum yes_no share_backing;                  /* <transient> */
    const char *serial, *wwn, *vendor, *product;
    struct iotune *iotune;
    uint32_t boot_order;                        /* from 1; 0: not asked for */
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(disk_element, struct disk);

enum { DISK_IMAGES_MAX = 100 };                 /* of a chain */
/* The image below that one, or NULL; how many there are. */
const struct disk *disk_below(const struct disk *image);
size_t disk_images_below(const struct disk *disk);
/* The file or device behind it, or NULL: an empty drive, or a kind of source that has no path. */
const char *disk_path(const struct disk *disk);
/* Is there a medium in it? */
bool disk_has_source(const struct disk *disk);
/* The mode that holds at a start: none for a writable shareable disk that names no other. */
enum disk_cache disk_effective_cache(const struct disk *disk);
/* "vda" is 0 on prefix "vd", "sdaa" is 26 on "sd"; false for a name that is no such thing, or too large. */
bool disk_target_index(const char *name, uint32_t *ret_index);
