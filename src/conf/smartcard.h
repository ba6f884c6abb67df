/* SPDX-License-Identifier: Apache-2.0 */
/* smartcard.h - <smartcard>: a card, of the host or of who sits at the guest's screen.
 *
 * After defaults: it has a ccid address, and there is such a controller.
 */
#pragma once
#include "conf/chardev.h"

#define SMARTCARD_MODES(_) _(SMARTCARD_HOST, "host") _(SMARTCARD_CERTIFICATES, "host-certificates") \
    _(SMARTCARD_PASSTHROUGH, "passthrough")
DECLARE_ENUM(smartcard_mode, SMARTCARD_MODE_ABSENT, SMARTCARD_MODES);

struct certificate { struct extras extras; const char *name; };

struct smartcard {
    struct extras extras;
    enum smartcard_mode mode;
    LIST_OF(struct certificate) certificates;   /* three, of host-certificates */
    const char *database;
    struct chardev source;                      /* of passthrough; only its source */
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(smartcard_element, struct smartcard);
