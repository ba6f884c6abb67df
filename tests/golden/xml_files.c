/* SPDX-License-Identifier: Apache-2.0 */
/* Golden files of definitions: xml/NAME.xml, and beside it what becomes of it: NAME.out.xml, the stored form,
 * which must be a fixed point, with NAME.warnings if there are any; NAME.live.xml if there is one, the form
 * of a running guest; or NAME.err, all findings.  Prints TAP, a line a file.  REGENERATE=1 rewrites them, for
 * review. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "conf/domain_def.h"

static const char *canonical_machine(void *arg, const char *emulator, const char *machine)
{
    if (!machine || text_equal(machine, "pc"))
        return "pc-i440fx-7.2";
    return text_equal(machine, "q35") ? "pc-q35-7.2" : NULL;
}

static const struct conf_defaults defaults = {
    .arch = "x86_64", .emulator = "/usr/bin/qemu-system-x86_64", .canonical_machine = canonical_machine,
};

static struct domain_def *parse(const struct buffer *xml, struct findings *findings, struct error *err)
{
    return domain_def_parse(buffer_text(xml), xml->length, 0, &defaults, findings, err);
}

/* 0 if the file holds exactly `got`; else -1, and both are shown. */
static int compare(const char *path, const struct buffer *got, struct error *err)
{
    owned_buffer struct buffer wanted = { 0 };
    if (getenv("REGENERATE"))
        return file_replace(path, buffer_text(got), got->length, 0644, err);
    if (file_read(path, 1 << 20, &wanted, err) < 0)
        return -1;
    if (strcmp(buffer_text(got), buffer_text(&wanted)) == 0)
        return 0;
    return fail(err, ERR_INTERNAL, "%s differs; it is now:\n%s", path, buffer_text(got));
}

static void add_findings(const struct findings *findings, struct buffer *out)
{
    for (size_t i = 0; i < findings->count; i++) {
        owned_memory char *text = finding_describe(&findings->items[i]);
        bool error = findings->items[i].severity == SEVERITY_ERROR;
        buffer_printf(out, "%s %s\n", error ? "error" : "warning", text);
    }
}

static int check_fixed_point(const struct buffer *stored, struct error *err)
{
    owned_buffer struct buffer again = { 0 };
    owned(domain_def) struct domain_def *def = parse(stored, NULL, err);
    if (!def)
        return fail_in(err, "what was written cannot be read");
    domain_def_format(def, 0, NULL, &again);
    if (strcmp(buffer_text(&again), buffer_text(stored)) != 0)
        return fail(err, ERR_INTERNAL, "no fixed point; it becomes:\n%s", buffer_text(&again));
    return 0;
}

static int check_live(const struct domain_def *def, const char *path, struct error *err)
{
    static const struct runtime_path ptys[] = { { "serial0", "/dev/pts/7" }, { "serial1", "/dev/pts/8" } };
    static const struct domain_runtime runtime = {
        .id = 3, .balloon_kib = 131072, .ptys = ptys, .ptys_count = 2, .vnc_port = 5901,
    };
    owned_buffer struct buffer out = { 0 };
    if (access(path, F_OK) != 0)
        return 0;
    owned(domain_def) struct domain_def *live = domain_def_copy_live(def);
    domain_def_format(live, DOMAIN_DEF_LIVE, &runtime, &out);
    return compare(path, &out, err);
}

static int check_warnings(const struct findings *findings, const char *stem, struct error *err)
{
    owned_memory char *path = memory_printf("%s.warnings", stem);
    owned_buffer struct buffer got = { 0 };
    add_findings(findings, &got);
    return got.length || access(path, F_OK) == 0 ? compare(path, &got, err) : 0;
}

static int check_file(const char *folder, const char *name, struct error *err)
{
    owned_memory char *stem = memory_printf("%s/%.*s", folder, (int) (strlen(name) - 4), name);
    owned_memory char *in = memory_printf("%s.xml", stem), *out = memory_printf("%s.out.xml", stem);
    owned_memory char *refusal = memory_printf("%s.err", stem), *live = memory_printf("%s.live.xml", stem);
    owned_buffer struct buffer xml = { 0 }, got = { 0 };
    owned_findings struct findings findings = { 0 };
    error_scope(reason);
    if (file_read(in, 1 << 20, &xml, err) < 0)
        return -1;
    owned(domain_def) struct domain_def *def = parse(&xml, &findings, &reason);
    if (!def) {
        buffer_printf(&got, "code %d\n", reason.code);
        add_findings(&findings, &got);
        return compare(refusal, &got, err);
    }
    domain_def_format(def, 0, NULL, &got);
    if (check_fixed_point(&got, err) < 0 || compare(out, &got, err) < 0)
        return -1;
    return check_live(def, live, err) < 0 ? -1 : check_warnings(&findings, stem, err);
}

static bool is_input(const char *name)
{
    return text_ends(name, ".xml") && !text_ends(name, ".out.xml") && !text_ends(name, ".live.xml");
}

static void print_comment(const char *text)
{
    for (const char *line = text; *line; ) {
        size_t length = strcspn(line, "\n");
        printf("# %.*s\n", (int) length, line);
        line += length + (line[length] == '\n');
    }
}

int main(void)
{
    const char *source = getenv("abs_top_srcdir");
    owned_memory char *folder = memory_printf("%s/tests/golden/xml", source ? source : ".");
    char **names;
    size_t count, number = 0, failures = 0;
    error_scope(err);
    if (folder_list(folder, &names, &count, &err) < 0) {
        printf("Bail out! %s\n", error_text(&err));
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_input(names[i]))
            continue;
        bool good = check_file(folder, names[i], &err) == 0;
        printf("%sok %zu - %s becomes what it should\n", good ? "" : "not ", ++number, names[i]);
        if (!good)
            print_comment(error_text(&err));
        error_clear(&err);
        failures += !good;
    }
    printf("1..%zu\n", number);
    folder_names_free(names, count);
    return failures > 0;
}
