/* SPDX-License-Identifier: Apache-2.0 */
/* vector.h - a growing array of any type.
 *
 *     VECTOR(struct disk *) disks = { 0 };
 *     vector_push(&disks, disk);
 *     for (size_t i = 0; i < disks.count; i++) use(disks.items[i]);
 *     vector_done(&disks);
 */
#pragma once
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define VECTOR(type) struct { type *items; size_t count, capacity; }

#define vector_reserve(v, n) do { \
        if ((v)->capacity < (n)) { \
            size_t wanted_ = (v)->capacity ? (v)->capacity : 4; \
            while (wanted_ < (n)) \
                wanted_ *= 2; \
            (v)->items = memory_resize((v)->items, wanted_ * sizeof *(v)->items); \
            (v)->capacity = wanted_; \
        } \
    } while (0)

#define vector_push(v, item) do { \
        vector_reserve(v, (v)->count + 1); \
        (v)->items[(v)->count++] = (item); \
    } while (0)

#define vector_insert(v, index, item) do { \
        size_t at_ = (index); \
        vector_reserve(v, (v)->count + 1); \
        memmove((v)->items + at_ + 1, (v)->items + at_, ((v)->count++ - at_) * sizeof *(v)->items); \
        (v)->items[at_] = (item); \
    } while (0)

#define vector_remove(v, index) do { \
        size_t at_ = (index); \
        memmove((v)->items + at_, (v)->items + at_ + 1, ((v)->count - at_ - 1) * sizeof *(v)->items); \
        (v)->count--; \
    } while (0)

#define vector_done(v) do { \
        free((v)->items); \
        (v)->items = NULL; \
        (v)->count = (v)->capacity = 0; \
    } while (0)
