/* SPDX-License-Identifier: Apache-2.0 */
/* block_value.h - nodes as query-block and query-named-block-nodes show them. */
#pragma once
#include "simvmm/block.h"

/* `flat`: without the images that lie below; `throttle`: of the device whose disk it is, or NULL. */
const struct json *block_value(const struct block_node *b, const struct throttle *throttle, bool flat,
                               struct arena *a);
