/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot-save, -load, -delete: the whole machine, in the qcow2 images of its disks.
 *
 * The machine's state is what simvmm has of one, which needs no room: an image says that there is some,
 * and real QEMU would not find it.
 */
#include <stdlib.h>

#include "base/text.h"
#include "simvmm/block.h"
#include "simvmm/clock.h"
#include "simvmm/command.h"
#include "simvmm/job.h"
#include "simvmm/monitor.h"
#include "simvmm/qcow2.h"
#include "simvmm/run.h"
#include "simvmm/value.h"

struct state {
    char *tag;
    struct block_node *vmstate;    /* NULL for a deletion */
    char *missing, *missing_state; /* what was named and does not exist */
    VECTOR(struct block_node *) disks;
};

enum { STATE_SIZE = 500924 }; /* about what QEMU's devices need */

/* ---- checks ---- */

static int check_disks(const struct state *s, struct error *err)
{
    if (s->missing_state)
        return fail(err, ERR_INVALID_ARG, "vmstate block device '%s' does not exist", s->missing_state);
    if (s->missing)
        return fail(err, ERR_INVALID_ARG, "No block device node '%s'", s->missing);
    for (size_t i = 0; i < s->disks.count; i++)
        if (!s->disks.items[i]->qcow2 || s->disks.items[i]->read_only)
            return fail(err, ERR_INVALID_ARG, "Device '%s' is writable but does not support snapshots",
                        s->disks.items[i]->name);
    return 0;
}

static unsigned count_of(const struct state *s)
{
    unsigned count = 0;
    for (size_t i = 0; i < s->disks.count; i++)
        count += qcow2_snapshot_find(s->disks.items[i]->qcow2, NULL, s->tag) != NULL;
    return count;
}

/* ---- the work ---- */

static bool pause_machine(struct vm *vm)
{
    bool running = vm->state == RUN_RUNNING;
    if (running)
        run_stop(vm);
    return running;
}

static void tell_migration(struct vm *vm, const char *status)
{
    for (size_t i = 0; i < vm->migrate_capabilities.count; i++)
        if (text_equal(vm->migrate_capabilities.items[i], "events")) {
            owned(arena) struct arena *a = arena_new();
            struct json *data = value_object(a);
            value_set_text(a, data, "status", status);
            event_emit(vm, "MIGRATION", data);
        }
}

static int save_disks(struct vm *vm, const struct state *s, struct error *err)
{
    uint64_t now = clock_wall(vm->clock);
    struct qcow2_snapshot about = { .name = s->tag,
                                    .seconds = (uint32_t) (now / 1000000),
                                    .nanoseconds = (uint32_t) (now % 1000000) * 1000,
                                    .clock_ns = clock_now(vm->clock) * 1000000,
                                    .icount = UINT64_MAX };
    for (size_t i = 0; i < s->disks.count; i++) {
        about.state_size = s->disks.items[i] == s->vmstate ? STATE_SIZE : 0;
        if (qcow2_snapshot_add(s->disks.items[i]->qcow2, &about, err) < 0)
            return -1;
    }
    return 0;
}

static enum job_step save_step(struct job *job, struct error *err)
{
    struct state *s = job->data;
    job->offset = 1;
    if (check_disks(s, err) < 0)
        return JOB_STEP_FAILED;
    if (count_of(s))
        return fail(err, ERR_INVALID_ARG, "Snapshot '%s' already exists in one or more devices", s->tag);
    bool running = pause_machine(job->vm);
    tell_migration(job->vm, "setup");
    int result = save_disks(job->vm, s, err);
    tell_migration(job->vm, result == 0 ? "completed" : "failed");
    if (running)
        (void) run_continue(job->vm, err);
    return result < 0 ? JOB_STEP_FAILED : JOB_STEP_DONE;
}

static int load_disks(const struct state *s, struct error *err)
{
    for (size_t i = 0; i < s->disks.count; i++) {
        struct block_node *b = s->disks.items[i];
        if (qcow2_snapshot_apply(b->qcow2, qcow2_snapshot_find(b->qcow2, NULL, s->tag), err) < 0)
            return -1;
        b->size = qcow2_facts(b->qcow2)->size;
    }
    return 0;
}

static enum job_step load_step(struct job *job, struct error *err)
{
    struct state *s = job->data;
    job->offset = 1;
    if (check_disks(s, err) < 0)
        return JOB_STEP_FAILED;
    if (count_of(s) < s->disks.count || !s->disks.count)
        return fail(err, ERR_INVALID_ARG, "Snapshot '%s' does not exist in one or more devices", s->tag);
    const struct qcow2_snapshot *state =
        s->vmstate->qcow2 ? qcow2_snapshot_find(s->vmstate->qcow2, NULL, s->tag) : NULL;
    if (!state || !state->state_size)
        return fail(err, ERR_INVALID_ARG,
                    "This is a disk-only snapshot. Revert to it  offline using qemu-img");
    bool running = pause_machine(job->vm);
    if (load_disks(s, err) < 0)
        return JOB_STEP_FAILED;
    if (running)
        (void) run_continue(job->vm, err);
    return JOB_STEP_DONE;
}

static enum job_step delete_step(struct job *job, struct error *err)
{
    struct state *s = job->data;
    job->offset = 1;
    if (check_disks(s, err) < 0)
        return JOB_STEP_FAILED;
    for (size_t i = 0; i < s->disks.count; i++) {
        struct qcow2 *q = s->disks.items[i]->qcow2;
        const struct qcow2_snapshot *found = qcow2_snapshot_find(q, NULL, s->tag);
        if (found && qcow2_snapshot_remove(q, found, err) < 0)
            return JOB_STEP_FAILED;
    }
    return JOB_STEP_DONE;
}

static void state_done(struct job *job)
{
    struct state *s = job->data;
    for (size_t i = 0; i < s->disks.count; i++)
        block_unref(s->disks.items[i]);
    block_unref(s->vmstate);
    vector_done(&s->disks);
    free(s->tag);
    free(s->missing);
    free(s->missing_state);
    free(s);
}

static const struct job_kind job_save = {
    .type = "snapshot-save", .eager = true, .step = save_step, .done = state_done
};
static const struct job_kind job_load = {
    .type = "snapshot-load", .eager = true, .step = load_step, .done = state_done
};
static const struct job_kind job_delete = {
    .type = "snapshot-delete", .eager = true, .step = delete_step, .done = state_done
};

/* ---- requests ---- */

static int begin(struct call *call, const struct job_kind *kind, struct error *err)
{
    const char *vmstate = json_get_text(call->arguments, "vmstate");
    const struct json *devices = json_get(call->arguments, "devices");
    struct state *s = NEW(struct state);
    s->tag = memory_copy_text(json_get_text(call->arguments, "tag"));
    s->vmstate = vmstate ? block_find(call->vm, vmstate) : NULL;
    if (s->vmstate)
        block_ref(s->vmstate);
    else
        s->missing_state = memory_copy_text(vmstate);
    for (size_t i = 0; i < devices->length; i++) {
        struct block_node *b = block_find(call->vm, json_text(devices->items[i]));
        if (b) {
            block_ref(b);
            vector_push(&s->disks, b);
        } else if (!s->missing)
            s->missing = memory_copy_text(json_text(devices->items[i]));
    }
    struct job_options options = { .id = json_get_text(call->arguments, "job-id"), .auto_finalize = true };
    struct job *job = job_new(call->vm, kind, &options, s, err);
    if (!job)
        return -1;
    job->length = 1;
    job_start(job);
    return 0;
}

static int save(struct call *call, struct error *err)
{
    return begin(call, &job_save, err);
}

static int load(struct call *call, struct error *err)
{
    return begin(call, &job_load, err);
}

static int delete (struct call *call, struct error *err)
{
    return begin(call, &job_delete, err);
}

static const struct argument state_args[] = {
    { "job-id", ARG_TEXT, false },   { "tag", ARG_TEXT, false }, { "vmstate", ARG_TEXT, false },
    { "devices", ARG_TEXTS, false }, { NULL, 0, false },
};
static const struct argument delete_args[] = {
    { "job-id", ARG_TEXT, false },
    { "tag", ARG_TEXT, false },
    { "devices", ARG_TEXTS, false },
    { NULL, 0, false },
};

const struct command state_commands[] = {
    { "snapshot-save", ALWAYS, save, state_args },
    { "snapshot-load", ALWAYS, load, state_args },
    { "snapshot-delete", ALWAYS, delete, delete_args },
    { NULL, ALWAYS, NULL, NULL },
};
