/* SPDX-License-Identifier: Apache-2.0 */
/* Domain XML that people use, from $DOMUS_SHARED/corpus: what should be accepted is, and its stored form is a
 * fixed point. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "define.h"

static char *corpus(const char *folder)
{
    const char *shared = getenv("DOMUS_SHARED");
    owned_memory char *path = memory_printf("%s/corpus/%s/public", shared ? shared : "../shared", folder);
    if (access(path, R_OK) != 0)
        cr_skip("%s is not there", path);
    return take(path);
}

/* Where the line's column begins; NULL if it has not that many. */
static const char *column(const char *line, unsigned at)
{
    for (; line && at; at--) {
        line = strchr(line, '\t');
        line += line != NULL;
    }
    return line;
}

/* All but those that libvirt refuses, and one whose verdict is "unmeasured" although both libvirts refused
 * it: it has two root buses, a mouse of a model that mice do not come in, timers that are given twice... */
static bool is_wild_and_accepted(const char *line)
{
    const char *verdict = column(line, 2);
    return verdict && !text_starts(line, "file\t") && !text_starts(verdict, "refuse-define") &&
           !text_starts(line, "vi-many-devices.xml\t");
}

static bool is_upstream_and_accepted(const char *line)
{
    const char *stage = column(line, 6);
    return stage && *stage == '\t';
}

static void check_document(const char *path)
{
    error_scope(err);
    owned_buffer struct buffer text = { 0 }, first = { 0 }, second = { 0 };
    cr_assert_eq(file_read(path, DOMAIN_XML_MAX, &text, &err), 0, "%s", error_text(&err));
    owned(domain_def) struct domain_def *def = define_text(buffer_text(&text), 0, NULL, &err);
    cr_assert_not_null(def, "%s: %s", path, error_text(&err));
    domain_def_format(def, DOMAIN_DEF_SECRETS, NULL, &first);
    owned(domain_def) struct domain_def *again = define_text(first.data, 0, NULL, &err);
    cr_assert_not_null(again, "%s, stored: %s", path, error_text(&err));
    domain_def_format(again, DOMAIN_DEF_SECRETS, NULL, &second);
    cr_assert_str_eq(second.data, first.data, "%s is no fixed point", path);
}

/* Takes each line of the table of which is_wanted() is true; column 0 names the document. */
static size_t check_table(const char *folder, const char *table, const char *ending,
                          bool (*is_wanted)(const char *line))
{
    error_scope(err);
    owned_buffer struct buffer text = { 0 };
    owned_memory char *path = memory_printf("%s/%s", folder, table);
    size_t count = 0;
    cr_assert_eq(file_read(path, 1 << 20, &text, &err), 0, "%s", error_text(&err));
    for (const char *line = text.data; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (!is_wanted(line))
            continue;
        owned_memory char *document = memory_printf("%s/%.*s%s", folder, (int) strcspn(line, "\t"), line,
                                                    ending);
        check_document(document);
        count++;
    }
    return count;
}

Test(corpus, documents_out_of_public_repositories_define_and_are_fixed_points)
{
    owned_memory char *folder = corpus("wild");
    cr_assert_geq(check_table(folder, "verdicts.tsv", "", is_wild_and_accepted), 90);
}

Test(corpus, test_cases_of_libvirt_define_and_are_fixed_points)
{
    owned_memory char *folder = corpus("upstream");
    cr_assert_geq(check_table(folder, "index.tsv", ".xml", is_upstream_and_accepted), 200);
}

Test(corpus, what_libvirt_refuses_to_define_is_refused)
{
    error_scope(err);
    owned_memory char *folder = corpus("upstream");
    owned_memory char *path = memory_printf("%s/index.tsv", folder);
    owned_buffer struct buffer table = { 0 };
    size_t count = 0;
    cr_assert_eq(file_read(path, 1 << 20, &table, &err), 0, "%s", error_text(&err));
    for (const char *line = table.data; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *stage = column(line, 6);
        owned_memory char *document = memory_printf("%s/%.*s.xml", folder, (int) strcspn(line, "\t"), line);
        owned_buffer struct buffer text = { 0 };
        if (!text_starts(stage, "define\t"))
            continue;
        cr_assert_eq(file_read(document, DOMAIN_XML_MAX, &text, &err), 0, "%s", error_text(&err));
        owned(domain_def) struct domain_def *def = define_text(buffer_text(&text), 0, NULL, &err);
        cr_assert_null(def, "%s was accepted", document);
        error_clear(&err);
        count++;
    }
    cr_assert_geq(count, 40);
}

/* Documents of which the table says "refuse", but for those that are only wrong where the emulator is looked
 * at. */
Test(corpus, hostile_documents_are_refused)
{
    error_scope(err);
    owned_memory char *folder = corpus("hostile");
    owned_memory char *path = memory_printf("%s/index.tsv", folder);
    owned_buffer struct buffer table = { 0 };
    size_t count = 0;
    cr_assert_eq(file_read(path, 1 << 20, &table, &err), 0, "%s", error_text(&err));
    for (const char *line = table.data; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *right = strstr(line, "\trefuse: ");
        owned_memory char *name = memory_printf("%.*s", (int) strcspn(line, "\t"), line);
        owned_memory char *document = memory_printf("%s/%s", folder, name);
        owned_buffer struct buffer text = { 0 };
        if (!right || right > line + strcspn(line, "\n") ||
            file_read(document, DOMAIN_XML_MAX, &text, &err) < 0)
            continue;
        owned(domain_def) struct domain_def *def =
            domain_def_parse(buffer_text(&text), text.length, 0, NULL, NULL, &err);
        cr_assert_null(def, "%s was accepted", name);
        count++;
    }
    cr_assert_geq(count, 25);
}
