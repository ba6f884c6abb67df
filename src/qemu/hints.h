/* SPDX-License-Identifier: Apache-2.0 */
/* hints.h - what QEMU's last words mean for a person.
 *
 * QEMU names a path where its user named a disk, and a cause where the user needs a way out.
 */
#pragma once
#include "base/error.h"
#include "conf/domain_def.h"

/* Puts behind the text of `err`, which quotes the emulator, whose fault it is and what can be done, as far as
 * that is known. */
void hints_add(const struct domain_def *def, struct error *err);
