/* SPDX-License-Identifier: Apache-2.0 */
/* adjust.h - what follows from a device's properties for the rest of its part.
 *
 * A part was harvested with the properties' defaults; the rows here say what else changes when they are
 * others.
 */
#pragma once
#include "simvmm/vm.h"

struct device;

/* After the properties are set, and before the device is on its bus. */
int adjust_device(struct vm *vm, struct device *device, const struct json *given, struct error *err);
