/* SPDX-License-Identifier: Apache-2.0 */
/* own.h - who releases what, said where the variable is declared.
 *
 * A variable marked owned(thing) is released by thing_free() when it leaves scope; take() hands its value
 * out and leaves NULL behind.  Every x_free() accepts NULL.
 */
#pragma once

#define owned(type) __attribute__((cleanup(type##_at_scope_end)))
#define DEFINE_OWNED(type) \
    static inline void type##_at_scope_end(struct type **p) { type##_free(*p); }
#define take(p) ({ __typeof__(p) taken_ = (p); (p) = NULL; taken_; })

/* Malloc'ed memory: owned_memory char *s = ...; */
void own_free_memory(void *pointer_to_pointer);
#define owned_memory __attribute__((cleanup(own_free_memory)))

/* A descriptor, -1 when there is none. */
void own_close_fd(int *fd);
static inline int own_take_fd(int *fd) { int taken = *fd; *fd = -1; return taken; }
#define owned_fd __attribute__((cleanup(own_close_fd)))

#define ARRAY_COUNT(a) (sizeof(a) / sizeof *(a))
#define UNUSED __attribute__((unused))
