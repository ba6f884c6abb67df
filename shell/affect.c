/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/affect.h"

int affect_flags(const struct arguments *arguments, unsigned *ret_flags, struct error *err)
{
    bool live = argument_flag(arguments, "live"), config = argument_flag(arguments, "config");
    if (argument_flag(arguments, "current") && (live || config)) {
        fail(err, ERR_INVALID_ARG, "--current excludes --live and --config");
        return COMMAND_MISUSED;
    }
    *ret_flags = (live ? AFFECT_LIVE : 0) | (config ? AFFECT_CONFIG : 0);
    return COMMAND_DONE;
}
