/* SPDX-License-Identifier: Apache-2.0 */
/* panic.h - <panic>: how a guest says that it crashed. */
#pragma once
#include "conf/address.h"

#define PANIC_MODELS(_) \
    _(PANIC_DEFAULT, "default") _(PANIC_ISA, "isa") _(PANIC_PSERIES, "pseries") _(PANIC_HYPERV, "hyperv") \
    _(PANIC_S390, "s390") _(PANIC_PVPANIC, "pvpanic")
DECLARE_ENUM(panic_model, PANIC_MODEL_ABSENT, PANIC_MODELS);

struct panic {
    struct extras extras;
    enum panic_model model;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(panic_element, struct panic);
