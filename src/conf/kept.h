/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h - looking into content that is kept but not modelled.  Private to src/conf.
 *
 * A device that we cannot build yet still has an address and a place in the boot order, which others must not
 * take.
 */
#pragma once
#include "conf/domain_def.h"
#include "xml/raw.h"

/* The next kept element whose path starts so ("devices/"); start with after = NULL. */
const struct extra *kept_next(const struct extras *extras, const char *path_start, const struct extra *after);

/* False if <features><ps2 state='off'/> took keyboard and mouse away. */
bool kept_has_ps2(const struct domain_def *def);
/* Has any kept device a place in the boot order? */
bool kept_has_boot_order(const struct domain_def *def);

const struct raw *raw_find(const struct raw *raw,
                           const char *name);    /* first child element of that name, or NULL */
const char *raw_get(const struct raw *raw, const char *attribute);      /* its value, or NULL */
/* A number as addresses are written; false if there is none. */
bool raw_get_number(const struct raw *raw, const char *attribute, uint32_t *ret_number);
