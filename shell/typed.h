/* SPDX-License-Identifier: Apache-2.0 */
/* typed.h - values that travel with their type, as text. */
#pragma once
#include <stdbool.h>

#include "base/buffer.h"
#include "rpc/remote.h"

void typed_format(const remote_typed_param *param, struct buffer *out);
bool typed_is_number(const remote_typed_param *param);
