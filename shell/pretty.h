/* SPDX-License-Identifier: Apache-2.0 */
/* pretty.h - JSON for people: a member a line, two blanks a level. */
#pragma once
#include "base/buffer.h"
#include "base/error.h"

int pretty_json(const char *text, struct buffer *out, struct error *err);
