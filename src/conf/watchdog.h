/* SPDX-License-Identifier: Apache-2.0 */
/* watchdog.h - <watchdog>: what happens when the guest hangs. */
#pragma once
#include "conf/address.h"

#define WATCHDOG_MODELS(_) \
    _(WATCHDOG_I6300ESB, "i6300esb") _(WATCHDOG_IB700, "ib700") _(WATCHDOG_DIAG288, "diag288") \
    _(WATCHDOG_ITCO, "itco")
DECLARE_ENUM(watchdog_model, WATCHDOG_MODEL_ABSENT, WATCHDOG_MODELS);

#define WATCHDOG_ACTIONS(_) \
    _(WATCHDOG_RESET, "reset") _(WATCHDOG_SHUTDOWN, "shutdown") _(WATCHDOG_POWEROFF, "poweroff") \
    _(WATCHDOG_PAUSE, "pause") _(WATCHDOG_DUMP, "dump") _(WATCHDOG_NONE, "none") \
    _(WATCHDOG_INJECT_NMI, "inject-nmi")
DECLARE_ENUM(watchdog_action, WATCHDOG_ACTION_ABSENT, WATCHDOG_ACTIONS);

struct watchdog {
    struct extras extras;
    enum watchdog_model model;
    enum watchdog_action action;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(watchdog_element, struct watchdog);
