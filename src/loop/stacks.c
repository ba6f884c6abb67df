/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks are kept for the next fiber, as mapping one costs more than all that a short fiber does. */
#include "loop/private.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, high) 0
#define VALGRIND_STACK_DEREGISTER(id) ((void) (id))
#define RUNNING_ON_VALGRIND 0
#endif

#if UNDER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#else
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void) (at), (void) (size))
#define __lsan_register_root_region(at, size) ((void) (at), (void) (size))
#define __lsan_unregister_root_region(at, size) ((void) (at), (void) (size))
#endif

enum { KEPT_MAX = 64 };

static struct stack kept[KEPT_MAX];
static int kept_count;
static size_t peak;                     /* of the stacks already unmapped */

static size_t page_size(void)
{
    return (size_t) sysconf(_SC_PAGESIZE);
}

static struct stack stack_map(void)
{
    size_t guard = page_size();
    char *map = mmap(NULL, guard + STACK_SIZE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED || mprotect(map, guard, PROT_NONE) < 0)
        abort();
    char *bottom = map + guard;
    return (struct stack) { bottom, VALGRIND_STACK_REGISTER(bottom, bottom + STACK_SIZE - 1) };
}

/* The last fiber's outermost frames were never returned from, so their red zones are still marked.  And what
 * only a fiber that still waits at the program's end holds is no leak. */
struct stack stack_get(void)
{
    struct stack stack = kept_count > 0 ? kept[--kept_count] : stack_map();
    ASAN_UNPOISON_MEMORY_REGION(stack.bottom, STACK_SIZE);
    __lsan_register_root_region(stack.bottom, STACK_SIZE);
    return stack;
}

/* Bytes that were ever touched: a fresh mapping reads as zero. */
__attribute__((no_sanitize("address"))) static size_t stack_depth(struct stack stack)
{
    if (RUNNING_ON_VALGRIND)
        return 0;                       /* it rightly objects to reading below a stack pointer */
    size_t untouched = 0;
    while (untouched < STACK_SIZE && stack.bottom[untouched] == 0)
        untouched++;
    return STACK_SIZE - untouched;
}

static void stack_unmap(struct stack stack)
{
    size_t depth = stack_depth(stack);
    if (depth > peak)
        peak = depth;
    VALGRIND_STACK_DEREGISTER(stack.valgrind_id);
    ASAN_UNPOISON_MEMORY_REGION(stack.bottom, STACK_SIZE);
    size_t guard = page_size();
    munmap(stack.bottom - guard, guard + STACK_SIZE);
}

void stack_put(struct stack stack)
{
    __lsan_unregister_root_region(stack.bottom, STACK_SIZE);
    if (kept_count < KEPT_MAX)
        kept[kept_count++] = stack;
    else
        stack_unmap(stack);
}

void stacks_teardown(void)
{
    while (kept_count > 0)
        stack_unmap(kept[--kept_count]);
}

size_t fiber_stack_peak(void)
{
    size_t deepest = peak;
    for (int i = 0; i < kept_count; i++) {
        size_t depth = stack_depth(kept[i]);
        if (depth > deepest)
            deepest = depth;
    }
    return deepest;
}
