/* SPDX-License-Identifier: Apache-2.0 */
/* define.h - short ways to define a domain in a test. */
#pragma once
#include "conf/domain_def.h"

/* A domain of that machine whose <devices> hold `devices`, and whose root holds `rest`; must be accepted. */
struct domain_def *define(const char *machine, const char *rest, const char *devices);
/* Must be refused with that code, in a sentence that has `word` in it. */
void refuse(const char *machine, const char *rest, const char *devices, enum error_code code,
            const char *word);
/* The whole text. */
struct domain_def *define_text(const char *text, unsigned flags, struct findings *findings,
                               struct error *err);
