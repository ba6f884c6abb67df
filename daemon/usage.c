/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/usage.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "domain/domain.h"

/* Fields of /proc/PID/stat, counted after the program's name, which may hold anything but ends at the last
 * parenthesis: 14 and 15 are the times, 22 when it was started, 24 pages in memory, 39 the processor. */
static bool read_stat(const char *path, struct usage *ret_usage, unsigned long long *ret_start)
{
    unsigned long long user, system;
    long long pages;
    owned_buffer struct buffer text = { 0 };
    error_scope(gone);
    if (file_read(path, 4096, &text, &gone) < 0)
        return false;
    const char *rest = strrchr(buffer_text(&text), ')');
    int cpu;
    if (!rest || sscanf(rest + 1,
                        " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %llu"
                        " %*u %lld %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %d",
                        &user, &system, ret_start, &pages, &cpu) != 5)
        return false;
    uint64_t tick = 1000000000u / (uint64_t) sysconf(_SC_CLK_TCK),
             page = (uint64_t) sysconf(_SC_PAGESIZE) / 1024;
    *ret_usage = (struct usage) { user * tick, system * tick, pages > 0 ? (uint64_t) pages * page : 0, cpu };
    return true;
}

/* The start time tells that the number was not given to another process. */
bool usage_of(const struct domain *dom, struct usage *ret_usage)
{
    struct usage usage;
    unsigned long long start;
    if (!dom->process.pid)
        return false;
    owned_memory char *path = memory_printf("/proc/%d/stat", (int) dom->process.pid);
    if (!read_stat(path, &usage, &start) || start != dom->process.start_time)
        return false;
    *ret_usage = usage;
    return true;
}

/* A thread's number means something only below the process that we know. */
static char *thread_path(const struct domain *dom, int thread, const char *file)
{
    struct usage process;
    return usage_of(dom, &process)
               ? memory_printf("/proc/%d/task/%d/%s", (int) dom->process.pid, thread, file)
               : NULL;
}

bool usage_of_thread(const struct domain *dom, int thread, struct usage *ret_usage)
{
    unsigned long long start;
    owned_memory char *path = thread_path(dom, thread, "stat");
    return path && read_stat(path, ret_usage, &start);
}

/* Three numbers: time on a processor, time waiting for one, slices. */
bool usage_delay_ns(const struct domain *dom, int thread, uint64_t *ret_ns)
{
    unsigned long long waited;
    owned_memory char *path = thread_path(dom, thread, "schedstat");
    owned_buffer struct buffer text = { 0 };
    error_scope(missing);
    if (!path || file_read(path, 256, &text, &missing) < 0 ||
        sscanf(buffer_text(&text), "%*u %llu", &waited) != 1)
        return false;
    *ret_ns = waited;
    return true;
}

uint64_t usage_cpu_ns(const struct domain *dom)
{
    struct usage usage;
    return usage_of(dom, &usage) ? usage.user_ns + usage.system_ns : 0;
}
