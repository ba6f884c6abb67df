/* SPDX-License-Identifier: Apache-2.0 */
/* actions.h - what a line of a script can do; simvmm(1) describes each row. */
#pragma once
#include "simvmm/script.h"

extern const struct action actions[];                   /* ended by one without a name */

const struct action *action_find(const char *name);     /* NULL */
/* "  boot MS\n": a line each. */
void action_add_usage(struct buffer *out);
void action_add_names(struct buffer *out);              /* "boot, powerbutton, ..." */
