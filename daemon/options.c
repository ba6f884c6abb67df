/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/options.h"

#include <getopt.h>
#include <stdio.h>

#include "base/own.h"
#include "base/text.h"
#include "config.h"
#include "daemon/settings.h"

struct option_row { int letter; const char *name, *argument, *sentence; };

enum { HELP_CONFIG = 256, HELP_CONFIG_MANUAL };

static const struct option_row rows[] = {
    { 'r', "root", "DIR", "keep everything below DIR instead of in the system's folders" },
    { 'e', "emulator", "EMULATOR", "what runs guests whose XML names none: auto, sim or a path" },
    { 'c', "config", "FILE", "read this configuration file" },
    { 'v', "verbose", NULL, "log at debug level" },
    { HELP_CONFIG, "help-config", NULL, "print a sample configuration file and exit" },
    { HELP_CONFIG_MANUAL, "help-config-manual", NULL, "print the same as a part of domusd.conf(5) and exit" },
    { 'V', "version", NULL, "print the version and exit" },
    { 'h', "help", NULL, "print this help and exit" },
};

static void print_help(void)
{
    puts("Usage: domusd [OPTION]...\nManages virtual machines for libvirt's clients.\n");
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct option_row *row = &rows[i];
        char letter[8] = "    ", name[40];
        if (row->letter < HELP_CONFIG)
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        snprintf(name, sizeof name, "--%s%s%s", row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
        printf("  %s%-22s  %s\n", letter, name, row->sentence);
    }
    puts("\nGuests go on running when domusd stops; the next domusd finds them again.\n"
         "SIGTERM stops it, SIGHUP makes it read its configuration and open its log anew.");
}

static void to_getopt(struct option *ret_long, char *ret_short)
{
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        int takes = rows[i].argument ? required_argument : no_argument;
        *ret_long++ = (struct option) { rows[i].name, takes, NULL, rows[i].letter };
        if (rows[i].letter >= HELP_CONFIG)
            continue;
        *ret_short++ = (char) rows[i].letter;
        if (rows[i].argument)
            *ret_short++ = ':';
    }
}

static enum options_outcome wrong(const char *what)
{
    if (what)
        fprintf(stderr, "domusd: %s\n", what);
    fputs("Try 'domusd --help'.\n", stderr);
    return OPTIONS_WRONG;
}

enum options_outcome options_parse(int argc, char **argv, struct options *ret_options)
{
    struct option long_options[ARRAY_COUNT(rows) + 1] = { 0 };
    char short_options[2 * ARRAY_COUNT(rows) + 1] = "";
    struct options options = { 0 };
    int letter;

    to_getopt(long_options, short_options);
    optind = 0;
    while ((letter = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
        switch (letter) {
        case 'r': options.root = optarg; break;
        case 'e': options.emulator = optarg; break;
        case 'c': options.config = optarg; break;
        case 'v': options.verbose = true; break;
        case HELP_CONFIG: settings_print(stdout); return OPTIONS_DONE;
        case HELP_CONFIG_MANUAL: settings_print_manual(stdout); return OPTIONS_DONE;
        case 'V': puts("domusd " PACKAGE_VERSION); return OPTIONS_DONE;
        case 'h': print_help(); return OPTIONS_DONE;
        default: return wrong(NULL);
        }
    }
    if (optind < argc)
        return wrong("it takes options only");
    if (text_equal(options.root, ""))
        return wrong("--root needs a folder");
    *ret_options = options;
    return OPTIONS_RUN;
}
