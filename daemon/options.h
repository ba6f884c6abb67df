/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - domusd's command line. */
#pragma once
#include <stdbool.h>

struct options {
    const char *root, *emulator, *config;       /* NULL if not given */
    bool verbose;
};

enum options_outcome { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_WRONG };

/* DONE: what was asked for (--help and its kin) is printed.  WRONG: the mistake is on standard error. */
enum options_outcome options_parse(int argc, char **argv, struct options *ret_options);
