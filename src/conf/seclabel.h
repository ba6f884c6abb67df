/* SPDX-License-Identifier: Apache-2.0 */
/* seclabel.h - <seclabel>: how a mandatory access control system sees the guest.
 *
 * We drive no such system.  What a label would do by itself (dynamic, none) is kept and does nothing; one
 * that its owner chose by hand is kept, and a start refuses it.
 */
#pragma once
#include "xml/value.h"

#define SECLABEL_TYPES(_) \
    _(SECLABEL_DYNAMIC, "dynamic") _(SECLABEL_STATIC, "static") _(SECLABEL_NONE, "none")
DECLARE_ENUM(seclabel_type, SECLABEL_TYPE_ABSENT, SECLABEL_TYPES);

struct seclabel {
    struct extras extras;
    enum seclabel_type type;
    const char *model;
    enum yes_no relabel;
    const char *label, *imagelabel, *baselabel;
};

DECLARE_ELEMENT(seclabel_element, struct seclabel);
