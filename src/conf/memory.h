/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - <memory>, <currentMemory>: an amount with a unit, which after parsing always is KiB. */
#pragma once
#include "xml/value.h"

struct memory_amount {
    struct extras extras;
    uint64_t kib;
    const char *unit;
    enum on_off dump_core;
};

DECLARE_ELEMENT(memory_element, struct memory_amount);
DECLARE_ELEMENT(current_memory_element, struct memory_amount);
