/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/size.h"

#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/own.h"
#include "base/text.h"

static const struct { const char *word; uint64_t bytes; } units[] = {
    { "", 1ull << 10 }, { "b", 1 }, { "bytes", 1 },
    { "k", 1ull << 10 }, { "KiB", 1ull << 10 }, { "KB", 1000ull },
    { "M", 1ull << 20 }, { "MiB", 1ull << 20 }, { "MB", 1000000ull },
    { "G", 1ull << 30 }, { "GiB", 1ull << 30 }, { "GB", 1000000000ull },
    { "T", 1ull << 40 }, { "TiB", 1ull << 40 }, { "TB", 1000000000000ull },
};

int size_parse_kib(const char *text, uint64_t *ret_kib, struct error *err)
{
    size_t length = strspn(text, "0123456789");
    owned_memory char *digits = memory_copy_bytes(text, length);
    uint64_t number, bytes;
    if (!text_to_u64(digits, UINT64_MAX, &number))
        return fail(err, ERR_INVALID_ARG, "'%s' is no size; write 2097152 (KiB), 2048M or 2GiB", text);
    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        if (strcasecmp(units[i].word, text + length) != 0)
            continue;
        if (__builtin_mul_overflow(number, units[i].bytes, &bytes) || bytes > UINT64_MAX - 1023)
            return fail(err, ERR_INVALID_ARG, "'%s' is too much", text);
        *ret_kib = (bytes + 1023) / 1024;
        return 0;
    }
    return fail(err, ERR_INVALID_ARG, "'%s' is no unit; there are b, K, M, G, T, KiB, KB and so on",
                text + length);
}
