/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/devices.h"

#define VISIT(list, type_) \
    if (at < def->list.count) { \
        struct type_ *device = def->list.items[at]; \
        walk->device = device; \
        walk->address = &device->address; \
        walk->alias = &device->alias; \
        return true; \
    } \
    return false
#define VISIT_ONE(member) \
    if (at > 0 || !def->member) \
        return false; \
    walk->device = def->member; \
    walk->address = &def->member->address; \
    walk->alias = &def->member->alias; \
    return true

/* Sets `walk` to number `at` of the kind; false if there are not as many. */
static bool visit(const struct domain_def *def, struct device_walk *walk, size_t at)
{
    switch (walk->kind) {
    case DEVICE_DISK: VISIT(disks, disk);
    case DEVICE_CONTROLLER: VISIT(controllers, controller);
    case DEVICE_FILESYSTEM: VISIT(filesystems, filesystem);
    case DEVICE_INTERFACE: VISIT(interfaces, interface);
    case DEVICE_SERIAL: VISIT(serials, chardev);
    case DEVICE_PARALLEL: VISIT(parallels, chardev);
    case DEVICE_CONSOLE: VISIT(consoles, chardev);
    case DEVICE_CHANNEL: VISIT(channels, chardev);
    case DEVICE_INPUT: VISIT(inputs, input);
    case DEVICE_TPM: VISIT(tpms, tpm);
    case DEVICE_SOUND: VISIT(sounds, sound);
    case DEVICE_VIDEO: VISIT(videos, video);
    case DEVICE_HOSTDEV: VISIT(hostdevs, hostdev);
    case DEVICE_REDIRDEV: VISIT(redirdevs, chardev);
    case DEVICE_HUB: VISIT(hubs, hub);
    case DEVICE_WATCHDOG: VISIT(watchdogs, watchdog);
    case DEVICE_MEMBALLOON: VISIT_ONE(memballoon);
    case DEVICE_RNG: VISIT(rngs, rng);
    case DEVICE_PANIC: VISIT(panics, panic);
    case DEVICE_SMARTCARD: VISIT(smartcards, smartcard);
    case DEVICE_SHMEM: VISIT(shmems, shmem);
    case DEVICE_MEMORY: VISIT(memory_devices, memory_device);
    case DEVICE_IOMMU: VISIT(iommus, iommu);
    case DEVICE_VSOCK: VISIT_ONE(vsock);
    case DEVICE_NONE: break;
    }
    return false;
}

bool device_next(const struct domain_def *def, struct device_walk *walk)
{
    if (walk->kind == DEVICE_NONE)
        walk->kind = DEVICE_DISK, walk->index = 0;
    else
        walk->index++;
    for (; walk->kind <= DEVICE_VSOCK; walk->kind++, walk->index = 0)
        if (visit(def, walk, walk->index))
            return true;
    return false;
}
