/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - what a start still has to decide about a live definition before its command line can be written. */
#pragma once
#include "conf/domain_def.h"

/* Gives every USB device without an address the first free port of the first controller that has one.  A device that
 * finds none keeps none, and QEMU places it. */
void plan_usb_ports(struct domain_def *live);
