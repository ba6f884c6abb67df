/* SPDX-License-Identifier: Apache-2.0 */
#include "base/enums.h"

#include <string.h>

int enum_find(const struct enum_names *names, const char *word)
{
    for (size_t i = 1; i < names->count; i++)
        if (strcmp(names->words[i], word) == 0)
            return (int) i;
    return 0;
}

const char *enum_word(const struct enum_names *names, int value)
{
    return value > 0 && (size_t) value < names->count ? names->words[value] : NULL;
}
