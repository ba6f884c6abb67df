/* SPDX-License-Identifier: Apache-2.0 */
/* monitor.h - a QMP monitor on a character device: framing, negotiation, replies in order, events.
 *
 * A client is greeted when it connects and has to negotiate; what it half sent is forgotten when it
 * leaves. Requests are answered one at a time, in order; while one is being delayed by a fault, no more
 * are read.
 */
#pragma once
#include "simvmm/event.h"
#include "simvmm/faults.h"
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

/* A line that ends in CR LF, as it is or as the fault will have it. */
void monitor_say(struct monitor *m, const struct buffer *line, const struct fault *fault);
