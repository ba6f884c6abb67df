/* SPDX-License-Identifier: Apache-2.0 */
/* vnc_ports.h - TCP ports for screens that did not ask for one.
 *
 * A port is free when none of our guests has it and it can be bound now; the emulator binds it a moment
 * later, so another program may still win.  Then that start fails, and is tried again with another port.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"

enum { VNC_PORT_MIN = 5900, VNC_PORT_MAX = 65535 };

int vnc_port_find(const char *address, struct error *err);      /* the first free one, or -1 */
bool vnc_port_can_be_bound(const char *address, int port);
void vnc_port_take(int port);
void vnc_port_give_back(int port);
