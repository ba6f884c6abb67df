/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/clock.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/time.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "loop/loop.h"

enum { SETTLE_MS = 2 };                 /* nothing came in for so long: a virtual clock goes on */

enum clock_kind { CLOCK_REAL, CLOCK_VIRTUAL, CLOCK_STEPPED };

static const char *const kinds[] = { "real", "virtual", "stepped" };

struct clock {
    enum clock_kind kind;
    uint64_t start, now;                /* now: of a clock that is not the host's */
    VECTOR(struct alarm *) waiting;     /* of such a clock, the next one first */
    struct timer *tick;
};

struct alarm {
    struct clock *clock;
    struct timer *timer;                /* on the host's clock */
    uint64_t due;
    void (*fn)(void *arg);
    void *arg;
};

struct clock *clock_new(void)
{
    return NEW(struct clock);
}

void clock_free(struct clock *c)
{
    if (!c)
        return;
    timer_free(c->tick);
    vector_done(&c->waiting);
    free(c);
}

int clock_choose(struct clock *c, const char *word, struct error *err)
{
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
        if (text_equal(kinds[i], word)) {
            c->kind = (enum clock_kind) i;
            return 0;
        }
    return fail(err, ERR_INVALID_ARG, "clock='%s': expected real, virtual or stepped", word);
}

uint64_t clock_now(const struct clock *c)
{
    return c->kind == CLOCK_REAL ? loop_now() : c->now;
}

uint64_t clock_wall(const struct clock *c)
{
    if (c->kind != CLOCK_REAL)
        return (uint64_t) CLOCK_EPOCH * 1000000 + c->now * 1000;
    struct timeval now;
    gettimeofday(&now, NULL);
    return (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_usec;
}

/* ---- time that is not the host's ---- */

static void fire_first(struct clock *c)
{
    struct alarm *a = c->waiting.items[0];
    vector_remove(&c->waiting, 0);
    c->now = a->due;
    a->fn(a->arg);
}

static void on_tick(void *arg)
{
    struct clock *c = arg;
    timer_free(c->tick);
    c->tick = NULL;
    if (c->waiting.count)
        fire_first(c);
    clock_stir(c);
}

void clock_stir(struct clock *c)
{
    if (c->kind != CLOCK_VIRTUAL)
        return;
    timer_free(c->tick);
    c->tick = c->waiting.count ? timer_start(SETTLE_MS, 0, on_tick, c) : NULL;
}

int clock_advance(struct clock *c, uint64_t ms, struct error *err)
{
    if (c->kind != CLOCK_STEPPED)
        return fail(err, ERR_INVALID_ARG, "only with clock=stepped can time be moved by hand");
    uint64_t end = c->now + ms;
    while (c->waiting.count && c->waiting.items[0]->due <= end)
        fire_first(c);
    c->now = end;
    return 0;
}

/* ---- alarms ---- */

static void on_timer(void *arg)
{
    struct alarm *a = arg;
    a->fn(a->arg);
}

struct alarm *alarm_new(struct clock *c, uint64_t ms, void (*fn)(void *arg), void *arg)
{
    struct alarm *a = NEW(struct alarm);
    *a = (struct alarm) { .clock = c, .due = c->now + ms, .fn = fn, .arg = arg };
    if (c->kind == CLOCK_REAL) {
        a->timer = timer_start(ms > UINT_MAX ? UINT_MAX : (unsigned) ms, 0, on_timer, a);
        return a;
    }
    size_t at = c->waiting.count;
    while (at && c->waiting.items[at - 1]->due > a->due)
        at--;
    vector_insert(&c->waiting, at, a);
    clock_stir(c);
    return a;
}

void alarm_free(struct alarm *a)
{
    if (!a)
        return;
    timer_free(a->timer);
    for (size_t i = 0; i < a->clock->waiting.count; i++)
        if (a->clock->waiting.items[i] == a) {
            vector_remove(&a->clock->waiting, i);
            break;
        }
    free(a);
}
