/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - a test as one fiber: run_fiber(main, arg) ends when nothing is left that could happen. */
#pragma once
#include <criterion/criterion.h>

#include "loop/fiber.h"
#include "loop/loop.h"

static inline void run_fiber(void (*fn)(void *arg), void *arg)
{
    loop_init();
    fiber_start(fn, arg);
    loop_run();
    cr_assert_eq(fiber_count(), 0, "%zu fibers are left", fiber_count());
    loop_done();
}
