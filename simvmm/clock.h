/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the VMM's time, and what is to happen later.
 *
 * Three clocks (-sim clock=): the host's; a virtual one, which stands still while something is going on and
 * jumps to what is due next once nothing came in for a moment; a stepped one, which moves only by
 * clock_advance(). On the last two, time begins at CLOCK_EPOCH, and what is due at the same instant happens
 * in the order in which it was asked for: the same script gives the same run.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/own.h"

enum { CLOCK_EPOCH = 946684800 };       /* 2000-01-01T00:00:00Z */

struct clock;
struct alarm;

struct clock *clock_new(void);          /* the host's */
void clock_free(struct clock *c);       /* no alarm may be left */
int clock_choose(struct clock *c, const char *word, struct error *err); /* before the first alarm */

uint64_t clock_now(const struct clock *c);              /* milliseconds since the VMM began */
uint64_t clock_wall(const struct clock *c);             /* microseconds since 1970 */
/* Something came in from outside: a virtual clock stands still a little longer. */
void clock_stir(struct clock *c);
/* Lets a stepped clock move on, and all happen that is due until then. */
int clock_advance(struct clock *c, uint64_t ms, struct error *err);

/* Calls fn(arg) once, after that time; free it from anywhere, its own callback included. */
struct alarm *alarm_new(struct clock *c, uint64_t ms, void (*fn)(void *arg), void *arg);
void alarm_free(struct alarm *a);
DEFINE_OWNED(alarm)
