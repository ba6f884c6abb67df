/* SPDX-License-Identifier: Apache-2.0 */
/* complete_values.h - private to completion: words that only a daemon knows. */
#pragma once
#include "shell/command.h"
#include "shell/complete.h"

void completions_add(struct completions *out, const char *word, const char *begun); /* if it begins so */
/* What a parameter of that kind can be.  `words` are those that stand there without their name: a domain,
 * then an object.  No daemon, no words. */
void complete_value(struct session *session, enum parameter_kind kind, const char *const *words, size_t count,
                    const char *begun, struct completions *out);
