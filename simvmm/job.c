/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/block.h"
#include "simvmm/clock.h"
#include "simvmm/monitor.h"
#include "simvmm/value.h"

enum { PIECES_A_TURN = 64 }; /* steps of a job without a speed before others have their turn */

static const char *const words[] = { "created", "running", "paused",   "ready",     "standby",
                                     "waiting", "pending", "aborting", "concluded", "null" };

const char *job_status_word(enum job_status status)
{
    return words[status];
}

const char *job_type(const struct job *job)
{
    return job->kind->type;
}

struct job *job_find(const struct vm *vm, const char *id)
{
    for (size_t i = 0; i < vm->jobs.count; i++)
        if (text_equal(vm->jobs.items[i]->id, id))
            return vm->jobs.items[i];
    return NULL;
}

/* ---- events ---- */

static void set_status(struct job *job, enum job_status status)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    job->status = status;
    value_set_text(a, data, "id", job->id);
    value_set_text(a, data, "status", words[status]);
    event_emit(job->vm, "JOB_STATUS_CHANGE", data);
}

static void emit_block(const struct job *job, const char *event)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    if (!job->kind->block)
        return;
    value_set_text(a, data, "type", job->kind->type);
    value_set_text(a, data, "device", job->id);
    value_set_number(a, data, "len", (long long) job->length);
    value_set_number(a, data, "offset", (long long) job->offset);
    value_set_number(a, data, "speed", (long long) job->speed);
    if (!text_equal(event, "BLOCK_JOB_READY") && !job->cancelled)
        value_set_text(a, data, "error", job->failure);
    event_emit(job->vm, event, data);
}

static void emit_pending(const struct job *job)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set_text(a, data, "type", job->kind->type);
    value_set_text(a, data, "id", job->id);
    if (job->kind->block)
        event_emit(job->vm, "BLOCK_JOB_PENDING", data);
}

/* ---- life ---- */

static bool id_is_good(const char *id)
{
    return ((*id >= 'a' && *id <= 'z') || (*id >= 'A' && *id <= 'Z')) &&
           strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") == strlen(id);
}

struct job *job_new(struct vm *vm, const struct job_kind *kind, const struct job_options *options, void *data,
                    struct error *err)
{
    const char *id = options->id ? options->id : "";
    struct job draft = { .kind = kind, .data = data };
    int bad = !id_is_good(id)    ? fail(err, ERR_INVALID_ARG, "Invalid job ID '%s'", id)
              : job_find(vm, id) ? fail(err, ERR_INVALID_ARG, "Job ID '%s' already in use", id)
                                 : 0;
    if (bad) {
        kind->done(&draft);
        return NULL;
    }
    struct job *job = NEW(struct job);
    *job = draft;
    job->vm = vm;
    job->id = memory_copy_text(id);
    job->io_status = "ok";
    job->auto_finalize = options->auto_finalize;
    job->auto_dismiss = options->auto_dismiss;
    vector_push(&vm->jobs, job);
    set_status(job, JOB_CREATED);
    if (options->speed >= 0) {
        job->speed = (uint64_t) options->speed;
        return job;
    }
    job_drop(job);
    (void) fail(err, ERR_INVALID_ARG, "Parameter 'speed' expects a non-negative value");
    return NULL;
}

void job_take_node(struct job *job, struct block_node *b)
{
    block_ref(b);
    b->job = job;
    vector_push(&job->nodes, b);
}

static void release(struct job *job)
{
    for (size_t i = 0; i < job->nodes.count; i++) {
        job->nodes.items[i]->job = NULL;
        block_unref(job->nodes.items[i]);
    }
    job->nodes.count = 0;
    if (job->data)
        job->kind->done(job);
    job->data = NULL;
}

static void job_free(struct job *job)
{
    struct vm *vm = job->vm;
    for (size_t i = 0; i < vm->jobs.count; i++)
        if (vm->jobs.items[i] == job) {
            vector_remove(&vm->jobs, i);
            break;
        }
    alarm_free(job->alarm);
    release(job);
    vector_done(&job->nodes);
    free(job->id);
    free(job->failure);
    free(job);
}

void jobs_done(struct vm *vm)
{
    while (vm->jobs.count)
        job_free(vm->jobs.items[0]);
    vector_done(&vm->jobs);
}

void job_drop(struct job *job)
{
    set_status(job, JOB_NULL);
    job_free(job);
}

static void conclude(struct job *job)
{
    release(job);
    set_status(job, JOB_CONCLUDED);
    if (!job->auto_dismiss)
        return;
    set_status(job, JOB_NULL);
    job_free(job);
}

void job_abandon(struct job *job)
{
    job->failure = memory_copy_text("Operation canceled");
    set_status(job, JOB_ABORTING);
    conclude(job);
}

static void stop_alarm(struct job *job)
{
    alarm_free(job->alarm);
    job->alarm = NULL;
}

static void abort_job(struct job *job)
{
    stop_alarm(job);
    if (!job->failure)
        job->failure = memory_copy_text("Operation canceled");
    set_status(job, JOB_ABORTING);
    emit_block(job, job->cancelled ? "BLOCK_JOB_CANCELLED" : "BLOCK_JOB_COMPLETED");
    conclude(job);
}

static void fail_job(struct job *job, struct error *err)
{
    job->failure = memory_copy_text(error_text(err));
    abort_job(job);
}

static void emit_error(const struct job *job, bool writing, const char *action)
{
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set_text(a, data, "device", job->id);
    value_set_text(a, data, "operation", writing ? "write" : "read");
    value_set_text(a, data, "action", action);
    event_emit(job->vm, "BLOCK_JOB_ERROR", data);
}

enum job_step job_fault(struct job *job, bool writing, enum job_policy policy, struct error *err)
{
    bool full = err->number == ENOSPC;
    if (policy == POLICY_ENOSPC || policy == POLICY_AUTO)
        policy = full ? POLICY_STOP : POLICY_REPORT;
    emit_error(job, writing, policy == POLICY_STOP ? "stop" : policy == POLICY_IGNORE ? "ignore" : "report");
    if (policy == POLICY_REPORT) {
        if (err->number)
            (void) fail(err, ERR_INVALID_ARG, "%s", strerror(err->number));
        return JOB_STEP_FAILED;
    }
    error_clear(err);
    if (policy == POLICY_IGNORE)
        return JOB_STEP_AGAIN;
    job->io_status = full ? "nospace" : "failed";
    job->user_paused = true;
    set_status(job, JOB_PAUSED);
    return JOB_STEP_HELD;
}

static void finish(struct job *job)
{
    error_scope(err);
    if (job->kind->commit && job->kind->commit(job, &err) < 0) {
        fail_job(job, &err);
        return;
    }
    emit_block(job, "BLOCK_JOB_COMPLETED");
    conclude(job);
}

static void succeed(struct job *job)
{
    stop_alarm(job);
    set_status(job, JOB_WAITING);
    set_status(job, JOB_PENDING);
    if (job->auto_finalize)
        finish(job);
    else
        emit_pending(job);
}

/* ---- steps ---- */

static void step(void *arg);

static void schedule(struct job *job, uint64_t ms)
{
    stop_alarm(job);
    job->alarm = alarm_new(job->vm->clock, ms, step, job);
}

void job_move(struct job *job, uint64_t bytes)
{
    job->offset += bytes;
}

static bool is_paused(const struct job *job)
{
    return job->status == JOB_PAUSED || job->status == JOB_STANDBY;
}

static void become_ready(struct job *job)
{
    set_status(job, JOB_READY);
    emit_block(job, "BLOCK_JOB_READY");
}

static void step(void *arg)
{
    struct job *job = arg;
    error_scope(err);
    stop_alarm(job);
    if (job->ending && job->cancelled) {
        abort_job(job);
        return;
    }
    if (job->status == JOB_READY || job->ending) {
        if (job->completing || job->ending)
            succeed(job);
        return;
    }
    for (unsigned i = 0; i < PIECES_A_TURN; i++) {
        uint64_t before = job->offset;
        switch (job->kind->step(job, &err)) {
        case JOB_STEP_FAILED:
            fail_job(job, &err);
            return;
        case JOB_STEP_READY:
            become_ready(job);
            return;
        case JOB_STEP_DONE:
            succeed(job);
            return;
        case JOB_STEP_IDLE:
        case JOB_STEP_HELD:
            return;
        case JOB_STEP_AGAIN:
            schedule(job, 1);
            return;
        case JOB_STEP_MORE:
            break;
        }
        if (job->speed) {
            schedule(job, (job->offset - before) * 1000 / job->speed);
            return;
        }
    }
    schedule(job, 0);
}

static void end(void *arg)
{
    struct job *job = arg;
    if (job->failure)
        abort_job(job);
    else
        succeed(job);
}

static void make_step(struct job *job)
{
    error_scope(err);
    bool failed = job->kind->step(job, &err) == JOB_STEP_FAILED;
    if (failed && !job->kind->eager) {
        fail_job(job, &err);
        return;
    }
    if (failed)
        job->failure = memory_copy_text(error_text(&err));
    job->alarm = alarm_new(job->vm->clock, 0, end, job);
}

void job_start(struct job *job)
{
    set_status(job, JOB_RUNNING);
    if (job->kind->restless) {
        set_status(job, JOB_PAUSED);
        set_status(job, JOB_RUNNING);
    }
    if (job->kind->lasts && !job->length)
        become_ready(job);
    else if (job->kind->eager || (job->kind->hasty && !vm_is(job->vm, 11)))
        make_step(job);
    else
        schedule(job, 0);
}

void jobs_disturb(struct vm *vm, const struct block_node *b)
{
    if (!b->job)
        return;
    for (size_t i = 0; i < vm->jobs.count; i++) {
        struct job *job = vm->jobs.items[i];
        bool uses = false;
        for (size_t k = 0; k < job->nodes.count; k++)
            uses |= job->nodes.items[k] == b;
        if (!uses || (job->status != JOB_READY && job->status != JOB_RUNNING))
            continue;
        enum job_status was = job->status;
        set_status(job, was == JOB_READY ? JOB_STANDBY : JOB_PAUSED);
        set_status(job, was);
    }
}

/* ---- verbs ---- */

enum verb { CANCEL, PAUSE, RESUME, SET_SPEED, COMPLETE, FINALIZE, DISMISS, CHANGE };

#define IN(status) (1u << (status))
#define ACTIVE (IN(JOB_CREATED) | IN(JOB_RUNNING) | IN(JOB_PAUSED) | IN(JOB_READY) | IN(JOB_STANDBY))

static const struct {
    const char *word;
    unsigned states;
} verbs[] = {
    [CANCEL] = { "cancel", ACTIVE | IN(JOB_WAITING) | IN(JOB_PENDING) },
    [PAUSE] = { "pause", ACTIVE },
    [RESUME] = { "resume", ACTIVE },
    [SET_SPEED] = { "set-speed", ACTIVE },
    [COMPLETE] = { "complete", IN(JOB_READY) | IN(JOB_STANDBY) },
    [FINALIZE] = { "finalize", IN(JOB_PENDING) },
    [DISMISS] = { "dismiss", IN(JOB_CONCLUDED) },
    [CHANGE] = { "change", ACTIVE & ~IN(JOB_CREATED) },
};

static int accept(const struct job *job, enum verb verb, struct error *err)
{
    if (verbs[verb].states & IN(job->status))
        return 0;
    return fail(err, ERR_INVALID_ARG, "Job '%s' in state '%s' cannot accept command verb '%s'", job->id,
                words[job->status], verbs[verb].word);
}

int job_pause(struct job *job, struct error *err)
{
    if (accept(job, PAUSE, err) < 0)
        return -1;
    if (job->user_paused)
        return fail(err, ERR_INVALID_ARG, "Job is already paused");
    job->user_paused = true;
    stop_alarm(job);
    set_status(job, job->status == JOB_READY ? JOB_STANDBY : JOB_PAUSED);
    return 0;
}

int job_resume(struct job *job, struct error *err)
{
    if (accept(job, RESUME, err) < 0)
        return -1;
    if (!job->user_paused)
        return fail(err, ERR_INVALID_ARG, "Can't resume a job that was not paused");
    job->user_paused = false;
    job->io_status = "ok";
    set_status(job, job->status == JOB_STANDBY ? JOB_READY : JOB_RUNNING);
    schedule(job, 0);
    return 0;
}

/* Of a job that is ready, to cancel it means to end it without changing the graph; by force it is a
 * failure. */
int job_cancel(struct job *job, bool force, struct error *err)
{
    if (accept(job, CANCEL, err) < 0)
        return -1;
    bool ready = job->status == JOB_READY || job->status == JOB_STANDBY, paused = is_paused(job);
    job->forced |= force || !ready;
    job->cancelled |= job->forced;
    if (!ready && !paused) {
        abort_job(job);
        return 0;
    }
    if (paused) /* it goes on in order to end */
        set_status(job, ready ? JOB_READY : JOB_RUNNING);
    job->user_paused = false;
    job->completing = false;
    job->ending = true;
    schedule(job, 0);
    return 0;
}

int job_complete(struct job *job, struct error *err)
{
    if (accept(job, COMPLETE, err) < 0)
        return -1;
    if (!job->kind->lasts || job->cancelled)
        return fail(err, ERR_INVALID_ARG, "The active block job '%s' cannot be completed", job->id);
    job->completing = true;
    if (!is_paused(job))
        schedule(job, 0);
    return 0;
}

int job_finalize(struct job *job, struct error *err)
{
    if (accept(job, FINALIZE, err) < 0)
        return -1;
    finish(job);
    return 0;
}

int job_dismiss(struct job *job, struct error *err)
{
    if (accept(job, DISMISS, err) < 0)
        return -1;
    set_status(job, JOB_NULL);
    job_free(job);
    return 0;
}

int job_set_speed(struct job *job, int64_t speed, struct error *err)
{
    if (accept(job, SET_SPEED, err) < 0)
        return -1;
    if (speed < 0)
        return fail(err, ERR_INVALID_ARG, "Parameter 'speed' expects a non-negative value");
    job->speed = (uint64_t) speed;
    if (job->status == JOB_RUNNING)
        schedule(job, 0);
    return 0;
}

int job_change(struct job *job, struct error *err)
{
    return accept(job, CHANGE, err);
}
