/* SPDX-License-Identifier: Apache-2.0 */
/* complete.h - how the word under the cursor may go on. */
#pragma once
#include <stddef.h>

#include "base/vector.h"

struct session;

struct completions { VECTOR(char *) words; };

/* `line` is what stands before the cursor.  The words that could replace its last one, sorted. */
void complete(struct session *session, const char *line, struct completions *out);
void completions_done(struct completions *completions);
/* How many bytes all words begin with in common. */
size_t completions_common(const struct completions *completions);
