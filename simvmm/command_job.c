/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs are asked for, paused, ended: by job-* for all of them, by block-job-* for those on disks. */
#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/given.h"
#include "simvmm/job.h"
#include "simvmm/value.h"

static struct job *find_job(struct call *call, struct error *err)
{
    struct job *job = job_find(call->vm, json_get_text(call->arguments, "id"));
    if (!job)
        (void) fail(err, ERR_INVALID_ARG, "Job not found");
    return job;
}

static struct job *find_block_job(struct call *call, struct error *err)
{
    const char *id = json_get_text(call->arguments, "device");
    struct job *job = job_find(call->vm, id ? id : (id = json_get_text(call->arguments, "id")));
    if (job && job->kind->block)
        return job;
    call->error_class = "DeviceNotActive";
    return fail(err, ERR_INVALID_ARG, "Block job '%s' not found", id), NULL;
}

/* ---- verbs ---- */

#define VERB(name, find, act)                                                                                \
    static int name(struct call *call, struct error *err)                                                    \
    {                                                                                                        \
        struct job *job = find(call, err);                                                                   \
        return job ? act : -1;                                                                               \
    }

VERB(pause_any, find_job, job_pause(job, err))
VERB(resume_any, find_job, job_resume(job, err))
VERB(cancel_any, find_job, job_cancel(job, true, err))
VERB(complete_any, find_job, job_complete(job, err))
VERB(finalize_any, find_job, job_finalize(job, err))
VERB(dismiss_any, find_job, job_dismiss(job, err))
VERB(pause_block, find_block_job, job_pause(job, err))
VERB(resume_block, find_block_job, job_resume(job, err))
VERB(complete_block, find_block_job, job_complete(job, err))
VERB(finalize_block, find_block_job, job_finalize(job, err))
VERB(dismiss_block, find_block_job, job_dismiss(job, err))
VERB(set_speed, find_block_job, job_set_speed(job, given_number(call->arguments, "speed", 0), err))

static int cancel_block(struct call *call, struct error *err)
{
    struct job *job = find_block_job(call, err);
    bool force = given_bool(call->arguments, "force", false);
    if (!job)
        return -1;
    if (job->user_paused && !force)
        return fail(err, ERR_INVALID_ARG, "The block job for device '%s' is currently paused", job->id);
    return job_cancel(job, force, err);
}

static int change(struct call *call, struct error *err)
{
    struct job *job = find_block_job(call, err);
    static const char *const modes[] = { "background", "write-blocking", NULL };
    const char *type = json_get_text(call->arguments, "type");
    unsigned mode = 0;
    if (!job || given_word(call->arguments, "copy-mode", modes, &mode, err) < 0 || job_change(job, err) < 0)
        return -1;
    if (!text_equal(type, job_type(job)))
        return fail(err, ERR_INVALID_ARG, "Job '%s' is '%s' job, not '%s'", job->id, job_type(job), type);
    if (!text_equal(type, "mirror"))
        return fail(err, ERR_INVALID_ARG, "Job type does not support change");
    return 0;
}

/* ---- queries ---- */

static int query_jobs(struct call *call, struct error *err)
{
    (void) err;
    struct arena *a = call->arena;
    struct json *list = value_array(a);
    for (size_t i = call->vm->jobs.count; i-- > 0;) {
        const struct job *job = call->vm->jobs.items[i];
        struct json *v = value_object(a);
        value_set_text(a, v, "id", job->id);
        value_set_text(a, v, "type", job_type(job));
        value_set_text(a, v, "status", job_status_word(job->status));
        value_set_number(a, v, "current-progress", (long long) job->offset);
        value_set_number(a, v, "total-progress", (long long) job->length);
        value_set_text(a, v, "error", job->failure);
        value_push(a, list, v);
    }
    call_return(call, list);
    return 0;
}

static const struct json *block_job_value(const struct call *call, const struct job *job)
{
    struct arena *a = call->arena;
    struct json *v = value_object(a);
    value_set_text(a, v, "type", job_type(job));
    value_set_text(a, v, "device", job->id);
    value_set_number(a, v, "len", (long long) job->length);
    value_set_number(a, v, "offset", (long long) job->offset);
    value_set_bool(a, v, "busy", false);
    value_set_bool(a, v, "paused", job->status == JOB_PAUSED || job->status == JOB_STANDBY);
    value_set_number(a, v, "speed", (long long) job->speed);
    value_set_text(a, v, "io-status", job->io_status);
    value_set_bool(a, v, "ready", job->status == JOB_READY || job->status == JOB_STANDBY);
    value_set_text(a, v, "status", job_status_word(job->status));
    value_set_bool(a, v, "auto-finalize", job->auto_finalize);
    value_set_bool(a, v, "auto-dismiss", job->auto_dismiss);
    value_set_text(a, v, "error", job->failure);
    if (vm_is(call->vm, 11) && text_equal(job_type(job), "mirror"))
        value_set_bool(a, v, "actively-synced", false);
    return v;
}

static int query_block_jobs(struct call *call, struct error *err)
{
    (void) err;
    struct json *list = value_array(call->arena);
    for (size_t i = call->vm->jobs.count; i-- > 0;)
        if (call->vm->jobs.items[i]->kind->block)
            value_push(call->arena, list, block_job_value(call, call->vm->jobs.items[i]));
    call_return(call, list);
    return 0;
}

static const struct argument id_args[] = { { "id", ARG_TEXT, false }, { NULL, 0, false } };
static const struct argument device_args[] = { { "device", ARG_TEXT, false }, { NULL, 0, false } };
static const struct argument cancel_args[] = {
    { "device", ARG_TEXT, false },
    { "force", ARG_BOOL, true },
    { NULL, 0, false },
};
static const struct argument speed_args[] = {
    { "device", ARG_TEXT, false },
    { "speed", ARG_NUMBER, false },
    { NULL, 0, false },
};
static const struct argument change_args[] = {
    { "id", ARG_TEXT, false },
    { "type", ARG_TEXT, false },
    { "copy-mode", ARG_TEXT, true },
    { NULL, 0, false },
};

const struct command job_commands[] = {
    { "query-jobs", ALWAYS, query_jobs, NULL },
    { "query-block-jobs", ALWAYS, query_block_jobs, NULL },
    { "job-pause", ALWAYS, pause_any, id_args },
    { "job-resume", ALWAYS, resume_any, id_args },
    { "job-cancel", ALWAYS, cancel_any, id_args },
    { "job-complete", ALWAYS, complete_any, id_args },
    { "job-finalize", ALWAYS, finalize_any, id_args },
    { "job-dismiss", ALWAYS, dismiss_any, id_args },
    { "block-job-pause", ALWAYS, pause_block, device_args },
    { "block-job-resume", ALWAYS, resume_block, device_args },
    { "block-job-cancel", ALWAYS, cancel_block, cancel_args },
    { "block-job-complete", ALWAYS, complete_block, device_args },
    { "block-job-finalize", ALWAYS, finalize_block, id_args },
    { "block-job-dismiss", ALWAYS, dismiss_block, id_args },
    { "block-job-set-speed", ALWAYS, set_speed, speed_args },
    { "block-job-change", ONLY_MODERN, change, change_args },
    { NULL, ALWAYS, NULL, NULL },
};
