/* SPDX-License-Identifier: Apache-2.0 */
/* disk_check.h - what of a <disk> no table can say.  Private to src/conf. */
#pragma once

struct xml_context;

/* Fills in what follows from the disk alone (bus, readonly of a cdrom), and reports combinations that cannot
 * be had. */
void disk_check(void *self, struct xml_context *x);
