/* SPDX-License-Identifier: Apache-2.0 */
#include "define.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct conf_defaults defaults = { .arch = "x86_64", .emulator = "/usr/bin/qemu-system-x86_64" };

struct domain_def *define_text(const char *text, unsigned flags, struct findings *findings, struct error *err)
{
    return domain_def_parse(text, strlen(text), flags, &defaults, findings, err);
}

static void add_domain(struct buffer *out, const char *machine, const char *rest, const char *devices)
{
    buffer_printf(out, "<domain type='qemu'><name>d</name><memory unit='MiB'>64</memory>"
                       "<os><type arch='x86_64' machine='%s'>hvm</type></os>%s<devices>%s</devices></domain>",
                  machine, rest, devices);
}

struct domain_def *define(const char *machine, const char *rest, const char *devices)
{
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    add_domain(&text, machine, rest, devices);
    struct domain_def *def = define_text(text.data, 0, NULL, &err);
    cr_assert_not_null(def, "%s", error_text(&err));
    return def;
}

void refuse(const char *machine, const char *rest, const char *devices, enum error_code code,
            const char *word)
{
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    add_domain(&text, machine, rest, devices);
    owned(domain_def) struct domain_def *def = define_text(text.data, 0, NULL, &err);
    cr_assert_null(def, "accepted: %s %s", rest, devices);
    cr_assert_eq(err.code, code, "code %d: %s", err.code, error_text(&err));
    cr_assert_not_null(strstr(error_text(&err), word), "%s", error_text(&err));
}
