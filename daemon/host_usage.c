/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/host_usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"

enum { FILE_MAX = 1 << 20, CPUS_MAX = 1024 };

static bool read_text(const char *path, struct buffer *out)
{
    error_scope(missing);
    return file_read(path, FILE_MAX, out, &missing) == 0;
}

/* --- memory --- */

/* "MemFree:   123 kB", and in a node's file "Node 0 MemFree: 123 kB". */
static uint64_t kib_of(const char *text, const char *name)
{
    unsigned long long kib;
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        bool word = at == text || at[-1] == '\n' || at[-1] == ' ';
        if (word && at[length] == ':' && sscanf(at + length + 1, " %llu", &kib) == 1)
            return kib;
    }
    return 0;
}

bool host_memory_read(int node, struct host_memory *ret_memory)
{
    owned_buffer struct buffer text = { 0 };
    owned_memory char *path = memory_printf("/sys/devices/system/node/node%d/meminfo", node);
    bool has_nodes = access("/sys/devices/system/node/node1", F_OK) == 0; /* one alone is the whole host */
    if (node < -1 || (node > 0 && !has_nodes) ||
        !read_text(node >= 0 && has_nodes ? path : "/proc/meminfo", &text))
        return false;
    const char *all = buffer_text(&text);
    *ret_memory = (struct host_memory) {
        kib_of(all, "MemTotal"), kib_of(all, "MemFree"), kib_of(all, "Buffers"), kib_of(all, "Cached"),
    };
    return true;
}

/* --- processors --- */

bool host_cpu_time_read(int cpu, struct host_cpu_time *ret_time)
{
    owned_buffer struct buffer text = { 0 };
    owned_memory char *name = cpu < 0 ? memory_copy_text("cpu ") : memory_printf("\ncpu%d ", cpu);
    unsigned long long user, nice, system, idle, iowait, irq, softirq;
    const char *line = read_text("/proc/stat", &text) ? strstr(buffer_text(&text), name) : NULL;
    if (!line || sscanf(line + strlen(name), "%llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
                        &idle, &iowait, &irq, &softirq) != 7)
        return false;
    uint64_t tick = 1000000000u / (uint64_t) sysconf(_SC_CLK_TCK);
    *ret_time = (struct host_cpu_time) { (user + nice) * tick, (system + irq + softirq) * tick, idle * tick,
                                         iowait * tick, (irq + softirq) * tick };
    return true;
}

void cpu_map_parse(const char *list, unsigned count, unsigned char *map)
{
    unsigned first, last;
    int used;
    while (sscanf(list, "%u%n", &first, &used) == 1) {
        list += used;
        last = first;
        if (sscanf(list, "-%u%n", &last, &used) == 1)
            list += used;
        for (unsigned cpu = first; cpu <= last && cpu < count; cpu++)
            map[cpu / 8] |= (unsigned char) (1u << cpu % 8);
        if (*list != ',')
            return;
        list++;
    }
}

void cpu_map_format(const unsigned char *map, unsigned count, struct buffer *out)
{
    for (unsigned first = 0, last; first < count; first = last + 1) {
        last = first;
        if (!cpu_map_has(map, first))
            continue;
        while (last + 1 < count && cpu_map_has(map, last + 1))
            last++;
        buffer_printf(out, "%s%u", out->length ? "," : "", first);
        if (last > first)
            buffer_printf(out, "-%u", last);
    }
}

void host_cpu_map_read(struct host_cpu_map *ret_map)
{
    owned_buffer struct buffer online = { 0 }, present = { 0 };
    struct host_cpu_map map = { 0 };
    unsigned char there[sizeof map.online] = { 0 };
    if (read_text("/sys/devices/system/cpu/present", &present))
        cpu_map_parse(buffer_text(&present), CPUS_MAX, there);
    if (read_text("/sys/devices/system/cpu/online", &online))
        cpu_map_parse(buffer_text(&online), CPUS_MAX, map.online);
    for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
        map.online_cpus += cpu_map_has(map.online, cpu);
        if (cpu_map_has(there, cpu) || cpu_map_has(map.online, cpu))
            map.cpus = cpu + 1;
    }
    if (map.online_cpus == 0) {                 /* no sysfs: what the C library says */
        map.cpus = map.online_cpus = (unsigned) sysconf(_SC_NPROCESSORS_ONLN);
        for (unsigned cpu = 0; cpu < map.cpus && cpu < CPUS_MAX; cpu++)
            map.online[cpu / 8] |= (unsigned char) (1u << cpu % 8);
    }
    *ret_map = map;
}

/* --- nodes --- */

void host_nodes_read(struct host_nodes *ret_nodes)
{
    owned_buffer struct buffer text = { 0 };
    unsigned char map[CPUS_MAX / 8] = { 0 };
    *ret_nodes = (struct host_nodes) { 0 };
    if (read_text("/sys/devices/system/node/online", &text))
        cpu_map_parse(buffer_text(&text), CPUS_MAX, map);
    for (unsigned node = 0; node < CPUS_MAX; node++)
        if (cpu_map_has(map, node))
            vector_push(&ret_nodes->items, (int) node);
    if (ret_nodes->items.count == 0)
        vector_push(&ret_nodes->items, 0);
}

void host_node_cpus(int node, struct buffer *out)
{
    owned_buffer struct buffer text = { 0 };
    owned_memory char *path = memory_printf("/sys/devices/system/node/node%d/cpulist", node);
    if (read_text(path, &text) || (node == 0 && read_text("/sys/devices/system/cpu/online", &text)))
        buffer_add(out, buffer_text(&text), strcspn(buffer_text(&text), "\n"));
}

/* --- traffic --- */

/* What the host receives, the guest has sent. */
bool host_traffic_read(const char *device, struct host_traffic *ret_received, struct host_traffic *ret_sent)
{
    owned_buffer struct buffer text = { 0 };
    if (!device || !read_text("/proc/net/dev", &text))
        return false;
    owned_memory char *name = memory_printf("%s:", device);
    for (const char *line = buffer_text(&text); line; line = strchr(line, '\n')) {
        unsigned long long r[4], s[4];
        line += strspn(line, "\n ");
        if (text_starts(line, name) &&
            sscanf(line + strlen(name), "%llu %llu %llu %llu %*u %*u %*u %*u %llu %llu %llu %llu", &r[0],
                   &r[1], &r[2], &r[3], &s[0], &s[1], &s[2], &s[3]) == 8) {
            *ret_received = (struct host_traffic) { s[0], s[1], s[2], s[3] };
            *ret_sent = (struct host_traffic) { r[0], r[1], r[2], r[3] };
            return true;
        }
    }
    return false;
}
