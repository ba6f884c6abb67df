/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/watchdog.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(watchdog_model, WATCHDOG_MODELS);
DEFINE_ENUM_CODEC(watchdog_action, WATCHDOG_ACTIONS);

#define SELF struct watchdog
ALIAS_PART;

const struct element watchdog_element = ELEMENT("watchdog", "What happens when the guest hangs.",
    ATTR("model", model, watchdog_model, "model of the device", REQUIRED),
    ATTR("action", action, watchdog_action, "what happens", DEFAULT("reset")),
    INLINE(alias), CHILD(address, address_element));
