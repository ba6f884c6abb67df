/* SPDX-License-Identifier: Apache-2.0 */
/* iothreads.h - <iothreads>, <iothreadids>, <defaultiothread>: threads for disks, and <vcpus>.
 *
 * There are as many threads as the count says: those with an id in the list, and for the rest the lowest free
 * ids from 1.
 */
#pragma once
#include "xml/value.h"

enum { IOTHREADS_MAX = 512 };

struct iothread {
    struct extras extras;
    uint32_t id;                                /* from 1 */
    struct opt_u32 pool_min, pool_max;
    struct opt_u64 poll_max, poll_grow, poll_shrink;    /* <poll>: nanoseconds, factors */
};

struct iothreads {
    uint32_t count;
    LIST_OF(struct iothread) list;
    struct opt_u32 default_pool_min, default_pool_max;
};

DECLARE_ELEMENT(iothread_element, struct iothread);

/* <iothreads> of a disk's or controller's <driver>: which threads serve its queues; without numbers, they
 * take turns. */
struct queue_number { struct extras extras; struct opt_u32 id; };
struct queue_thread {
    struct extras extras;
    uint32_t id;
    LIST_OF(struct queue_number) queues;
};

DECLARE_ELEMENT(queue_thread_element, struct queue_thread);

/* The ids in order; returns how many. */
size_t iothreads_ids(const struct iothreads *threads, uint32_t ret_ids[IOTHREADS_MAX]);
bool iothreads_have(const struct iothreads *threads, uint32_t id);
const struct iothread *iothreads_find(const struct iothreads *threads, uint32_t id);    /* NULL: as usual */

/* With one more, or one fewer, thread; all that stay keep their ids. */
struct arena;
void iothreads_add(struct iothreads *threads, uint32_t id, struct arena *arena);
void iothreads_remove(struct iothreads *threads, uint32_t id, struct arena *arena);

struct domain_def;
struct xml_context;
void iothreads_check(struct domain_def *def, struct xml_context *x);   /* fills in the count */
