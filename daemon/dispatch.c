/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/dispatch.h"

#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/daemon.h"
#include "daemon/request.h"
#include "daemon/session.h"
#include "loop/loop.h"

/* Typed handlers, called through one untyped type. */
typedef int thunk(struct request *request, const void *args, void *ret, struct error *err);

#define PROC(number, name, subject, right, job, arguments, reply) \
    static WAITS int run_##name(struct request *request, const void *args, void *ret, struct error *err) \
    { \
        return on_##name(request, args, ret, err); \
    }
#include "rpc/procedures.def"

#define NOT_HERE_(...)
#define ROW_(number, name, ...) [number] = run_##name,
static thunk *const remote_thunks[] = {
#define PROC ROW_
#define QEMU_PROC NOT_HERE_
#define DOMUS_PROC NOT_HERE_
#include "rpc/procedures.def"
};
static thunk *const qemu_thunks[] = {
#define PROC NOT_HERE_
#define QEMU_PROC ROW_
#define DOMUS_PROC NOT_HERE_
#include "rpc/procedures.def"
};
static thunk *const domus_thunks[] = {
#define PROC NOT_HERE_
#define QEMU_PROC NOT_HERE_
#define DOMUS_PROC ROW_
#include "rpc/procedures.def"
};

static thunk *thunk_of(const struct procedure *procedure)
{
    switch (procedure->program) {
    case PROGRAM_REMOTE: return remote_thunks[procedure->number];
    case PROGRAM_QEMU: return qemu_thunks[procedure->number];
    case PROGRAM_DOMUS: return domus_thunks[procedure->number];
    }
    return NULL;
}

/* Looked up by uuid alone: names and ids that clients send along may be stale. */
static struct domain *find_by_uuid(const struct registry *registry, const unsigned char *bytes,
                                   const char *name, struct error *err)
{
    struct uuid uuid;
    char text[UUID_TEXT_SIZE];
    memcpy(uuid.bytes, bytes, sizeof uuid.bytes);
    struct domain *dom = registry_find(registry, &uuid);
    if (dom && domain_is_visible(dom))
        return dom;
    uuid_format(&uuid, text);
    if (name)
        fail(err, ERR_NO_DOMAIN, "no domain with matching uuid '%s' (%s)", text, name);
    else
        fail(err, ERR_NO_DOMAIN, "no domain with matching uuid '%s'", text);
    return NULL;
}

static struct domain *find_by_name(const struct registry *registry, const char *name, struct error *err)
{
    struct domain *dom = registry_find_name(registry, name);
    if (!dom || !domain_is_visible(dom))
        fail(err, ERR_NO_DOMAIN, "no domain with matching name '%s'", name);
    return err->code ? NULL : dom;
}

static struct domain *find_by_id(const struct registry *registry, int id, struct error *err)
{
    struct domain *dom = registry_find_id(registry, id);
    if (!dom)
        fail(err, ERR_NO_DOMAIN, "no domain with matching id %d", id);
    return dom;
}

static int find_subject(struct request *request, struct error *err)
{
    const struct registry *registry = request->daemon->registry;
    const void *args = request->call->args;
    struct domain *dom = NULL;
    switch (request->call->procedure->subject) {
    case SUBJECT_CLIENT:
    case SUBJECT_CONNECT:
        return 0;
    case SUBJECT_DOMAIN:
        dom = find_by_uuid(registry, (const unsigned char *) procedure_domain(args)->uuid,
                           procedure_domain(args)->name, err);
        break;
    case SUBJECT_BY_UUID:
        dom = find_by_uuid(registry, procedure_domain_uuid(args), NULL, err);
        break;
    case SUBJECT_BY_NAME:
        dom = find_by_name(registry, procedure_domain_name(args), err);
        break;
    case SUBJECT_BY_ID:
        dom = find_by_id(registry, procedure_domain_id(args), err);
        break;
    }
    if (!dom)
        return -1;
    request->dom = domain_ref(dom);
    request->was_active = domain_is_active(dom);
    return 0;
}

static int check_rights(const struct call *call, struct error *err)
{
    unsigned needed = procedure_rights(call->procedure, call->args);
    if (peer_is_read_only(call->peer) && needed & ~(unsigned) RIGHTS_READ_ONLY)
        return fail(err, ERR_DENIED, "read only access prevents %s",
                    procedure_api(call->procedure->program, call->procedure->number));
    return 0;
}

/* A guest of which we know too little is shown, and nothing else. */
static int check_managed(const struct request *request, struct error *err)
{
    const struct procedure *procedure = request->call->procedure;
    bool shows = procedure->program == PROGRAM_REMOTE && procedure->job == JOB_NONE;
    if (request->dom && request->dom->unmanaged && !shows)
        return domain_fail_unmanaged(request->dom, err);
    return 0;
}

int request_begin_job(struct request *request, struct domain *dom, struct error *err)
{
    const struct procedure *procedure = request->call->procedure;
    return job_begin(dom, procedure->name, request->caller,
                     procedure->job == JOB_DESTROY ? JOB_FIRST | JOB_CANCEL : 0, err);
}

static WAITS int run(struct request *request, void *reply, struct error *err)
{
    struct call *call = request->call;
    if (call->procedure->subject != SUBJECT_CLIENT && !request->session->opened)
        return fail(err, ERR_INTERNAL, "hypervisor connection not open");
    if (check_rights(call, err) < 0 || find_subject(request, err) < 0 || check_managed(request, err) < 0)
        return -1;
    if (call->procedure->is_empty)
        return 0;                       /* a list of what we have none of: zeros say so */
    if (call->procedure->job == JOB_NONE)
        return thunk_of(call->procedure)(request, call->args, reply, err);
    if (request_begin_job(request, request->dom, err) < 0)
        return -1;
    owned(job) struct job *job UNUSED = &request->dom->job;
    return thunk_of(call->procedure)(request, call->args, reply, err);
}

/* One line a call: changes for everybody, questions for whoever looks closer. */
static void log_call(const struct request *request, uint64_t began, int rc, const struct error *err)
{
    const struct procedure *procedure = request->call->procedure;
    enum log_level level = 1u << procedure->right & RIGHTS_READ_ONLY ? LOG_LEVEL_DEBUG
                         : rc < 0 ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO;
    if (!log_is_written(level))
        return;
    owned_memory char *label = request->dom ? domain_label(request->dom) : memory_copy_text("");
    log_write(level, "%s: %s%s%s: %s in %llu ms", request->caller, procedure->name, *label ? " " : "", label,
              rc < 0 ? error_text(err) : "done", (unsigned long long) (loop_now() - began));
}

static WAITS int on_call(void *arg, struct call *call, void *reply, struct error *err)
{
    if (!peer_data(call->peer))
        return fail(err, ERR_ABORTED, "the client has gone");
    owned(session) struct session *session = session_ref(peer_data(call->peer));
    struct request request = { .daemon = arg, .session = session, .call = call, .caller = session->caller };
    uint64_t began = loop_now();
    int rc = run(&request, reply, err);
    log_call(&request, began, rc, err);
    domain_unref(request.dom);
    return rc;
}

static void on_opened(void *arg, struct peer *peer)
{
    peer_set_data(peer, session_new(arg, peer));
}

static void on_gone(void *arg, struct peer *peer)
{
    struct session *session = peer_data(peer);
    peer_set_data(peer, NULL);
    session_end(session);
    session_free(session);
}

const struct server_handler dispatch_handler = { .call = on_call, .opened = on_opened, .gone = on_gone };

int check_flags(unsigned flags, unsigned known, struct error *err)
{
    if (flags & ~known)
        return fail(err, ERR_INVALID_ARG, "unsupported flags (0x%x)", flags & ~known);
    return 0;
}

int check_definition(const struct domain *dom, struct error *err)
{
    if (!domain_current_def(dom))
        return domain_fail_unmanaged(dom, err);
    return 0;
}

void reply_domain(remote_nonnull_domain *ret, const struct domain *dom)
{
    ret->name = memory_copy_text(dom->name);
    memcpy(ret->uuid, dom->uuid.bytes, sizeof dom->uuid.bytes);
    ret->id = dom->id;
}
