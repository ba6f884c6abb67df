/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(error, carries_code_text_and_context)
{
    error_scope(err);
    cr_assert_eq(fail(&err, ERR_XML, "disk '%s' has no target", "x"), -1);
    cr_assert_eq(fail_in(&err, "domain '%s'", "vm1"), -1);
    cr_assert_eq(err.code, ERR_XML);
    cr_assert_str_eq(error_text(&err), "domain 'vm1': disk 'x' has no target");
    fail_errno(&err, ENOENT, "cannot open %s", "/nope");
    cr_assert_eq(err.number, ENOENT);
    cr_assert_str_eq(error_text(&err), "cannot open /nope: No such file or directory");
}

Test(error, what_it_quotes_cannot_steer_a_terminal)
{
    error_scope(err);
    fail(&err, ERR_NO_DOMAIN, "no domain '%s'", "a\x1b[2J\a\r\xff\xc2\x9b");
    cr_assert_str_eq(error_text(&err), "no domain 'a\\x1b[2J\\x07\\x0d\\xff\\xc2\\x9b'");
    fail_in(&err, "two\nlines and \t");
    cr_assert_str_eq(error_text(&err),
                     "two\nlines and \\x09: no domain 'a\\x1b[2J\\x07\\x0d\\xff\\xc2\\x9b'");
    fail_errno(&err, ENOENT, "\x1b");
    cr_assert_str_eq(error_text(&err), "\\x1b: No such file or directory");
}

Test(error, a_long_text_is_cut_between_characters)
{
    error_scope(err);
    static char text[3 * 3000 + 1];
    for (size_t i = 0; i < 3000; i++)
        memcpy(text + 3 * i, "\xe2\x82\xac", 3);
    fail(&err, ERR_INTERNAL, "%s", text);
    cr_assert_leq(strlen(err.text), ERROR_TEXT_MAX);
    cr_assert_eq(strlen(err.text) % 3, 0);
}
