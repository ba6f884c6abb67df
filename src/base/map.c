/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing.  A removed entry leaves a tombstone, so that iteration may remove;
 * they are swept when the table grows.  The hash is seeded, since clients choose names. */
#include "base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/hash.h"
#include "base/memory.h"

struct entry {
    char *key;                  /* NULL: free, or a tombstone if `removed` */
    size_t length;
    uint64_t hash;
    void *value;
    int removed;
};

struct map {
    struct entry *entries;
    size_t capacity, count, used;       /* used counts tombstones too */
    uint64_t seed;
};

static uint64_t hash_of(const struct map *m, const void *key, size_t length)
{
    uint64_t h = hash_bytes(m->seed ^ HASH_BEGIN, key, length);
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

struct map *map_new(void)
{
    struct map *m = NEW(struct map);
    if (getrandom(&m->seed, sizeof m->seed, GRND_NONBLOCK) != sizeof m->seed)
        m->seed = (uintptr_t) m;
    return m;
}

void map_free(struct map *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->capacity; i++)
        free(m->entries[i].key);
    free(m->entries);
    free(m);
}

static struct entry *entry_find(const struct map *m, const void *key, size_t length, uint64_t hash)
{
    if (!m->capacity)
        return NULL;
    for (size_t i = hash % m->capacity; ; i = (i + 1) % m->capacity) {
        struct entry *e = &m->entries[i];
        if (!e->key && !e->removed)
            return NULL;
        if (e->key && e->hash == hash && e->length == length && !memcmp(e->key, key, length))
            return e;
    }
}

static struct entry *entry_free_slot(const struct map *m, uint64_t hash)
{
    size_t i = hash % m->capacity;
    while (m->entries[i].key)
        i = (i + 1) % m->capacity;
    return &m->entries[i];
}

static void grow(struct map *m)
{
    struct entry *old = m->entries;
    size_t old_capacity = m->capacity;
    m->capacity = m->count * 4 < 16 ? 16 : m->count * 4;
    m->entries = memory_new(m->capacity * sizeof *m->entries);
    m->used = m->count;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].key)
            *entry_free_slot(m, old[i].hash) = old[i];
    free(old);
}

void *map_find(const struct map *m, const void *key, size_t length)
{
    struct entry *e = entry_find(m, key, length, hash_of(m, key, length));
    return e ? e->value : NULL;
}

void map_set(struct map *m, const void *key, size_t length, void *value)
{
    uint64_t hash = hash_of(m, key, length);
    struct entry *e = entry_find(m, key, length, hash);
    if (e) {
        e->value = value;
        return;
    }
    if ((m->used + 1) * 4 > m->capacity * 3)
        grow(m);
    e = entry_free_slot(m, hash);
    if (!e->removed)
        m->used++;
    *e = (struct entry) { memory_copy_bytes(key, length), length, hash, value, 0 };
    m->count++;
}

void *map_remove(struct map *m, const void *key, size_t length)
{
    struct entry *e = entry_find(m, key, length, hash_of(m, key, length));
    if (!e)
        return NULL;
    void *value = e->value;
    free(e->key);
    *e = (struct entry) { .removed = 1 };
    m->count--;
    return value;
}

size_t map_count(const struct map *m)
{
    return m->count;
}

void *map_find_text(const struct map *m, const char *key) { return map_find(m, key, strlen(key)); }
void map_set_text(struct map *m, const char *key, void *value) { map_set(m, key, strlen(key), value); }
void *map_remove_text(struct map *m, const char *key) { return map_remove(m, key, strlen(key)); }

void *map_next(const struct map *m, size_t *at)
{
    while (*at < m->capacity) {
        struct entry *e = &m->entries[(*at)++];
        if (e->key)
            return e->value;
    }
    return NULL;
}
