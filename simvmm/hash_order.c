/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/hash_order.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SHIFT_MIN = 3, FREE = 0 };

struct slot { unsigned hash; size_t name; };        /* name + 1; 0: free */

struct table {
    struct slot *slots;
    unsigned size, mask, modulus;
    size_t count;
};

/* The largest prime below each power of two. */
static const unsigned primes[] = {
    1,    2,    3,    7,     13,    31,    61,     127,    251,    509,     1021,
    2039, 4093, 8191, 16381, 32749, 65521, 131071, 262139, 524287, 1048573,
};

static unsigned string_hash(const char *text)
{
    unsigned hash = 5381;
    for (const char *c = text; *c; c++)
        hash = (hash << 5) + hash + (unsigned) (signed char) *c;
    return hash < 2 ? 2 : hash;
}

static unsigned start(const struct table *t, unsigned hash)
{
    return hash * 11 % t->modulus;
}

static void set_shift(struct table *t, unsigned shift)
{
    t->size = 1u << shift;
    t->modulus = primes[shift];
    t->mask = t->size - 1;
}

static void place(struct table *t, struct slot slot)
{
    unsigned at = start(t, slot.hash), step = 0;
    while (t->slots[at].name)
        at = (at + ++step) & t->mask;
    t->slots[at] = slot;
}

/* GLib moves the entries within the array: each goes to its new place and pushes out who sits there
 * unmoved. */
static void rehash(struct table *t, unsigned old_size)
{
    bool *moved = memory_new(t->size);
    for (unsigned i = 0; i < old_size; i++) {
        struct slot slot = t->slots[i];
        if (!slot.name || moved[i])
            continue;
        t->slots[i].name = FREE;
        while (slot.name) {
            unsigned at = start(t, slot.hash), step = 0;
            while (moved[at])
                at = (at + ++step) & t->mask;
            moved[at] = true;
            struct slot evicted = t->slots[at];
            t->slots[at] = slot;
            slot = evicted;
        }
    }
    free(moved);
}

static void grow(struct table *t)
{
    unsigned old_size = t->size, shift = 0;
    for (unsigned n = (unsigned) ((double) t->count * 1.333); n; n >>= 1)
        shift++;
    set_shift(t, shift < SHIFT_MIN ? SHIFT_MIN : shift);
    if (t->size > old_size) {
        t->slots = memory_resize(t->slots, t->size * sizeof *t->slots);
        memset(t->slots + old_size, 0, (t->size - old_size) * sizeof *t->slots);
    }
    rehash(t, old_size);
}

void hash_order(const char *const *names, size_t count, size_t *ret_order)
{
    struct table t = { 0 };
    set_shift(&t, SHIFT_MIN);
    t.slots = memory_new(t.size * sizeof *t.slots);
    for (size_t i = 0; i < count; i++) {
        place(&t, (struct slot) { string_hash(names[i]), i + 1 });
        t.count++;
        if (t.size <= t.count + t.count / 16)
            grow(&t);
    }
    size_t n = 0;
    for (unsigned i = 0; i < t.size; i++)
        if (t.slots[i].name)
            ret_order[n++] = t.slots[i].name - 1;
    free(t.slots);
}
