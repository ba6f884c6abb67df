/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - the one event loop of a program, its clock, timers and signals.
 *
 * Everything runs on the thread that called loop_init(); nothing here may be called from another one.
 * Callbacks run on the loop's own stack and must not wait; what has to wait starts a fiber (fiber.h).
 */
#pragma once
#include <stdint.h>

#include "base/own.h"

void loop_init(void);
void loop_run(void);                    /* until loop_stop(), or until nothing is left that could happen */
void loop_stop(void);
void loop_done(void);                   /* runs what is closing to its end; a handle left open aborts */

uint64_t loop_now(void);                /* milliseconds, monotonic; never 0 */

/* Calls fn(arg) after delay_ms, then every repeat_ms (0: once).  Free it from anywhere, its own callback
 * included; a timer that has fired once still has to be freed. */
struct timer;
struct timer *timer_start(unsigned delay_ms, unsigned repeat_ms, void (*fn)(void *arg), void *arg);
void timer_free(struct timer *timer);
DEFINE_OWNED(timer)

/* Calls fn on the loop each time the signal arrives. */
struct signal_watch;
struct signal_watch *signal_watch_new(int number, void (*fn)(void *arg), void *arg);
void signal_watch_free(struct signal_watch *watch);
DEFINE_OWNED(signal_watch)
