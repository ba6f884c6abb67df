/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused before any table is looked at. */
#include <criterion/criterion.h>
#include <string.h>

#include "cat.h"
#include "xml/findings.h"

static void refused(const char *text, size_t length, const char *word)
{
    error_scope(err);
    owned(arena) struct arena *arena = arena_new();
    owned_findings struct findings findings = { 0 };
    void *cat = xml_read(&cat_element, text, length, 1 << 16, 0, NULL, NULL, arena, &findings, &err);
    cr_assert_null(cat);
    cr_assert_eq(err.code, ERR_XML_SYNTAX, "%s", error_text(&err));
    cr_assert_not_null(strstr(error_text(&err), word), "%s", error_text(&err));
}

static void refused_text(const char *text, const char *word)
{
    refused(text, strlen(text), word);
}

Test(document, an_empty_one_is_refused)
{
    refused_text("", "empty");
    refused_text(" \n\t", "empty");
}

Test(document, a_syntax_error_names_its_line)
{
    refused_text("<cat>\n<age>\n</cat>", "line 3");
}

Test(document, a_document_type_is_refused_with_or_without_entities)
{
    refused_text("<!DOCTYPE cat><cat/>", "document type");
    refused_text("<!DOCTYPE cat [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><cat><age>&e;</age></cat>",
                 "document type");
    refused_text("<!DOCTYPE cat [<!ENTITY % e SYSTEM 'http://127.0.0.1:1/'>%e;]><cat/>", "document type");
}

Test(document, an_entity_that_nobody_declared_is_refused)
{
    refused_text("<cat><called>&e;</called></cat>", "Entity 'e' not defined");
}

Test(document, bytes_that_are_not_utf8_are_refused_with_their_line)
{
    refused_text("<?xml version='1.0' encoding='ISO-8859-1'?>\n<cat>\n<called>caf\xe9</called></cat>",
                 "line 3: not UTF-8");
}

Test(document, a_nul_byte_is_refused)
{
    refused("<cat>\0</cat>", 12, "NUL");
}

Test(document, one_that_is_too_long_is_refused)
{
    owned_buffer struct buffer text = { 0 };
    buffer_add_text(&text, "<cat><!--");
    while (text.length < 1 << 16)
        buffer_add_text(&text, "miaow ");
    buffer_add_text(&text, "--></cat>");
    refused(text.data, text.length, "at most 65536");
}

Test(document, one_that_is_too_deep_is_refused)
{
    owned_buffer struct buffer text = { 0 };
    for (int i = 0; i < 300; i++)
        buffer_add_text(&text, "<cat>");
    refused(text.data, text.length, "nested more than 256 deep");
}

Test(document, an_element_with_too_many_attributes_is_refused_wherever_comments_stand)
{
    static const char *const starts[] = {
        "<cat", "<!-- ' --><cat", "<?p \" ?><cat", "<cat><![CDATA[ ' ]]><b",
    };
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        owned_buffer struct buffer text = { 0 };
        buffer_add_text(&text, starts[k]);
        for (int i = 0; i < 600; i++)
            buffer_printf(&text, " a%d='>'", i);
        buffer_add_text(&text, "/></cat>");
        refused(text.data, text.length, "more than 512 attributes");
    }
}

Test(document, the_claimed_encoding_does_not_matter_for_text_that_is_utf8)
{
    static const char text[] = "<?xml version='1.0' encoding='UTF-16'?><cat><called>\xc3\xa9</called></cat>";
    error_scope(err);
    owned(arena) struct arena *arena = arena_new();
    owned_findings struct findings findings = { 0 };
    struct cat *cat = xml_read(&cat_element, text, strlen(text), 1 << 16, 0, NULL, NULL, arena, &findings,
                               &err);
    cr_assert_not_null(cat, "%s", error_text(&err));
    cr_assert_str_eq(cat->old_name, "\xc3\xa9");
}

Test(document, another_root_is_an_error_and_no_syntax_error)
{
    error_scope(err);
    owned(arena) struct arena *arena = arena_new();
    owned_findings struct findings findings = { 0 };
    cr_assert_null(xml_read(&cat_element, "<dog/>", 6, 100, 0, NULL, NULL, arena, &findings, &err));
    cr_assert_eq(err.code, ERR_XML);
}
