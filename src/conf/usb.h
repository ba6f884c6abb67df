/* SPDX-License-Identifier: Apache-2.0 */
/* usb.h - which port each USB device gets.  Private to src/conf.
 *
 * The first free port of the first usb controller that has one, then of the first hub; hubs are added for
 * devices that the ports do not suffice for.  Where none is free the emulator chooses.
 */
#pragma once

struct domain_def;
struct arena;
struct xml_context;

void usb_assign(struct domain_def *def, struct arena *arena);
/* The same for disks, in the copy that a guest runs: libvirt does not store these. */
void usb_assign_disks(struct domain_def *def, struct arena *arena);
/* Refuses ports that no controller and no hub has. */
void usb_check(const struct domain_def *def, struct xml_context *x);
