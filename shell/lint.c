/* SPDX-License-Identifier: Apache-2.0 */
/* lint: everything that is wrong or strange in a domain's XML, told without a daemon. */
#include <stdio.h>

#include "conf/domain_def.h"
#include "json/json.h"
#include "shell/command.h"
#include "shell/faults.h"
#include "shell/session.h"
#include "shell/xml_file.h"

static const struct parameter parameters[] = {
    XML_FILE_PARAMETER,
    { "validate", PARAMETER_FLAG, .help = "take what nobody knows for a fault" },
    JSON_PARAMETER,
    { 0 },
};

static void add_member(struct json_writer *w, const char *key, const char *text)
{
    if (!text)
        return;
    json_key(w, key);
    json_string(w, text);
}

static void show_json(struct session *session, const struct findings *findings)
{
    owned_buffer struct buffer out = { 0 };
    struct json_writer w = { .out = &out, .spaced = true };
    json_open(&w, '[');
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        json_open(&w, '{');
        add_member(&w, "severity", finding->severity == SEVERITY_ERROR ? "error" : "warning");
        json_key(&w, "line"), json_u64(&w, finding->line);
        add_member(&w, "path", finding->path);
        add_member(&w, "value", finding->value);
        add_member(&w, "expected", finding->expected);
        add_member(&w, "text", finding->text);
        json_close(&w, '}');
    }
    json_close(&w, ']');
    session_show_json(session, buffer_text(&out));
}

static void show_text(const char *file, const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        fault_print(stdout, file, finding->severity == SEVERITY_ERROR, finding->line, finding->path,
                    finding->text);
    }
}

static int run(struct session *session, const struct arguments *arguments, struct error *err)
{
    static const struct conf_defaults defaults = { .arch = "x86_64" };
    const char *file = argument_text(arguments, "file");
    owned_buffer struct buffer xml = { 0 };
    owned_findings struct findings findings = { 0 };
    if (xml_file_read(file, &xml, err) < 0)
        return COMMAND_FAILED;
    unsigned flags = argument_flag(arguments, "validate") ? DOMAIN_DEF_VALIDATE : 0;
    owned(domain_def) struct domain_def *def =
        domain_def_parse(buffer_text(&xml), xml.length, flags, &defaults, &findings, err);
    if (!def && !findings.errors)
        return fail_in(err, "%s", file);                /* not even XML */
    if (argument_flag(arguments, "json"))
        show_json(session, &findings);
    else
        show_text(file, &findings);
    if (def)
        return COMMAND_DONE;
    error_clear(err);
    return fail(err, ERR_XML, "%s has %zu fault%s", file, findings.errors, findings.errors == 1 ? "" : "s");
}

const struct command lint_command = {
    .name = "lint",
    .group = "Definitions",
    .summary = "tell what is wrong or strange in a domain's XML, without a daemon",
    .parameters = parameters,
    .run = run,
};
