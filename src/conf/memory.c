/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/memory.h"

#include <strings.h>

#include "base/own.h"
#include "conf/rows.h"

/* A lone letter and "KiB" are binary multiples, "KB" is a decimal one; case does not matter. */
static bool unit_bytes(const char *unit, uint64_t *ret_bytes)
{
    static const struct { const char *word; uint64_t bytes; } units[] = {
        { "b", 1 }, { "bytes", 1 },
        { "k", UINT64_C(1) << 10 }, { "KiB", UINT64_C(1) << 10 }, { "KB", UINT64_C(1000) },
        { "M", UINT64_C(1) << 20 }, { "MiB", UINT64_C(1) << 20 }, { "MB", UINT64_C(1000000) },
        { "G", UINT64_C(1) << 30 }, { "GiB", UINT64_C(1) << 30 }, { "GB", UINT64_C(1000000000) },
        { "T", UINT64_C(1) << 40 }, { "TiB", UINT64_C(1) << 40 }, { "TB", UINT64_C(1000000000000) },
        { "P", UINT64_C(1) << 50 }, { "PiB", UINT64_C(1) << 50 }, { "PB", UINT64_C(1000000000000000) },
        { "E", UINT64_C(1) << 60 }, { "EiB", UINT64_C(1) << 60 }, { "EB", UINT64_C(1000000000000000000) },
    };
    for (size_t i = 0; i < ARRAY_COUNT(units); i++)
        if (strcasecmp(unit, units[i].word) == 0) {
            *ret_bytes = units[i].bytes;
            return true;
        }
    return false;
}

uint64_t memory_to_kib(struct xml_context *x, const uint64_t *count, const char *const *unit)
{
    uint64_t each, bytes;
    if (!unit_bytes(*unit, &each)) {
        xml_refuse(x, unit, ERR_INVALID_ARG, "b, KB, KiB, MB, MiB, GB, GiB, TB, TiB", "unknown unit '%s'",
                   *unit);
        return *count;
    }
    if (__builtin_mul_overflow(*count, each, &bytes) || bytes > INT64_MAX) {
        xml_refuse(x, count, ERR_XML, "less than 8 EiB", "%llu %s is more memory than can be counted",
                   (unsigned long long) *count, *unit);
        return 0;
    }
    return bytes / 1024 + (bytes % 1024 != 0);
}

/* Nothing is as good as not given. */
void memory_check(void *self, struct xml_context *x)
{
    struct memory_amount *amount = self;
    amount->kib = memory_to_kib(x, &amount->kib, &amount->unit);
    amount->unit = amount->kib ? "KiB" : NULL;
    amount->slots = amount->kib ? amount->slots : 0;
}

#define SELF struct memory_amount
const struct element memory_element = ELEMENT_CHECKED("memory", "Memory at boot.", memory_check,
    ATTR("unit", unit, string, "unit of the amount", DEFAULT("KiB")),
    ATTR("dumpCore", dump_core, on_off, "is it part of a core dump of the VMM?"),
    TEXT(kib, u64, "amount", REQUIRED));

const struct element max_memory_element = ELEMENT_CHECKED(
    "maxMemory", "What it can grow to while the guest runs.", memory_check,
    ATTR("slots", slots, u32, "places for more", RANGE(0, 256)),
    ATTR("unit", unit, string, "unit of the amount", DEFAULT("KiB")),
    TEXT(kib, u64, "amount", REQUIRED));

const struct element current_memory_element = ELEMENT_CHECKED(
    "currentMemory", "What the guest has of it now.", memory_check,
    ATTR("unit", unit, string, "unit of the amount", DEFAULT("KiB")),
    TEXT(kib, u64, "amount", REQUIRED));
