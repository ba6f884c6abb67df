/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include "base/own.h"

#include <criterion/criterion.h>

static bool refused(const char *text, uint64_t max)
{
    uint64_t value = 42;
    return !text_to_u64(text, max, &value) && value == 42;
}

Test(text, numbers_are_plain_decimal_and_within_their_range)
{
    uint64_t value;
    cr_assert(text_to_u64("18446744073709551615", UINT64_MAX, &value) && value == UINT64_MAX);
    cr_assert(text_to_u64("007", 7, &value) && value == 7);
    static const char *const bad[] = { "", " 1", "1 ", "+1", "-1", "0x10", "1.0", "18446744073709551616",
                                       "1e3" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert(refused(bad[i], UINT64_MAX), "'%s' was taken for a number", bad[i]);
    cr_assert(refused("8", 7));
    int64_t s;
    cr_assert(text_to_i64("-9223372036854775808", &s) && s == INT64_MIN);
    cr_assert_not(text_to_i64("9223372036854775808", &s));
}

Test(text, shell_words_are_quoted_only_when_they_must_be)
{
    struct { const char *in, *out; } cases[] = {
        { "-m", "-m" }, { "a,b=c", "a,b=c" }, { "", "''" }, { "a b", "'a b'" }, { "it's", "'it'\\''s'" },
        { "{\"x\":1}", "'{\"x\":1}'" }, { "$(reboot)", "'$(reboot)'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        owned_memory char *got = NULL;
        struct buffer b = { 0 };
        text_add_shell_word(&b, cases[i].in);
        got = buffer_take(&b);
        cr_assert_str_eq(got, cases[i].out);
    }
}

Test(text, what_could_forge_a_line_is_escaped)
{
    struct buffer b = { 0 };
    text_add_printable(&b, "a\nb\x1b[0m\xff\xc2\x9b \xc3\xa4");
    cr_assert_str_eq(b.data, "a\\x0ab\\x1b[0m\\xff\\xc2\\x9b \xc3\xa4");
    buffer_done(&b);
}

Test(text, the_nearest_word_is_offered_only_when_it_is_near)
{
    static const char *const words[] = { NULL, "none", "writeback", "writethrough" };
    cr_assert_str_eq(text_nearest("writebak", words, 4), "writeback");
    cr_assert_str_eq(text_nearest("None", words, 4), "none");
    cr_assert_null(text_nearest("qwerty", words, 4));
}

Test(text, utf8_is_checked_strictly)
{
    cr_assert(text_is_utf8("\xf0\x9f\x98\x80", 4));
    cr_assert_not(text_is_utf8("\xc0\x80", 2));
    cr_assert_not(text_is_utf8("\xed\xa0\x80", 3));
    cr_assert_not(text_is_utf8("\xf4\x90\x80\x80", 4));
    cr_assert_not(text_is_utf8("\xe2\x82", 2));
}

Test(text, a_pattern_fits_the_whole_text_with_stars_and_question_marks)
{
    static const struct {
        const char *text, *pattern;
        bool fits;
    } cases[] = {
        { "device[7]", "device[7]", true },
        { "device[7]", "device[*]", true },
        { "device[7]", "device?7?", true },
        { "device7", "device[7]", false },
        { "", "", true },
        { "", "*", true },
        { "", "?", false },
        { "abcabd", "*ab?", true },
        { "abcabd", "*abc", false },
        { "abc", "a*b*c*", true },
        { "abc", "ab", false },
        { "ab", "abc", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_assert_eq(text_matches(cases[i].text, cases[i].pattern), cases[i].fits, "%s %s", cases[i].text,
                     cases[i].pattern);
}

/* Patterns come from clients: the worst of them must not take for ever. */
Test(text, a_pattern_of_many_stars_is_done_in_no_time, .timeout = 5)
{
    char text[1001] = { 0 }, pattern[1001] = { 0 };
    memset(text, 'a', 1000);
    for (size_t i = 0; i < 998; i += 2)
        pattern[i] = '*', pattern[i + 1] = 'a';
    pattern[998] = 'b';
    cr_assert_not(text_matches(text, pattern));
}
