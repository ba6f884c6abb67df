/* SPDX-License-Identifier: Apache-2.0 */
/* hub.h - <hub>: more usb ports. */
#pragma once
#include "conf/address.h"

enum { HUB_PORTS = 8 };

#define HUB_TYPES(_) _(HUB_USB, "usb")
DECLARE_ENUM(hub_type, HUB_TYPE_ABSENT, HUB_TYPES);

struct hub {
    struct extras extras;
    enum hub_type type;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(hub_element, struct hub);
