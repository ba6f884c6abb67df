/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/usage.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "domain/domain.h"

/* Fields 14 and 15 of /proc/PID/stat, counted after the program's name, which may hold anything but ends at
 * the last parenthesis; 22 is the start time, by which we know that the number was not given to another
 * process. */
uint64_t usage_cpu_ns(const struct domain *dom)
{
    unsigned long long user, system, start;
    owned_memory char *path = memory_printf("/proc/%d/stat", (int) dom->process.pid);
    owned_buffer struct buffer text = { 0 };
    error_scope(gone);
    if (!dom->process.pid || file_read(path, 4096, &text, &gone) < 0)
        return 0;
    const char *rest = strrchr(buffer_text(&text), ')');
    if (!rest ||
        sscanf(rest + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %llu", &user,
               &system, &start) != 3 ||
        start != dom->process.start_time)
        return 0;
    return (user + system) * (1000000000ull / (unsigned long long) sysconf(_SC_CLK_TCK));
}
