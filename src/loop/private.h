/* SPDX-License-Identifier: Apache-2.0 */
/* private.h - what the files of this folder tell each other. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "loop/fiber.h"

uv_loop_t *loop_uv(void);

void fiber_setup(void);                 /* called by loop_init() and loop_done() */
void fiber_teardown(void);
void fiber_ready(struct fiber *f);      /* it runs in the next run of the ready list */
void fiber_suspend(struct fiber *f);    /* back to the loop, until somebody calls fiber_ready() */
bool fiber_is_cancelled(const struct fiber *f);
int fiber_fail_cancelled(const struct fiber *f, struct error *err);

/* Waits for the work that is under way, since its requests lie on fibers' stacks.  No fiber learns of it. */
void works_teardown(void);

void deadlines_setup(void);
void deadlines_teardown(void);
void deadline_add(struct wait *w, uint64_t when);
void deadline_remove(struct wait *w);   /* fine when it is not there */

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#else
#define UNDER_ASAN 0
#endif

/* Stacks above a guard page, some kept for the next fiber.  ASan's frames are larger. */
struct stack {
    char *bottom;                       /* the lowest usable byte */
    unsigned valgrind_id;
};

enum { STACK_SIZE = (UNDER_ASAN ? 256 : 64) * 1024 };

struct stack stack_get(void);
void stack_put(struct stack stack);
void stacks_teardown(void);

void streams_flush(void);               /* writes what was queued since the last turn */
void processes_teardown(void);
