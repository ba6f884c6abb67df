/* SPDX-License-Identifier: Apache-2.0 */
/* request.h - one call, and the functions that answer them.
 *
 * Each row of procedures.def has a handler on_NAME() here.  When it runs, the connection is open, the right
 * was checked, the domain that the arguments name was found (request->dom, held), and if the row says so its
 * job is ours.  So handlers hold no look-ups, permission checks or locks.  `ret` starts as zeros; what it
 * points to is malloc'ed.
 */
#pragma once
#include "base/error.h"
#include "conf/domain_def.h"
#include "domain/domain.h"
#include "loop/fiber.h"
#include "rpc/server.h"

struct daemon;
struct session;

struct request {
    struct daemon *daemon;
    struct session *session;
    struct call *call;
    const char *caller;                 /* for messages: "client 3 (uid 0, pid 4711)" */
    struct domain *dom;                 /* of procedures about one domain */
    bool was_active;                    /* dom, when the call came: it may have waited for its turn since */
};

#define PROC(number, name, subject, right, job, arguments, reply) \
    WAITS int on_##name(struct request *request, const arguments *args, reply *ret, struct error *err);
#include "rpc/procedures.def"

/* For handlers whose rows name no domain: they take the job of the one they find or make. */
WAITS int request_begin_job(struct request *request, struct domain *dom, struct error *err);

int check_flags(unsigned flags, unsigned known, struct error *err);
/* The definition of an unmanaged domain may not be known: -1 then. */
int check_definition(const struct domain *dom, struct error *err);
void reply_domain(remote_nonnull_domain *ret, const struct domain *dom);
