/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/script.h"

#include <criterion/criterion.h>
#include <string.h>

#include "simvmm/actions.h"

static struct script_line *parse(const char *text)
{
    error_scope(err);
    struct script_line *line = script_line_parse(text, strlen(text), &err);
    cr_assert(line, "%s", error_text(&err));
    return line;
}

static void refused(const char *text, const char *why)
{
    error_scope(err);
    cr_assert_null(script_line_parse(text, strlen(text), &err));
    cr_assert_str_eq(error_text(&err), why);
}

Test(script, a_line_is_when_action_and_words)
{
    owned(script_line) struct script_line *line = parse("  at 1000 print \"a b\\n\\x41\" # why not");
    cr_assert_eq(line->when, WHEN_AT);
    cr_assert_eq(line->ms, 1000);
    cr_assert_str_eq(line->action->name, "print");
    cr_assert_eq(line->count, 1);
    cr_assert_str_eq(line->words[line->first], "a b\nA");
}

Test(script, without_when_it_holds_at_once)
{
    owned(script_line) struct script_line *line = parse("powerbutton ignore");
    cr_assert_eq(line->when, WHEN_NOW);
}

Test(script, a_line_that_is_typed_has_a_text)
{
    owned(script_line) struct script_line *line = parse("on input \"reboot now\" reset");
    cr_assert_eq(line->when, WHEN_ON);
    cr_assert_str_eq(line->text, "reboot now");
    cr_assert_str_eq(line->action->name, "reset");
}

Test(script, a_fault_needs_no_word_before_it)
{
    owned(script_line) struct script_line *line = parse("at 5 delay=stop:2:500");
    cr_assert_str_eq(line->action->name, "fault");
    cr_assert_str_eq(line->words[line->first], "delay=stop:2:500");
}

Test(script, nothing_and_a_comment_are_no_lines)
{
    error_scope(err);
    cr_assert_null(script_line_parse("  ", 2, &err));
    cr_assert_null(script_line_parse("# x", 3, &err));
    cr_assert_eq(err.code, ERR_NONE);
}

Test(script, a_wrong_word_is_named_with_what_was_expected)
{
    refused("boot soon", "'boot': 'soon' should be MS");
    refused("unplug maybe", "'unplug': 'maybe' should be MS|refuse|never");
    refused("io-error v0 erase", "'io-error': 'erase' should be read|write");
    refused("io-error v0", "'io-error' needs read|write [REASON]");
    refused("panic now", "'panic': 'now' is one word too many");
    refused("rtc soon", "'rtc': 'soon' should be SECONDS");
    refused("at soon panic", "'at': 'soon' should be milliseconds");
    refused("every 0 panic", "'every': '0' should be milliseconds");
    refused("at 5", "an action is missing behind '5'");
    refused("on fire panic", "'on fire': expected boot, reset, powerbutton, nmi, resume or input TEXT");
    refused("print \"a", "a quote is not closed");
    refused("print \"\\q\"", "after a backslash comes one of n r t e \" \\ or xHH");
    refused("print \"\\x0\"", "after a backslash comes one of n r t e \" \\ or xHH");
    refused("print a b c d e f g h i j k l m n o p", "more than 16 words");
}

Test(script, a_sign_is_a_part_of_a_number_of_seconds)
{
    owned(script_line) struct script_line *ahead = parse("rtc +60"), *back = parse("rtc -60");
    cr_assert_eq(ahead->count + back->count, 2);
}

Test(script, every_action_says_what_words_it_takes)
{
    for (const struct action *a = actions; a->name; a++) {
        cr_assert(a->usage && a->run, "%s", a->name);
        cr_assert_eq(action_find(a->name), a, "%s is there twice", a->name);
    }
}
