/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/cpuset.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

/* Reads digits; false if there are none, or too large a number. */
static bool read_number(const char **text, unsigned *ret_number)
{
    unsigned number = 0;
    const char *start = *text;
    for (; **text >= '0' && **text <= '9'; ++*text)
        if ((number = number * 10 + (unsigned) (**text - '0')) >= CPUSET_MAX)
            return false;
    *ret_number = number;
    return *text > start;
}

static bool read_item(const char **text, bool *members)
{
    unsigned first, last;
    bool exclude = **text == '^';
    *text += exclude;
    if (!read_number(text, &first))
        return false;
    last = first;
    if (**text == '-' && !exclude) {
        ++*text;
        if (!read_number(text, &last) || last < first)
            return false;
    }
    memset(members + first, !exclude, last - first + 1);
    return true;
}

const char *cpuset_normalise(const char *text, struct arena *a)
{
    bool members[CPUSET_MAX] = { false };
    for (;;) {
        text += strspn(text, " \t\n");
        if (!read_item(&text, members))
            return NULL;
        text += strspn(text, " \t\n");
        if (*text == '\0')
            break;
        if (*text++ != ',')
            return NULL;
    }
    owned_buffer struct buffer b = { 0 };
    for (unsigned i = 0; i < CPUSET_MAX; i++) {
        if (!members[i])
            continue;
        unsigned first = i;
        while (i + 1 < CPUSET_MAX && members[i + 1])
            i++;
        buffer_printf(&b, first == i ? "%s%u" : "%s%u-%u", b.length ? "," : "", first, i);
    }
    return b.length ? arena_copy(a, b.data) : NULL;
}

bool cpuset_next(const char **at, unsigned *ret_first, unsigned *ret_last)
{
    if (!*at || !**at)
        return false;
    *ret_first = *ret_last = (unsigned) strtoul(*at, (char **) at, 10);
    if (**at == '-')
        *ret_last = (unsigned) strtoul(*at + 1, (char **) at, 10);
    *at += **at == ',';
    return true;
}

bool cpuset_claim(const char *normal, bool claimed[CPUSET_MAX])
{
    bool fresh = true;
    for (unsigned first, last; cpuset_next(&normal, &first, &last); )
        for (unsigned i = first; i <= last && i < CPUSET_MAX; i++) {
            fresh = fresh && !claimed[i];
            claimed[i] = true;
        }
    return fresh;
}
