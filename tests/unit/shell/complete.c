/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/complete.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "shell/command.h"
#include "shell/session.h"

/* The completions of a line without a daemon, joined by blanks. */
static char *completed(const char *line)
{
    struct session session = { .where = memory_copy_text("/nonexistent/socket") };
    struct completions found = { 0 };
    struct buffer out = { 0 };
    complete(&session, line, &found);
    for (size_t i = 0; i < found.words.count; i++)
        buffer_printf(&out, "%s%s", i ? " " : "", found.words.items[i]);
    completions_done(&found);
    session_done(&session);
    return buffer_take(&out);
}

static void assert_completed(const char *line, const char *expected)
{
    owned_memory char *got = completed(line);
    cr_assert_str_eq(got, expected, "'%s' became '%s'", line, got);
}

Test(complete, commands_options_and_commands_after_a_semicolon_are_found)
{
    assert_completed("domu", "domuuid");
    assert_completed("domi", "domid domiflist domifstat dominfo");
    assert_completed("nothing-begins-so", "");
    assert_completed("start one --p", "--paused");
    assert_completed("start one; susp", "suspend");
    assert_completed("no-such-command --", "");
    assert_completed("start on", "");
    assert_completed("qom one wa", "watch");
    assert_completed("qom one watch --int", "--interval");
}

Test(complete, what_all_have_in_common_is_offered_at_once)
{
    struct session session = { 0 };
    struct completions found = { 0 };
    complete(&session, "domi", &found);
    cr_assert_eq(completions_common(&found), strlen("domi"));
    completions_done(&found);
    complete(&session, "capa", &found);
    cr_assert_eq(completions_common(&found), strlen("capabilities"));
    completions_done(&found);
}

Test(table, every_command_has_a_summary_a_group_and_help_for_each_parameter)
{
    for (const struct command *const *c = commands; *c; c++) {
        cr_assert((*c)->summary && (*c)->group && (*c)->run, "%s", (*c)->name);
        cr_assert_eq(command_find((*c)->name), *c);
        for (const struct parameter *p = (*c)->parameters; p && p->name; p++)
            cr_assert(p->help && *p->help, "%s --%s", (*c)->name, p->name);
    }
}
