/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/options.h"
#include "daemon/settings.h"

static void refuse(const char *text, const char *message)
{
    error_scope(err);
    owned(settings) struct settings *settings = settings_new();
    cr_assert_eq(settings_parse(settings, "x.conf", text, &err), -1, "%s", text);
    cr_assert_str_eq(error_text(&err), message);
}

Test(settings, have_their_defaults)
{
    owned(settings) struct settings *settings = settings_new();
    cr_assert_str_eq(settings->emulator, "auto");
    cr_assert_str_eq(settings->override_emulator, "");
    cr_assert_eq(settings->disk_syntax, DISK_SYNTAX_BLOCKDEV);
    cr_assert_eq(settings->log_level, LOG_WORD_INFO);
    cr_assert_eq(settings->max_clients, 5000);
    cr_assert_not(settings->libvirt_sockets);
}

Test(settings, are_read_line_by_line)
{
    error_scope(err);
    owned(settings) struct settings *settings = settings_new();
    const char *text =
        "# a comment\n\n  emulator=sim\nsim_options = \"qemu=7.2,qom=none\"\n\tlibvirt_sockets = yes \n"
        "max_clients = 7\ndisk_syntax = drive\nlog_file = \"\"";
    cr_assert_eq(settings_parse(settings, "x.conf", text, &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(settings->emulator, "sim");
    cr_assert_str_eq(settings->sim_options, "qemu=7.2,qom=none");
    cr_assert(settings->libvirt_sockets);
    cr_assert_eq(settings->max_clients, 7);
    cr_assert_eq(settings->disk_syntax, DISK_SYNTAX_DRIVE);
}

Test(settings, a_mistake_is_named_with_its_line_and_what_was_expected)
{
    refuse("emulator = sim\nemulater = sim\n", "x.conf:2: unknown key 'emulater' (did you mean 'emulator'?)");
    refuse("zzzzzzzzzzzzz = 1", "x.conf:1: unknown key 'zzzzzzzzzzzzz'; domusd --help-config lists them all");
    refuse("\nmax_clients = 5001",
           "x.conf:2: '5001' is no value for max_clients; expected 1 to 5000 clients");
    refuse("max_clients = 0", "x.conf:1: '0' is no value for max_clients; expected 1 to 5000 clients");
    refuse("max_clients = many", "x.conf:1: 'many' is no value for max_clients; expected 1 to 5000 clients");
    refuse("libvirt_sockets = 1", "x.conf:1: '1' is no value for libvirt_sockets; expected yes or no");
    refuse("log_level = loud",
           "x.conf:1: 'loud' is no value for log_level; expected one of error, warning, info, debug");
    refuse("log_level = info\nlog_level = info", "x.conf:2: key 'log_level' is given twice");
    refuse("hello", "x.conf:1: 'hello' is neither a comment nor 'key = value'");
}

Test(settings, the_sample_file_is_a_valid_one_and_says_the_defaults)
{
    error_scope(err);
    char *sample = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&sample, &length);
    settings_print(out);
    fclose(out);
    owned_memory char *text = sample;
    owned(settings) struct settings *settings = settings_new();
    cr_assert_eq(settings_parse(settings, "sample", text, &err), 0, "%s", error_text(&err));
    for (char *at = text; (at = strstr(at, "\n#")); at++) {
        if (at[2] != ' ')
            at[1] = ' ';                /* every commented default, put in force */
    }
    cr_assert_eq(settings_parse(settings, "sample", text, &err), 0, "%s", error_text(&err));
    cr_assert_eq(settings->max_clients, 5000);
}

Test(settings, a_reload_takes_over_only_what_may_change)
{
    error_scope(err);
    owned(settings) struct settings *now = settings_new(), *fresh = settings_new();
    cr_assert_eq(settings_parse(fresh, "x", "max_clients = 3\nemulator = sim\nlog_level = debug\n", &err), 0);
    settings_reload(now, fresh);
    cr_assert_str_eq(now->emulator, "sim");
    cr_assert_eq(now->log_level, LOG_WORD_DEBUG);
    cr_assert_eq(now->max_clients, 5000);
}

Test(settings, a_missing_file_is_only_wrong_if_it_was_asked_for)
{
    error_scope(err);
    owned(settings) struct settings *settings = settings_new();
    cr_assert_eq(settings_read(settings, "/nonexistent/x.conf", false, &err), 0);
    cr_assert_eq(settings_read(settings, "/nonexistent/x.conf", true, &err), -1);
    cr_assert_eq(err.code, ERR_SYSTEM);
}

Test(options, are_few)
{
    struct options options = { 0 };
    const char *words[] = { "domusd", "--root", "/r", "-e", "sim", "--config=/c", "--verbose", NULL };
    cr_assert_eq(options_parse(7, (char **) words, &options), OPTIONS_RUN);
    cr_assert_str_eq(options.root, "/r");
    cr_assert_str_eq(options.emulator, "sim");
    cr_assert_str_eq(options.config, "/c");
    cr_assert(options.verbose);

    const char *nothing[] = { "domusd", NULL }, *stray[] = { "domusd", "start", NULL },
               *wrong[] = { "domusd", "--rooot", NULL };
    cr_assert_eq(options_parse(1, (char **) nothing, &options), OPTIONS_RUN);
    cr_assert_null(options.root);
    cr_assert_eq(options_parse(2, (char **) stray, &options), OPTIONS_WRONG);
    cr_assert_eq(options_parse(2, (char **) wrong, &options), OPTIONS_WRONG);
}
