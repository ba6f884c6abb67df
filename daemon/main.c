/* SPDX-License-Identifier: Apache-2.0 */
/* domusd - manages virtual machines for libvirt's clients. */
#include <stdio.h>
#include <stdlib.h>

#include "base/files.h"
#include "daemon/daemon.h"
#include "daemon/options.h"

enum { EXIT_USAGE = 2 };

static int run(const struct options *options)
{
    struct daemon daemon = { 0 };
    error_scope(err);
    int rc = daemon_start(&daemon, options, &err);
    if (rc < 0)
        fprintf(stderr, "domusd: %s\n", error_text(&err));
    else
        daemon_run(&daemon);
    daemon_stop(&daemon);
    return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    struct options options;
    files_fill_standard();
    switch (options_parse(argc, argv, &options)) {
    case OPTIONS_DONE: return EXIT_SUCCESS;
    case OPTIONS_WRONG: return EXIT_USAGE;
    case OPTIONS_RUN: return run(&options);
    }
    return EXIT_FAILURE;
}
