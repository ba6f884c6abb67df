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

/* Checked anew, with its defaults, as if a client had defined it; then kept on disk and the domain's. */
WAITS int edit_config(struct request *request, const struct domain_def *changed, struct error *err);
/* Of what runs: for content that the VMM has no part in, or took already. */
WAITS int edit_live(struct request *request, struct domain_def *changed, struct error *err);

/* What a definition says, as a text that reads back as itself, passwords and all. */
void edit_format(const struct domain *dom, const struct domain_def *def, bool live, struct buffer *out);
