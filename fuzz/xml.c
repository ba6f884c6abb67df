/* SPDX-License-Identifier: Apache-2.0 */
/* What anybody may send as a domain's XML: it is refused with a finding, or its stored form is a fixed point,
 * and a live copy can be made and written. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/domain_def.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const struct conf_defaults defaults = { .arch = "x86_64", .emulator = "/usr/bin/qemu-system-x86_64" };

static void require(bool truth)
{
    if (!truth)
        abort();
}

static void check_live(const struct domain_def *def)
{
    static const struct runtime_path pty = { "serial0", "/dev/pts/1" };
    static const struct domain_runtime runtime = { .id = 1, .ptys = &pty, .ptys_count = 1, .vnc_port = 5900 };
    error_scope(err);
    owned_buffer struct buffer text = { 0 };
    owned(domain_def) struct domain_def *live = domain_def_copy_live(def);
    domain_def_format(live, DOMAIN_DEF_LIVE | DOMAIN_DEF_SECRETS, &runtime, &text);
    owned(domain_def) struct domain_def *again =
        domain_def_parse(text.data, text.length, DOMAIN_DEF_LIVE, &defaults, NULL, &err);
    require(again != NULL || err.code != ERR_NONE);
    domain_def_check_startable(live, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    error_scope(err);
    owned_buffer struct buffer first = { 0 }, second = { 0 };
    owned_findings struct findings findings = { 0 };
    owned(domain_def) struct domain_def *def =
        domain_def_parse((const char *) bytes, length, 0, &defaults, &findings, &err);
    require(!def == (err.code != ERR_NONE) && (!def || findings.errors == 0));
    if (!def)
        return 0;
    domain_def_format(def, DOMAIN_DEF_SECRETS, NULL, &first);
    owned(domain_def) struct domain_def *stored =
        domain_def_parse(first.data, first.length, 0, &defaults, NULL, &err);
    require(stored != NULL);
    domain_def_format(stored, DOMAIN_DEF_SECRETS, NULL, &second);
    require(strcmp(first.data, second.data) == 0);
    check_live(def);
    return 0;
}
