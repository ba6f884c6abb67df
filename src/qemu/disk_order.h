/* SPDX-License-Identifier: Apache-2.0 */
/* disk_order.h - in which order a guest has its disks: as libvirt sorts them, since that decides which one is
 * booted from, and what nodes are called.
 */
#pragma once
#include "conf/domain_def.h"

/* Those of one bus follow each other by their targets' names, where the last of them stood before. */
void disk_order(struct domain_def *live);
