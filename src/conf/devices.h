/* SPDX-License-Identifier: Apache-2.0 */
/* devices.h - walking over the devices of all kinds.  Private to src/conf. */
#pragma once
#include "conf/domain_def.h"

enum device_kind {
    DEVICE_NONE, DEVICE_DISK, DEVICE_CONTROLLER, DEVICE_FILESYSTEM, DEVICE_INTERFACE, DEVICE_SERIAL,
    DEVICE_PARALLEL, DEVICE_CONSOLE, DEVICE_CHANNEL, DEVICE_INPUT, DEVICE_TPM, DEVICE_SOUND, DEVICE_VIDEO,
    DEVICE_HOSTDEV, DEVICE_REDIRDEV, DEVICE_HUB, DEVICE_WATCHDOG, DEVICE_MEMBALLOON, DEVICE_RNG, DEVICE_PANIC,
    DEVICE_SMARTCARD, DEVICE_SHMEM, DEVICE_MEMORY, DEVICE_IOMMU, DEVICE_VSOCK,
};

/* Start with a zeroed one. */
struct device_walk {
    enum device_kind kind;
    size_t index;
    void *device;                       /* a struct disk, ... */
    struct address **address;
    const char **alias;
};

/* The next device of those that can have an address and an alias; false after the last. */
bool device_next(const struct domain_def *def, struct device_walk *walk);
