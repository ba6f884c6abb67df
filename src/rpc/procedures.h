/* SPDX-License-Identifier: Apache-2.0 */
/* procedures.h - what each procedure is called, takes, answers and needs.
 *
 * Everything comes from the rows of procedures.def.  This module gives the words no meaning: whoever
 * dispatches looks up the subject, checks the right and begins the job.  A dispatcher makes its handlers and
 * its table like this:
 *
 *     #define PROC(number, name, subject, right, job, arguments, reply) \
 *         int on_##name(struct request *request, const arguments *args, reply *ret, struct error *err);
 *     #include "rpc/procedures.def"
 *
 * and the same once more for a thunk a row (void pointers to typed ones), and once for `[number] = thunk`.
 * Replies start as zeros; what they point to is malloc'ed and belongs to the server, which frees it once it
 * is encoded.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rpc/domus.h"
#include "rpc/qemu.h"
#include "rpc/remote.h"

enum program {
    PROGRAM_REMOTE = 0x20008086,
    PROGRAM_QEMU = 0x20008087,
    PROGRAM_DOMUS = 0x446f6d75,
};

typedef struct { char none; } nothing;          /* void arguments, void replies */

enum subject {
    SUBJECT_CLIENT, SUBJECT_CONNECT, SUBJECT_DOMAIN, SUBJECT_BY_ID, SUBJECT_BY_NAME, SUBJECT_BY_UUID
};

#define RIGHTS(_) \
    _(none) _(getattr) _(search) _(read) _(read_secure) _(write) _(save) _(delete) \
    _(start) _(stop) _(suspend) _(init_control) _(reset) _(send_input) _(inject_nmi) \
    _(pm_control) _(block_write) _(open_device) _(open_graphics) _(screenshot) _(core_dump)
#define RIGHT_ITEM_(word) RIGHT_##word,
enum right { RIGHTS(RIGHT_ITEM_) RIGHT_COUNT };

enum job_need { JOB_NONE, JOB_CHANGE, JOB_DESTROY };

struct procedure {
    enum program program;
    int number;
    const char *name;                           /* "domain_create_with_flags" */
    enum subject subject;
    enum right right;
    enum job_need job;
    bool is_empty;                              /* answered by zeros, without a handler */
    const struct codec *args, *reply;           /* only for src/rpc (codec.h) */
};

/* NULL if this procedure is not built. */
const struct procedure *procedure_find(uint32_t program, int number);
/* The name that people know, "virDomainCreateWithFlags", built or not; NULL if there is no such call. */
const char *procedure_api(uint32_t program, int number);
bool program_is_known(uint32_t program);

/* Frees what a reply points to. */
void procedure_free_reply(const struct procedure *p, void *reply);

/* Every right that these arguments need, as a set of 1 << RIGHT_x. */
unsigned procedure_rights(const struct procedure *p, const void *args);
/* Read-only connections have these only. */
enum { RIGHTS_READ_ONLY = 1 << RIGHT_none | 1 << RIGHT_getattr | 1 << RIGHT_search | 1 << RIGHT_read };
const char *right_word(enum right right);

/* What the arguments of such a procedure name. */
static inline const remote_nonnull_domain *procedure_domain(const void *args)  /* SUBJECT_DOMAIN */
{
    return args;
}
static inline int procedure_domain_id(const void *args)                        /* SUBJECT_BY_ID */
{
    return ((const remote_domain_lookup_by_id_args *) args)->id;
}
static inline const char *procedure_domain_name(const void *args)              /* SUBJECT_BY_NAME */
{
    return ((const remote_domain_lookup_by_name_args *) args)->name;
}
static inline const unsigned char *procedure_domain_uuid(const void *args)     /* SUBJECT_BY_UUID */
{
    return (const unsigned char *) ((const remote_domain_lookup_by_uuid_args *) args)->uuid;
}

/* An optional string for a reply: NULL stays absent. */
remote_string remote_string_new(const char *text);
