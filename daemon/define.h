/* SPDX-License-Identifier: Apache-2.0 */
/* define.h - taking a definition in, for the calls of libvirt's program and of ours. */
#pragma once
#include "daemon/request.h"

/* Parses, keeps on disk, tells listeners.  `findings` gets all that was found in the XML. */
WAITS int define(struct request *request, const char *xml, bool validate, struct findings *findings,
                 remote_nonnull_domain *ret_dom, struct error *err);
