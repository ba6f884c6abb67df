/* SPDX-License-Identifier: Apache-2.0 */
/* disk_check.h - what of a <disk> no table can say, and the parts of its table.  Private to src/conf. */
#pragma once
#include "conf/disk.h"
#include "xml/element.h"

/* <source>, and <backingStore>, which is an image that has no other members. */
DECLARE_ELEMENT(disk_source_element, struct disk);
DECLARE_ELEMENT(backing_element, struct disk);

/* Fills in what follows from the disk alone (bus, readonly of a cdrom), and reports combinations that cannot
 * be had. */
void disk_check(void *self, struct xml_context *x);
