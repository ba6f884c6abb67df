/* SPDX-License-Identifier: Apache-2.0 */
#include "xml/findings.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/own.h"

static void add(struct findings *f, enum severity severity, const char *text)
{
    findings_add(f, &(struct finding) {
        .severity = severity, .code = ERR_XML, .line = 7, .path = (char *) "a/b", .text = (char *) text,
    });
}

Test(findings, at_most_a_hundred_are_kept_and_all_are_counted)
{
    owned_findings struct findings f = { 0 };
    for (int i = 0; i < 250; i++)
        add(&f, SEVERITY_WARNING, "strange");
    cr_assert_eq(f.count, FINDINGS_MAX);
    cr_assert_eq(f.warnings, 250);
}

Test(findings, an_error_is_not_crowded_out_by_warnings)
{
    error_scope(err);
    owned_findings struct findings f = { 0 };
    for (int i = 0; i < 250; i++)
        add(&f, SEVERITY_WARNING, "strange");
    add(&f, SEVERITY_ERROR, "wrong");
    cr_assert_eq(findings_fail(&f, &err), -1);
    cr_assert_eq(err.code, ERR_XML);
    cr_assert_str_eq(error_text(&err), "line 7: a/b: wrong");
}

Test(findings, a_long_text_is_cut_between_characters)
{
    owned_findings struct findings f = { 0 };
    owned_buffer struct buffer text = { 0 };
    buffer_add_char(&text, 'x');
    while (text.length < 3000)
        buffer_add_text(&text, "\xc3\xa9");
    add(&f, SEVERITY_ERROR, text.data);
    size_t length = strlen(f.items[0].text);
    cr_assert_leq(length, 1024 + 3);
    cr_assert_eq((unsigned char) f.items[0].text[length - 4], 0xa9);
}
