/* SPDX-License-Identifier: Apache-2.0 */
/* host_usage.h - what is used and free on the machine we run on, at this moment. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/vector.h"

/* Amounts in KiB. */
struct host_memory { uint64_t total, free, buffers, cached; };
/* Of the whole host, or of NUMA node `node` unless that is -1; false if there is no such node. */
bool host_memory_read(int node, struct host_memory *ret_memory);

/* Nanoseconds since boot. */
struct host_cpu_time { uint64_t user, system, idle, iowait, interrupts; };
/* Of all processors, or of processor `cpu` unless that is -1. */
bool host_cpu_time_read(int cpu, struct host_cpu_time *ret_time);

/* Online processors, a bit each, the lowest first; and how many there are at all. */
struct host_cpu_map { unsigned char online[1024 / 8]; unsigned cpus, online_cpus; };
void host_cpu_map_read(struct host_cpu_map *ret_map);
static inline bool cpu_map_has(const unsigned char *map, unsigned cpu) { return map[cpu / 8] >> cpu % 8 & 1; }
/* The bits of "0-3,8" that are below `count`, into a map of zeroes. */
void cpu_map_parse(const char *list, unsigned count, unsigned char *map);

/* "0-3,8"; adds nothing if no bit below `count` is set. */
void cpu_map_format(const unsigned char *map, unsigned count, struct buffer *out);

/* NUMA nodes that are online; at least node 0. */
struct host_nodes { VECTOR(int) items; };
void host_nodes_read(struct host_nodes *ret_nodes);
/* "0-3", the processors of a node; "" if the kernel does not tell. */
void host_node_cpus(int node, struct buffer *out);

/* What went through a device of the host, seen from the guest at its other end; false if there is none. */
struct host_traffic { uint64_t bytes, packets, errors, drops; };
bool host_traffic_read(const char *device, struct host_traffic *ret_received, struct host_traffic *ret_sent);
