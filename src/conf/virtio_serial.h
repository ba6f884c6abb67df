/* SPDX-License-Identifier: Apache-2.0 */
/* virtio_serial.h - the ports of virtio-serial controllers.  Private to src/conf. */
#pragma once
#include "conf/domain_def.h"

/* The controllers that virtio channels and consoles name, or number 0. */
void virtio_serial_add_controllers(struct domain_def *def, struct arena *arena);
/* A port for each channel that has none; consoles leave it to the emulator.  Adds controllers as they fill
 * up. */
void virtio_serial_assign(struct domain_def *def, struct arena *arena);
