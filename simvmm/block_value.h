/* SPDX-License-Identifier: Apache-2.0 */
/* block_value.h - nodes as query-block and query-named-block-nodes show them. */
#pragma once
#include "simvmm/block.h"

/* `flat`: without the images that lie below. */
const struct json *block_value(const struct block_node *b, bool flat, struct arena *a);
