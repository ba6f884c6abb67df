/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/cpumap.h"

#include <stdbool.h>

static bool has(const char *map, size_t length, unsigned cpu)
{
    return cpu / 8 < length && (unsigned char) map[cpu / 8] >> cpu % 8 & 1;
}

void cpumap_add_letters(const char *map, size_t length, unsigned cpus, struct buffer *out)
{
    for (unsigned cpu = 0; cpu < cpus; cpu++)
        buffer_add_char(out, has(map, length, cpu) ? 'y' : '-');
}

void cpumap_add_ranges(const char *map, size_t length, unsigned cpus, struct buffer *out)
{
    const char *comma = "";
    for (unsigned first = 0, last; first < cpus; first = last + 1) {
        last = first;
        if (!has(map, length, first))
            continue;
        while (last + 1 < cpus && has(map, length, last + 1))
            last++;
        buffer_printf(out, first == last ? "%s%u" : "%s%u-%u", comma, first, last);
        comma = ",";
    }
}
