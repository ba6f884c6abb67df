/* SPDX-License-Identifier: Apache-2.0 */
/* definition.h - a domain's XML, fetched and read, for commands that show a part of it. */
#pragma once
#include "conf/domain_def.h"
#include "rpc/client.h"

/* What runs; with `inactive`, or while nothing runs, what the next start will run. */
struct domain_def *definition_fetch(struct client *client, const remote_nonnull_domain *dom, bool inactive,
                                    struct error *err);
