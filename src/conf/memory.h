/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - <memory>, <currentMemory>, <maxMemory>: an amount with a unit, which after parsing always is
 * KiB. */
#pragma once
#include "xml/value.h"

struct xml_context;

struct memory_amount {
    struct extras extras;
    uint64_t kib;
    const char *unit;
    enum on_off dump_core;
    uint32_t slots;                             /* of <maxMemory>: places for more */
};

DECLARE_ELEMENT(memory_element, struct memory_amount);
DECLARE_ELEMENT(current_memory_element, struct memory_amount);
DECLARE_ELEMENT(max_memory_element, struct memory_amount);

/* For tables of other amounts: turns kib and unit, as written, into KiB. */
void memory_check(void *self, struct xml_context *x);
/* `*count` of `*unit` in KiB, rounded up; refuses, blaming the member, if it cannot be. */
uint64_t memory_to_kib(struct xml_context *x, const uint64_t *count, const char *const *unit);
