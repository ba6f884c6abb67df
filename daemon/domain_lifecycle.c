/* SPDX-License-Identifier: Apache-2.0 */
/* From definition to guest and back: define, undefine, create, start, destroy, suspend, resume, autostart. */
#include "daemon/define.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "daemon/daemon.h"
#include "daemon/request.h"
#include "daemon/session.h"
#include "domain/definitions.h"
#include "domain/file_work.h"
#include "qemu/firmware.h"
#include "qemu/operations.h"

/* VIR_DOMAIN_START_*: without saved images, there is no cache to bypass and nothing to force. */
enum { CREATE_PAUSED = 0x1, CREATE_AUTODESTROY = 0x2, CREATE_BYPASS_CACHE = 0x4, CREATE_FORCE_BOOT = 0x8,
       CREATE_VALIDATE = 0x10 };
enum { CREATE_KNOWN = CREATE_PAUSED | CREATE_AUTODESTROY | CREATE_BYPASS_CACHE | CREATE_FORCE_BOOT };
enum { DEFINE_VALIDATE = 1 };
/* VIR_DOMAIN_UNDEFINE_*: what to do with saved images, snapshots, checkpoints and TPM state, none of which
 * exist yet, and with the firmware's variables, of which the domain's owner must say something. */
enum { UNDEFINE_NVRAM = 0x4, UNDEFINE_KEEP_NVRAM = 0x8, UNDEFINE_KNOWN = 0x7f };

/* --- define --- */

/* The domain that `def` belongs to, with its job; a new one is visible only once its definition is on
 * disk.  While we wait for the job the domain may go, or get another name. */
static WAITS struct domain *begin_with(struct request *request, struct domain_def *def, struct error *err)
{
    for (;;) {
        struct registry *registry = request->daemon->registry;
        struct domain *dom = registry_match(registry, &def->uuid, def->name, err);
        if (err->code)
            return NULL;
        if (!dom)
            dom = registry_add(registry, def);
        owned(domain) struct domain *held UNUSED = domain_ref(dom);
        if (dom->unmanaged) {
            domain_fail_unmanaged(dom, err);
            return NULL;
        }
        if (request_begin_job(request, dom, err) == 0) {
            if (text_equal(dom->name, def->name))
                return dom;
            job_end(&dom->job);
        } else if (err->code != ERR_NO_DOMAIN) {
            return NULL;
        }
        error_clear(err);
    }
}

static WAITS int keep(struct domain *dom, struct domain_def *def, struct error *err)
{
    bool known = dom->persistent;
    if (definition_save(dom->registry, def, err) < 0)
        return -1;
    domain_set_def(dom, def);
    dom->persistent = true;
    domain_emit_lifecycle(dom, EVENT_DEFINED, known ? DEFINED_UPDATED : DEFINED_ADDED);
    return 0;
}

/* What is kept but not acted upon, or dropped, changes what runs. */
static void log_warnings(const struct request *request, const struct domain *dom,
                         const struct findings *findings)
{
    if (!findings->warnings)
        return;
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].severity != SEVERITY_WARNING)
            continue;
        owned_memory char *first = finding_describe(&findings->items[i]);
        log_warning("%s: domain '%s': %s (%zu such findings)", request->caller, dom->name, first,
                    findings->warnings);
        return;
    }
}

int define(struct request *request, const char *xml, bool validate, struct findings *findings,
           remote_nonnull_domain *ret_dom, struct error *err)
{
    owned(domain_def) struct domain_def *def = emulators_read_definition(
        &request->daemon->emulators, xml, validate ? DOMAIN_DEF_VALIDATE : 0, findings, err);
    struct domain *dom = def ? begin_with(request, def, err) : NULL;
    if (!dom)
        return -1;
    owned(job) struct job *job UNUSED = &dom->job;
    if (!request->dom)
        request->dom = domain_ref(dom);                 /* for the log */
    if (keep(dom, def, err) < 0)
        return -1;
    log_warnings(request, dom, findings);
    reply_domain(ret_dom, dom);
    return 0;
}

int on_domain_define_xml(struct request *request, const remote_domain_define_xml_args *args,
                         remote_domain_define_xml_ret *ret, struct error *err)
{
    owned_findings struct findings findings = { 0 };
    return define(request, args->xml, false, &findings, &ret->dom, err);
}

int on_domain_define_xml_flags(struct request *request, const remote_domain_define_xml_flags_args *args,
                               remote_domain_define_xml_flags_ret *ret, struct error *err)
{
    owned_findings struct findings findings = { 0 };
    if (check_flags(args->flags, DEFINE_VALIDATE, err) < 0)
        return -1;
    return define(request, args->xml, args->flags & DEFINE_VALIDATE, &findings, &ret->dom, err);
}

/* --- undefine --- */

/* The guest, if there is one, runs on: it has become transient. */
static WAITS int undefine(struct domain *dom, unsigned flags, struct error *err)
{
    if (!dom->persistent)
        return fail(err, ERR_OPERATION_INVALID, "cannot undefine transient domain");
    if (flags & UNDEFINE_NVRAM && flags & UNDEFINE_KEEP_NVRAM)
        return fail(err, ERR_OPERATION_INVALID, "cannot both keep and delete nvram");
    owned_memory char *nvram = firmware_variables(dom->def);
    if (nvram && !(flags & (UNDEFINE_NVRAM | UNDEFINE_KEEP_NVRAM)))
        return fail(err, ERR_OPERATION_INVALID, "cannot undefine domain with nvram");
    if (nvram && flags & UNDEFINE_NVRAM && file_work_remove(nvram, err) < 0)
        return -1;
    if (dom->autostart && autostart_save(dom->registry, &dom->uuid, false, err) < 0)
        return -1;
    dom->autostart = false;
    if (definition_remove(dom->registry, &dom->uuid, err) < 0)
        return -1;
    if (!domain_is_active(dom))
        domain_qom_forget_saved(dom);
    dom->persistent = false;
    domain_emit_lifecycle(dom, EVENT_UNDEFINED, UNDEFINED_REMOVED);
    return 0;
}

int on_domain_undefine(struct request *request, const remote_domain_undefine_args *args, nothing *ret,
                       struct error *err)
{
    return undefine(request->dom, 0, err);
}

int on_domain_undefine_flags(struct request *request, const remote_domain_undefine_flags_args *args,
                             nothing *ret, struct error *err)
{
    return check_flags(args->flags, UNDEFINE_KNOWN, err) < 0 ? -1 : undefine(request->dom, args->flags, err);
}

/* --- start --- */

static WAITS int start(struct request *request, struct domain *dom, unsigned flags, struct error *err)
{
    if (domain_is_active(dom))
        return fail(err, ERR_OPERATION_INVALID, "domain is already running");
    dom->autodestroy =
        flags & CREATE_AUTODESTROY ? request->session : NULL; /* its status file says so, too */
    if (domain_start(dom, flags & CREATE_PAUSED ? START_PAUSED : 0, err) < 0) {
        dom->autodestroy = NULL;
        return -1;
    }
    if (dom->autodestroy && request->session->gone)     /* it left during the start */
        session_destroy_left_behind(dom, request->caller);
    return 0;
}

int on_domain_create(struct request *request, const remote_domain_create_args *args, nothing *ret,
                     struct error *err)
{
    return start(request, request->dom, 0, err);
}

int on_domain_create_with_flags(struct request *request, const remote_domain_create_with_flags_args *args,
                                remote_domain_create_with_flags_ret *ret, struct error *err)
{
    if (check_flags(args->flags, CREATE_KNOWN, err) < 0 || start(request, request->dom, args->flags, err) < 0)
        return -1;
    reply_domain(&ret->dom, request->dom);
    return 0;
}

/* A definition that is run once.  A persistent domain keeps its own for the next start. */
static WAITS int start_as(struct request *request, struct domain *dom, struct domain_def *def, unsigned flags,
                          struct error *err)
{
    if (domain_is_active(dom))
        return fail(err, ERR_OPERATION_INVALID, "domain '%s' is already active", dom->name);
    owned(domain_def) struct domain_def *own = domain_def_ref(dom->def);
    domain_set_def(dom, def);
    int rc = start(request, dom, flags, err);
    domain_set_def(dom, own);
    return rc;
}

int on_domain_create_xml(struct request *request, const remote_domain_create_xml_args *args,
                         remote_domain_create_xml_ret *ret, struct error *err)
{
    owned_findings struct findings findings = { 0 };
    if (check_flags(args->flags, CREATE_KNOWN | CREATE_VALIDATE, err) < 0)
        return -1;
    owned(domain_def) struct domain_def *def =
        emulators_read_definition(&request->daemon->emulators, args->xml_desc,
                                  args->flags & CREATE_VALIDATE ? DOMAIN_DEF_VALIDATE : 0, &findings, err);
    struct domain *dom = def ? begin_with(request, def, err) : NULL;
    if (!dom)
        return -1;
    owned(job) struct job *job UNUSED = &dom->job;
    request->dom = domain_ref(dom);
    if (start_as(request, dom, def, args->flags, err) < 0)
        return -1;
    reply_domain(&ret->dom, dom);
    return 0;
}

/* --- run state --- */

/* A destroy that cancelled a start finds nothing left to do, which is what it wanted. */
static WAITS int destroy(struct request *request, unsigned flags, struct error *err)
{
    if (request->was_active && !domain_is_active(request->dom))
        return 0;
    return domain_check_active(request->dom, err) < 0 ? -1 : domain_destroy(request->dom, flags, err);
}

int on_domain_destroy(struct request *request, const remote_domain_destroy_args *args, nothing *ret,
                      struct error *err)
{
    return destroy(request, 0, err);
}

int on_domain_destroy_flags(struct request *request, const remote_domain_destroy_flags_args *args,
                            nothing *ret, struct error *err)
{
    return check_flags(args->flags, DESTROY_GRACEFUL, err) < 0 ? -1 : destroy(request, args->flags, err);
}

int on_domain_suspend(struct request *request, const remote_domain_suspend_args *args, nothing *ret,
                      struct error *err)
{
    return domain_check_active(request->dom, err) < 0 ? -1 : domain_suspend(request->dom, err);
}

int on_domain_resume(struct request *request, const remote_domain_resume_args *args, nothing *ret,
                     struct error *err)
{
    return domain_check_active(request->dom, err) < 0 ? -1 : domain_resume(request->dom, err);
}

/* --- autostart --- */

int on_domain_set_autostart(struct request *request, const remote_domain_set_autostart_args *args,
                            nothing *ret, struct error *err)
{
    struct domain *dom = request->dom;
    bool on = args->autostart != 0;
    if (!dom->persistent)
        return fail(err, ERR_OPERATION_INVALID, "cannot set autostart for transient domain");
    if (on != dom->autostart && autostart_save(dom->registry, &dom->uuid, on, err) < 0)
        return -1;
    dom->autostart = on;
    return 0;
}
