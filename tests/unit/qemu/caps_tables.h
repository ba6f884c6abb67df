/* SPDX-License-Identifier: Apache-2.0 */
/* caps_tables.h - for tests: what three emulators can do, as far as a command line depends on it.  The
 * one of 10.0 was built with everything, as the one of libvirt's own tests. */
#pragma once
#include "qemu/caps.h"

enum caps_table { CAPS_7_2, CAPS_10_0, CAPS_11_1, CAPS_TABLES };

struct caps caps_table(enum caps_table which);
