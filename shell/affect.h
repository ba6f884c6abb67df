/* SPDX-License-Identifier: Apache-2.0 */
/* affect.h - whether a change is for the running guest, for its next start, or for both. */
#pragma once
#include "shell/arguments.h"

enum { AFFECT_CURRENT = 0, AFFECT_LIVE = 1, AFFECT_CONFIG = 2 };

#define AFFECT_PARAMETERS                                                                                    \
    { "live", PARAMETER_FLAG, .help = "the running guest" },                                                 \
        { "config", PARAMETER_FLAG, .help = "the next start" },                                              \
    {                                                                                                        \
        "current", PARAMETER_FLAG,                                                                           \
            .help = "the running guest, or if there is none the next start (the default)"                    \
    }

/* COMMAND_DONE, or COMMAND_MISUSED with an error. */
int affect_flags(const struct arguments *arguments, unsigned *ret_flags, struct error *err);
