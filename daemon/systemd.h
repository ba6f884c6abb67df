/* SPDX-License-Identifier: Apache-2.0 */
/* systemd.h - the two small protocols of a service manager, spoken without its library.
 *
 * Sockets passed in ($LISTEN_PID, $LISTEN_FDS) are descriptors from 3 on; what we have to say goes as a
 * datagram to $NOTIFY_SOCKET.  Without these variables both do nothing.
 */
#pragma once
#include <stddef.h>

/* How many sockets were passed (the first is descriptor 3).  They become close-on-exec, and the variables go,
 * so that no child takes them for its own. */
size_t systemd_take_sockets(void);
/* "READY=1", "STOPPING=1", ...; failing to deliver it is nobody's problem. */
void systemd_notify(const char *message);
/* "RELOADING=1" with the time that systemd wants beside it. */
void systemd_notify_reloading(void);
