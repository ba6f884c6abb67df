/* SPDX-License-Identifier: Apache-2.0 */
/* filesystem.h - <filesystem>: a folder of the host that the guest can mount. */
#pragma once
#include "conf/address.h"
#include "conf/virtio.h"

#define FILESYSTEM_TYPES(_) \
    _(FILESYSTEM_MOUNT, "mount") _(FILESYSTEM_BLOCK, "block") _(FILESYSTEM_FILE, "file") \
    _(FILESYSTEM_TEMPLATE, "template") _(FILESYSTEM_RAM, "ram") _(FILESYSTEM_BIND, "bind") \
    _(FILESYSTEM_VOLUME, "volume")
DECLARE_ENUM(filesystem_type, FILESYSTEM_TYPE_ABSENT, FILESYSTEM_TYPES);

#define ACCESS_MODES(_) \
    _(ACCESS_PASSTHROUGH, "passthrough") _(ACCESS_MAPPED, "mapped") _(ACCESS_SQUASH, "squash")
DECLARE_ENUM(access_mode, ACCESS_MODE_ABSENT, ACCESS_MODES);

#define MULTIDEVS(_) _(MULTIDEVS_REMAP, "remap") _(MULTIDEVS_FORBID, "forbid") _(MULTIDEVS_WARN, "warn")
DECLARE_ENUM(multidevs, MULTIDEVS_DEFAULT, MULTIDEVS);

#define FILESYSTEM_MODELS(_) \
    _(FILESYSTEM_VIRTIO, "virtio") _(FILESYSTEM_TRANSITIONAL, "virtio-transitional") \
    _(FILESYSTEM_NON_TRANSITIONAL, "virtio-non-transitional")
DECLARE_ENUM(filesystem_model, FILESYSTEM_MODEL_ABSENT, FILESYSTEM_MODELS);

#define FILESYSTEM_DRIVERS(_) \
    _(FILESYSTEM_PATH, "path") _(FILESYSTEM_HANDLE, "handle") _(FILESYSTEM_LOOP, "loop") \
    _(FILESYSTEM_NBD, "nbd") _(FILESYSTEM_PLOOP, "ploop") _(FILESYSTEM_VIRTIOFS, "virtiofs") \
    _(FILESYSTEM_MTP, "mtp")
DECLARE_ENUM(filesystem_driver, FILESYSTEM_DRIVER_DEFAULT, FILESYSTEM_DRIVERS);

struct filesystem {
    struct extras extras;
    enum filesystem_type type;
    enum access_mode access;
    enum multidevs multidevs;
    enum filesystem_model model;
    const char *file_mode, *folder_mode;        /* of new ones: "0755" */
    enum filesystem_driver driver;
    const char *write_policy;
    uint32_t queue;                             /* virtiofs */
    struct virtio_options virtio;
    const char *source, *socket;                /* folder; virtiofs: a daemon that runs already */
    const char *target;                         /* the name that the guest mounts */
    bool readonly;
    uint32_t boot_order;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(filesystem_element, struct filesystem);
