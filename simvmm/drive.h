/* SPDX-License-Identifier: Apache-2.0 */
/* drive.h - devices that have disks: how QEMU's block commands name them, and what is in their trays. */
#pragma once
#include "simvmm/block.h"
#include "simvmm/command.h"
#include "simvmm/device.h"

bool drive_is_removable(const struct device *device);
bool drive_has_tray(const struct device *device);
/* Its id, or the path of the object that the guest's requests go through: a virtio device's own, not its PCI
 * function. */
const char *drive_owner(const struct device *device, struct arena *a);
struct block_node *drive_node(const struct vm *vm, const struct device *device); /* NULL: none */
/* The device that the arguments name, by exactly one of "id" and "device" (the name of a -drive). */
struct device *drive_find(struct call *call, struct error *err);
