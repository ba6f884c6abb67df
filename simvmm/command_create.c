/* SPDX-License-Identifier: Apache-2.0 */
/* blockdev-create: a job that makes a file, or a format in one that is open. */
#include <stdlib.h>

#include "base/text.h"
#include "simvmm/block_check.h"
#include "simvmm/block_io.h"
#include "simvmm/command.h"
#include "simvmm/given.h"
#include "simvmm/job.h"

struct create {
    struct vm *vm;
    struct arena *arena;
    const struct json *options;
};

static const char *const versions[] = { "v2", "v3", NULL };
static const char *const preallocations[] = { "off", "metadata", "falloc", "full", NULL };
static const char *const qcow2_keys[] = {
    "driver",         "file",          "data-file",        "data-file-raw",
    "extended-l2",    "size",          "version",          "backing-file",
    "backing-fmt",    "encrypt",       "cluster-size",     "preallocation",
    "lazy-refcounts", "refcount-bits", "compression-type", NULL,
};
static const char *const file_keys[] = { "driver", "filename",         "size", "preallocation",
                                         "nocow",  "extent-size-hint", NULL };
static const char *const other_keys[] = { "driver", NULL };

/* ---- the work ---- */

static int create_qcow2(struct create *c, struct error *err)
{
    const char *name = json_get_text(c->options, "file");
    struct block_node *file = block_get(c->vm, name, name, err);
    struct qcow2_plan plan = qcow2_plan_default;
    unsigned version = 1, preallocation = 0;
    if (!file || given_word(c->options, "version", versions, &version, err) < 0 ||
        given_word(c->options, "preallocation", preallocations, &preallocation, err) < 0)
        return -1;
    plan.version = version + 2;
    plan.preallocate = preallocation > 0;
    plan.size = (uint64_t) given_number(c->options, "size", 0);
    plan.cluster_size = (unsigned) given_number(c->options, "cluster-size", 65536);
    plan.refcount_bits = (unsigned) given_number(c->options, "refcount-bits", 16);
    plan.lazy_refcounts = given_bool(c->options, "lazy-refcounts", false);
    plan.backing = json_get_text(c->options, "backing-file");
    plan.backing_format = json_get_text(c->options, "backing-fmt");
    if (given_bool(c->options, "extended-l2", false) || json_get(c->options, "data-file") ||
        json_get(c->options, "encrypt"))
        return fail(err, ERR_NO_SUPPORT,
                    "images with encryption, sub-clusters or a data file are not simulated");
    if (file->fd < 0 || file->read_only)
        return fail(err, ERR_INVALID_ARG, "Block node is read-only");
    if (qcow2_create(file->fd, &plan, err) < 0)
        return -1;
    return block_refresh(file, err);
}

static int create_file(struct create *c, struct error *err)
{
    const struct qcow2_plan plan = { .size = (uint64_t) given_number(c->options, "size", 0) };
    return block_make_file(json_get_text(c->options, "filename"), "raw", &plan, err);
}

static enum job_step create_step(struct job *job, struct error *err)
{
    struct create *c = job->data;
    const char *driver = json_get_text(c->options, "driver");
    job->offset = 1;
    int result = text_equal(driver, "qcow2") ? create_qcow2(c, err) : create_file(c, err);
    return result < 0 ? JOB_STEP_FAILED : JOB_STEP_DONE;
}

static void create_done(struct job *job)
{
    struct create *c = job->data;
    arena_free(c->arena);
    free(c);
}

static const struct job_kind job_create = {
    .type = "create", .hasty = true, .step = create_step, .done = create_done
};

/* ---- the request ---- */

static int check_options(const struct json *options, struct error *err)
{
    const char *driver = json_get_text(options, "driver");
    bool qcow2 = text_equal(driver, "qcow2"), file = text_equal(driver, "file");
    if (!driver)
        return fail(err, ERR_INVALID_ARG, "Parameter 'options.driver' is missing");
    if (!block_is_driver(driver))
        return fail(err, ERR_INVALID_ARG, "Parameter 'driver' does not accept value '%s'", driver);
    const char *where = qcow2 ? "file" : "filename";
    if ((qcow2 || file) && !json_get(options, where))
        return fail(err, ERR_INVALID_ARG, "Parameter 'options.%s' is missing", where);
    if ((qcow2 || file) && !json_get(options, "size"))
        return fail(err, ERR_INVALID_ARG, "Parameter 'options.size' is missing");
    if (given_only(options, "options", qcow2 ? qcow2_keys : file ? file_keys : other_keys, err) < 0)
        return -1;
    if (!qcow2 && !file)
        return fail(err, ERR_INVALID_ARG, "Driver does not support blockdev-create");
    return 0;
}

/* The job outlives the request, and has its own copy of what was asked. */
static struct create *copy_request(struct vm *vm, const struct json *options, struct error *err)
{
    owned_buffer struct buffer text = { 0 };
    struct json_writer w = { .out = &text };
    json_value(&w, options);
    struct create *c = NEW(struct create);
    *c = (struct create) { .vm = vm, .arena = arena_new() };
    c->options = json_parse(text.data, text.length, c->arena, err);
    return c;
}

static int blockdev_create(struct call *call, struct error *err)
{
    const struct json *options = json_get(call->arguments, "options");
    if (check_options(options, err) < 0)
        return -1;
    struct job_options about = { .id = json_get_text(call->arguments, "job-id"), .auto_finalize = true };
    struct job *job = job_new(call->vm, &job_create, &about, copy_request(call->vm, options, err), err);
    if (!job)
        return -1;
    job->length = 1;
    job_start(job);
    return 0;
}

static const struct argument create_args[] = {
    { "job-id", ARG_TEXT, false },
    { "options", ARG_OBJECT, false },
    { NULL, 0, false },
};

const struct command create_commands[] = {
    { "blockdev-create", ALWAYS, blockdev_create, create_args },
    { NULL, ALWAYS, NULL, NULL },
};
