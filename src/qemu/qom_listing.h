/* SPDX-License-Identifier: Apache-2.0 */
/* qom_listing.h - a listing of all objects that is meant for people, taken as a hint of what to ask.
 *
 * QEMU's human monitor prints "info qom-tree /", with all names and types of a whole machine in 12 kB, for
 * the price of a short request.  It has neither properties nor links, and its form is no promise: what is
 * read from it is a plan (qom_plan.h), which the answers prove.
 */
#pragma once
#include "qemu/qom_sketch.h"

/* NULL if it does not look like one. */
struct qom_sketch *qom_listing_parse(const char *text);
