/* SPDX-License-Identifier: Apache-2.0 */
#include "xml/value.h"

DEFINE_ENUM(yes_no, YES_NO);
DEFINE_ENUM(on_off, ON_OFF);
