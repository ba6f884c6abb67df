/* SPDX-License-Identifier: Apache-2.0 */
/* edit.h - changing a domain's definitions: copy, change, check, swap.
 *
 *     owned(domain_def) struct domain_def *copy = domain_def_copy(dom->def);
 *     copy->title = ...;
 *     if (edit_config(request, copy, err) < 0)
 *         return -1;
 *
 * Under the domain's job.  Whatever fails leaves both definitions as they were.
 */
#pragma once
#include "daemon/request.h"

enum edit_which { EDIT_CONFIG, EDIT_LIVE };

/* What a client would get that defined this (and `device` in it, unless that is NULL): through its text, so
 * that a change obeys exactly the rules that a definition does.  A live one has an alias at every device. */
WAITS struct domain_def *edit_check(struct request *request, const struct domain_def *changed,
                                    enum edit_which which, const char *device, struct error *err);
/* Kept on disk, and the domain's from now on. */
WAITS int edit_keep(struct request *request, struct domain_def *def, struct error *err);
/* Both. */
WAITS int edit_config(struct request *request, const struct domain_def *changed, struct error *err);
/* Of what runs: for content that the VMM has no part in, or took already. */
WAITS int edit_live(struct request *request, struct domain_def *changed, struct error *err);
