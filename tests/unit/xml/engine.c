/* SPDX-License-Identifier: Apache-2.0 */
/* Each kind of row and each modifier, by a document that uses it. */
#include "xml/element.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"
#include "cat.h"
#include "xml/raw.h"

struct read { struct arena *arena; struct findings findings; struct cat *cat; };

static enum xml_verdict judge(const char *parent, const char *name)
{
    if (text_starts(name, "{urn:blocking}"))
        return XML_KEEP_BLOCKING;
    if (*name == '{' || text_starts(name, "@{") || text_equal(name, "kept") || text_equal(name, "@kept"))
        return XML_KEEP;
    return text_equal(name, "wanted") ? XML_KEEP_BLOCKING : XML_DROP;
}

static struct read read_cat(const char *text, unsigned flags)
{
    static const struct xml_policy policy = { judge };
    struct read r = { .arena = arena_new() };
    error_scope(err);
    r.cat = xml_read(&cat_element, text, strlen(text), 1 << 20, flags, &policy, NULL, r.arena, &r.findings,
                     &err);
    cr_assert_not_null(r.cat, "%s", error_text(&err));
    return r;
}

static void read_done(struct read *r)
{
    findings_done(&r->findings);
    arena_free(r->arena);
}

#define owned_read __attribute__((cleanup(read_done)))

static void expect_text(const struct cat *cat, unsigned flags, const char *wanted)
{
    owned_buffer struct buffer out = { 0 };
    xml_write(&cat_element, cat, flags, &out);
    cr_assert_str_eq(buffer_text(&out), wanted);
}

/* Reads `text`, which has no faults, and expects it to be written as `wanted`. */
static void expect(const char *text, unsigned flags, const char *wanted)
{
    owned_read struct read r = read_cat(text, flags);
    cr_assert_eq(r.findings.errors, 0, "%s", r.findings.count ? r.findings.items[0].text : "");
    expect_text(r.cat, flags, wanted);
}

/* Reads `text`, which has one fault, and expects its line, path and a word of its sentence. */
static void expect_fault(const char *text, unsigned line, const char *path, const char *word)
{
    owned_read struct read r = read_cat(text, 0);
    cr_assert_eq(r.findings.errors, 1);
    cr_assert_eq(r.findings.items[0].line, line, "line %u", r.findings.items[0].line);
    cr_assert_str_eq(r.findings.items[0].path, path);
    cr_assert_not_null(strstr(r.findings.items[0].text, word), "%s", r.findings.items[0].text);
}

Test(engine, attributes_leaves_and_flags_come_back_in_the_order_of_the_rows)
{
    expect("<cat><indoor/><age> 7 </age><chip/></cat>", 0,
           "<cat>\n  <age>7</age>\n  <indoor/>\n  <chip/>\n</cat>\n");
}

Test(engine, zero_is_kept_where_it_means_something)
{
    expect("<cat mice='0' friendly='no'/>", 0, "<cat mice='0' friendly='no'/>\n");
}

Test(engine, a_nested_element_writes_its_always_rows_only_when_it_is_there)
{
    expect("<cat><bed room='attic'/></cat>", 0, "<cat>\n  <bed room='attic' cushions='0'/>\n</cat>\n");
    expect("<cat/>", 0, "<cat/>\n");
}

Test(engine, a_default_is_in_place_before_a_guard_looks_at_it)
{
    owned_read struct read r = read_cat("<cat><temper wish='fish'/></cat>", 0);
    cr_assert_eq(r.cat->mood, HUNGRY);
    cr_assert_str_eq(r.cat->food, "fish");
    cr_assert_null(r.cat->dream);
}

Test(engine, a_guard_with_two_keys_needs_both)
{
    owned_read struct read red = read_cat("<cat colour='red'><temper mood='playful' wish='ball'/></cat>", 0);
    owned_read struct read grey = read_cat("<cat colour='grey'><temper mood='playful' wish='ball'/></cat>",
                                           0);
    cr_assert_str_eq(red.cat->game, "ball");
    cr_assert_null(grey.cat->game);
    cr_assert_eq(grey.findings.warnings, 1);
}

Test(engine, children_of_one_name_are_told_apart_by_their_role)
{
    owned_read struct read r =
        read_cat("<cat><meal at='evening'>milk</meal><meal at='morning'>fish</meal></cat>", 0);
    cr_assert_str_eq(r.cat->morning, "fish");
    cr_assert_str_eq(r.cat->evening, "milk");
    cr_assert_eq(r.findings.warnings, 0);
    expect_text(r.cat, 0,
                "<cat>\n  <meal at='morning'>fish</meal>\n  <meal at='evening'>milk</meal>\n</cat>\n");
}

Test(engine, lists_keep_the_order_of_the_document)
{
    expect("<cat><toy>ball</toy><kitten colour='red'/><toy>mouse</toy><kitten/></cat>", 0,
           "<cat>\n  <kitten colour='red'/>\n  <kitten colour='grey'/>\n"
           "  <toy>ball</toy>\n  <toy>mouse</toy>\n</cat>\n");
}

Test(engine, live_values_are_neither_read_nor_written_without_the_flag)
{
    expect("<cat at='roof' collar='cheap'/>", 0, "<cat/>\n");
    expect("<cat at='roof' collar='cheap'/>", XML_LIVE, "<cat at='roof' collar='cheap'/>\n");
}

Test(engine, live_values_that_last_stay_in_inactive_xml)
{
    expect("<cat collar='engraved-tom'/>", 0, "<cat collar='engraved-tom'/>\n");
}

Test(engine, secrets_are_written_only_when_asked_for)
{
    owned_read struct read r = read_cat("<cat password='sesame'/>", 0);
    expect_text(r.cat, 0, "<cat/>\n");
    expect_text(r.cat, XML_SECRETS, "<cat password='sesame'/>\n");
}

Test(engine, legacy_rows_are_read_and_never_written)
{
    owned_read struct read r = read_cat("<cat><called>Tom</called></cat>", 0);
    cr_assert_str_eq(r.cat->old_name, "Tom");
    expect_text(r.cat, 0, "<cat/>\n");
}

Test(engine, a_prefixed_element_is_never_taken_for_ours)
{
    owned_read struct read r = read_cat("<cat xmlns:o='urn:other'><o:age>7</o:age></cat>", 0);
    cr_assert_eq(r.cat->age, 0);
    expect_text(r.cat, 0, "<cat xmlns:o='urn:other'>\n  <o:age>7</o:age>\n</cat>\n");
}

Test(engine, a_raw_subtree_carries_the_namespaces_that_it_inherits)
{
    expect("<cat xmlns:o='urn:o' xmlns:x='urn:x'><notes><o:note o:by='me'>a &lt; b</o:note></notes></cat>", 0,
           "<cat>\n  <notes xmlns:o='urn:o'>\n    <o:note o:by='me'>a &lt; b</o:note>\n  </notes>\n</cat>\n");
}

Test(engine, text_between_raw_elements_is_kept_to_the_letter)
{
    expect("<cat><notes>one <b>two</b>\n three<!-- four --></notes></cat>", 0,
           "<cat>\n  <notes>one <b>two</b>\n three<!-- four --></notes>\n</cat>\n");
}

Test(engine, what_is_known_but_not_modelled_is_kept_behind_what_is)
{
    expect("<cat kept='a&#10;b'><kept><x/></kept><age>3</age></cat>", 0,
           "<cat kept='a&#10;b'>\n  <age>3</age>\n  <kept>\n    <x/>\n  </kept>\n</cat>\n");
}

static int count_extra(void *arg, const struct extra *extra)
{
    size_t *counts = arg;
    counts[extra->blocks]++;
    return 0;
}

Test(engine, kept_content_is_found_again_at_every_level)
{
    owned_read struct read r = read_cat("<cat><wanted/><bed kept='1'/><kitten><wanted/></kitten>"
                                        "<temper><kept/></temper></cat>", 0);
    size_t counts[2] = { 0 };
    xml_each_extra(&cat_element, r.cat, count_extra, counts);
    cr_assert_eq(counts[0], 2);
    cr_assert_eq(counts[1], 2);
    cr_assert_eq(r.findings.warnings, 4);
}

Test(engine, unknown_content_is_dropped_with_a_warning_and_the_nearest_word)
{
    owned_read struct read r = read_cat("<cat freindly='yes'/>", 0);
    cr_assert_eq(r.findings.warnings, 1);
    cr_assert_str_eq(r.findings.items[0].expected, "friendly");
    expect_text(r.cat, 0, "<cat/>\n");
}

Test(engine, unknown_content_is_an_error_when_the_reader_is_strict)
{
    owned_read struct read r = read_cat("<cat><dog/></cat>", XML_STRICT);
    cr_assert_eq(r.findings.errors, 1);
    cr_assert_eq(r.findings.items[0].code, ERR_XML_SCHEMA);
}

Test(engine, a_bad_word_is_reported_with_line_path_value_and_the_legal_words)
{
    owned_read struct read r = read_cat("<cat>\n  <kitten/>\n  <kitten colour='gray'/>\n</cat>", 0);
    const struct finding *finding = &r.findings.items[0];
    cr_assert_eq(r.findings.errors, 1);
    cr_assert_eq(finding->line, 3);
    cr_assert_str_eq(finding->path, "cat/kitten[2]/@colour");
    cr_assert_str_eq(finding->value, "gray");
    cr_assert_str_eq(finding->expected, "one of black, grey, red");
    cr_assert_not_null(strstr(finding->text, "did you mean 'grey'?"));
}

Test(engine, all_faults_are_reported_and_not_only_the_first)
{
    owned_read struct read r =
        read_cat("<cat colour='blue' lives='10'><age>old</age><kitten colour='x'/></cat>", 0);
    cr_assert_eq(r.findings.errors, 4);
    error_scope(err);
    findings_fail(&r.findings, &err);
    cr_assert_not_null(strstr(error_text(&err), "(and 3 more)"));
}

Test(engine, a_number_outside_of_its_range_names_the_range)
{
    expect_fault("<cat lives='0'/>", 1, "cat/@lives", "a number from 1 to 9");
}

Test(engine, a_check_blames_the_line_of_the_member)
{
    expect_fault("<cat>\n\n<age>31</age></cat>", 3, "cat/age", "31 years");
}

Test(engine, a_second_child_where_one_is_allowed_is_a_fault)
{
    expect_fault("<cat><age>1</age>\n<age>2</age></cat>", 2, "cat/age[2]", "more than one <age>");
}

Test(engine, a_required_text_that_is_missing_is_a_fault)
{
    expect_fault("<cat><toy/></cat>", 1, "cat/toy", "is empty");
}

Test(engine, line_numbers_beyond_65535_are_true)
{
    owned_buffer struct buffer text = { 0 };
    buffer_add_text(&text, "<cat>");
    for (int i = 0; i < 70000; i++)
        buffer_add_text(&text, "\n<kept/>");
    buffer_add_text(&text, "\n<age>40</age>\n</cat>");
    owned_read struct read r = read_cat(text.data, 0);
    cr_assert_eq(r.findings.errors, 1);
    for (size_t i = 0; i < r.findings.count; i++)
        if (r.findings.items[i].severity == SEVERITY_ERROR)
            cr_assert_eq(r.findings.items[i].line, 70002, "line %u", r.findings.items[i].line);
}

Test(engine, a_copy_lives_without_its_original)
{
    static const char text[] =
        "<cat colour='red' kept='k' password='p'><age>3</age><bed room='attic'/>"
        "<kitten colour='red'><kept>x</kept></kitten><toy>ball</toy><notes>n</notes><kept/></cat>";
    struct read r = read_cat(text, 0);
    owned_buffer struct buffer before = { 0 };
    owned(arena) struct arena *arena = arena_new();
    xml_write(&cat_element, r.cat, XML_SECRETS, &before);
    struct cat *copy = xml_copy(&cat_element, r.cat, arena);
    read_done(&r);
    expect_text(copy, XML_SECRETS, before.data);
}
