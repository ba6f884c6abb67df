/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/arguments.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct parameter parameters[] = {
    DOMAIN_PARAMETER,
    { "paused", PARAMETER_FLAG, .help = "" },
    { "timeout", PARAMETER_NUMBER, .help = "" },
    { "cmd", PARAMETER_REST, .help = "" },
    { 0 },
};
static const struct command command = { .name = "example", .parameters = parameters };

static struct arguments *parse(struct error *err, size_t count, const char *const *words)
{
    return arguments_parse(&command, (char *const *) words, count, err);
}
#define PARSE(err, ...)                                                                                      \
    parse(err, ARRAY_COUNT(((const char *const[]) { __VA_ARGS__ })), (const char *const[]) { __VA_ARGS__ })

#define assert_misuse(expected, ...) do { \
        error_scope(err); \
        owned(arguments) struct arguments *a = PARSE(&err, __VA_ARGS__); \
        cr_assert_null(a); \
        cr_assert_not_null(strstr(error_text(&err), expected), "%s", error_text(&err)); \
    } while (0)

Test(arguments, options_and_positions_mix_in_any_order)
{
    error_scope(err);
    owned(arguments) struct arguments *a = PARSE(&err, "--paused", "one", "--timeout=5", "info", "status");
    cr_assert_not_null(a, "%s", error_text(&err));
    owned_memory char *rest = argument_joined(a, "cmd");
    cr_assert_str_eq(argument_text(a, "domain"), "one");
    cr_assert(argument_flag(a, "paused"));
    cr_assert_eq(argument_number(a, "timeout", 1), 5);
    cr_assert_str_eq(rest, "info status");
}

Test(arguments, a_position_can_be_named)
{
    error_scope(err);
    owned(arguments) struct arguments *a = PARSE(&err, "--domain", "one", "info");
    cr_assert_not_null(a, "%s", error_text(&err));
    owned_memory char *rest = argument_joined(a, "cmd");
    cr_assert_str_eq(argument_text(a, "domain"), "one");
    cr_assert_str_eq(rest, "info");
    cr_assert_eq(argument_number(a, "timeout", 7), 7);
}

Test(arguments, after_two_dashes_everything_is_a_position)
{
    error_scope(err);
    owned(arguments) struct arguments *a = PARSE(&err, "--", "--paused");
    cr_assert_not_null(a, "%s", error_text(&err));
    cr_assert_str_eq(argument_text(a, "domain"), "--paused");
    cr_assert_not(argument_flag(a, "paused"));
}

Test(arguments, every_misuse_says_what_is_wrong)
{
    assert_misuse("requires <domain>", "--paused");
    assert_misuse("did you mean --paused?", "one", "--pause");
    assert_misuse("doesn't support option --xyzzy", "one", "--xyzzy");
    assert_misuse("--timeout wants a number, not '5s'", "one", "--timeout", "5s");
    assert_misuse("--timeout wants a value", "one", "--timeout");
    assert_misuse("--paused takes no value", "one", "--paused=yes");
    assert_misuse("--paused is given twice", "one", "--paused", "--paused");
}

Test(arguments, a_word_too_many_is_refused)
{
    static const struct parameter only[] = { DOMAIN_PARAMETER, { 0 } };
    static const struct command start = { .name = "start", .parameters = only };
    static const char *const words[] = { "one", "two" };
    error_scope(err);
    cr_assert_null(arguments_parse(&start, (char *const *) words, 2, &err));
    cr_assert_str_eq(error_text(&err), "start: there is nothing that 'two' could mean");
}
