/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/metadata.h"

#include <criterion/criterion.h>

#include "base/own.h"
#include "define.h"

#define URI "http://app.example/"

static void expect(const struct domain_def *def, const char *uri, const char *text)
{
    owned_buffer struct buffer out = { 0 };
    const struct raw *element = metadata_find(def, uri);
    cr_assert_eq(element != NULL, text != NULL, "%s", uri);
    if (!element)
        return;
    metadata_format(element, uri, &out);
    cr_assert_str_eq(buffer_text(&out), text);
}

static void set(struct domain_def *def, const char *uri, const char *prefix, const char *xml)
{
    error_scope(err);
    cr_assert_eq(metadata_set(def, uri, prefix, xml, &err), 0, "%s", error_text(&err));
}

Test(metadata, a_program_gets_back_what_it_gave)
{
    owned(domain_def) struct domain_def *def = define("pc", "", "");
    set(def, URI, "app", "<a b='1'/>");
    set(def, URI "2", "other", "<c/>");
    expect(def, URI, "<a b='1'/>");
    expect(def, URI "2", "<c/>");
    expect(def, URI "3", NULL);
    set(def, URI, "app", "<d/>");
    expect(def, URI, "<d/>");
    set(def, URI, NULL, NULL);
    expect(def, URI, NULL);
    expect(def, URI "2", "<c/>");
    set(def, URI "2", NULL, NULL);
    cr_assert_null(def->metadata);
}

Test(metadata, it_survives_a_round_trip)
{
    owned(domain_def) struct domain_def *def = define("pc", "", "");
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    set(def, URI, "app", "<a>1 &lt; 2</a>");
    domain_def_format(def, 0, NULL, &text);
    owned(domain_def) struct domain_def *again = define_text(text.data, 0, NULL, &err);
    cr_assert_not_null(again, "%s", error_text(&err));
    expect(again, URI, "<a>1 &lt; 2</a>");
}

Test(metadata, what_is_no_element_or_no_prefix_is_refused)
{
    static const struct { const char *prefix, *xml;
    } rows[] = {
        { "app", "" },  { "app", "text" }, { "app", "<a" },  { "app", "<a/><b/>" }, { NULL, "<a/>" },
        { "", "<a/>" }, { "a:b", "<a/>" }, { "1a", "<a/>" }, { "a'", "<a/>" },
    };
    owned(domain_def) struct domain_def *def = define("pc", "", "");
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        error_scope(err);
        cr_assert_eq(metadata_set(def, URI, rows[i].prefix, rows[i].xml, &err), -1, "row %zu", i);
        cr_assert_null(def->metadata);
    }
}
