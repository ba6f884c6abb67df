/* SPDX-License-Identifier: Apache-2.0 */
/* monitor.h - a QMP monitor on a character device: framing, negotiation, replies in order, events.
 *
 * A client is greeted when it connects and has to negotiate; what it half sent is forgotten when it
 * leaves. Requests are answered one at a time, in order; while one is being delayed by a fault, no more
 * are read.
 */
#pragma once
#include "simvmm/vm.h"

struct monitor;

void monitor_attach(struct vm *vm, struct chardev *chardev);    /* its peer speaks QMP from now on */
void monitor_free(struct monitor *m);

/* From the character device. */
void monitor_opened(struct monitor *m);
void monitor_input(struct monitor *m, const char *bytes, size_t length);
void monitor_closed(struct monitor *m);
struct chardev *monitor_chardev(const struct monitor *m);
bool monitor_is_negotiated(const struct monitor *m);
void monitor_negotiate(struct monitor *m, bool oob);

/* To every negotiated client.  `data` may be NULL.  The name has to be in the list at event_is_known(), which
 * query-qmp-schema is made from. */
void event_emit(struct vm *vm, const char *name, const struct json *data);
bool event_is_known(const char *name);
