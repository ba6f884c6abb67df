/* SPDX-License-Identifier: Apache-2.0 */
/* Our own program: what a start took, and definitions with everything that was found in them. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "config.h"
#include "daemon/daemon.h"
#include "daemon/define.h"
#include "qemu/inject.h"
#include "qemu/operations.h"
#include "rpc/errors.h"

int on_domus_version(struct request *request, const nothing *args, domus_version_ret *ret, struct error *err)
{
    const struct emulators *e = &request->daemon->emulators;
    ret->project_version = memory_copy_text(PACKAGE_VERSION);
    ret->emulator = remote_string_new(e->given);
    ret->override_emulator = remote_string_new(e->override);
    return 0;
}

/* --- define with findings --- */

static void reply_findings(domus_define_ret *ret, const struct findings *findings)
{
    ret->findings.findings_val = memory_new((findings->count + 1) * sizeof *ret->findings.findings_val);
    ret->findings.findings_len = (unsigned) findings->count;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *from = &findings->items[i];
        ret->findings.findings_val[i] = (domus_finding) {
            .severity = from->severity == SEVERITY_ERROR ? DOMUS_FINDING_ERROR : DOMUS_FINDING_WARNING,
            .line = from->line,
            .path = memory_copy_text(from->path ? from->path : ""),
            .value = remote_string_new(from->value),
            .expected = remote_string_new(from->expected),
            .message = memory_copy_text(from->text ? from->text : ""),
        };
    }
}

int on_domus_define(struct request *request, const domus_define_args *args, domus_define_ret *ret,
                    struct error *err)
{
    owned_findings struct findings findings = { 0 };
    error_scope(refusal);
    if (check_flags(args->flags, DOMUS_DEFINE_VALIDATE, err) < 0)
        return -1;
    remote_nonnull_domain *dom = NEW(remote_nonnull_domain);
    if (define(request, args->xml, args->flags & DOMUS_DEFINE_VALIDATE, &findings, dom, &refusal) == 0) {
        ret->dom = dom;
    } else {
        free(dom);
        if (refusal.code == ERR_ABORTED || refusal.code == ERR_TIMEOUT) {
            error_move(err, &refusal);
            return -1;
        }
        owned_memory char *message = errors_message(&refusal);
        ret->code = errors_number(refusal.code);
        ret->message = remote_string_new(message);
    }
    reply_findings(ret, &findings);
    return 0;
}

int on_domus_timings(struct request *request, const domus_timings_args *args, domus_timings_ret *ret,
                     struct error *err)
{
    if (domain_check_active(request->dom, err) < 0)
        return -1;
    const struct start_timings *timings = domain_start_timings(request->dom);
    if (!timings)
        return fail(err, ERR_OPERATION_INVALID,
                    "domain '%s' was started by an earlier domusd; its timings are not known",
                    request->dom->name);
    ret->phases.phases_val = memory_new((timings->count + 1) * sizeof *ret->phases.phases_val);
    ret->phases.phases_len = (unsigned) timings->count;
    ret->calls = timings->calls;
    ret->request_bytes = timings->request_bytes;
    ret->reply_bytes = timings->reply_bytes;
    for (size_t i = 0; i < timings->count; i++)
        ret->phases.phases_val[i] = (domus_phase) { memory_copy_text(timings->phases[i].name),
                                                    timings->phases[i].milliseconds };
    return 0;
}

/* --- the simulator --- */

int on_domus_inject(struct request *request, const domus_inject_args *args, domus_inject_ret *ret,
                    struct error *err)
{
    return domain_inject(request->dom, args->line, &ret->text, err);
}
