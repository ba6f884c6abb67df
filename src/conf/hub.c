/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/hub.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(hub_type, HUB_TYPES);

#define SELF struct hub
ALIAS_PART;

const struct element hub_element = ELEMENT("hub", "More ports.",
    ATTR("type", type, hub_type, "kind of bus", REQUIRED), INLINE(alias), CHILD(address, address_element));
