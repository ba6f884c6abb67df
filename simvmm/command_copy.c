/* SPDX-License-Identifier: Apache-2.0 */
/* Block jobs begin: backup, mirror, commit, stream. */
#include <stdlib.h>

#include "base/text.h"
#include "simvmm/block_io.h"
#include "simvmm/command.h"
#include "simvmm/given.h"
#include "simvmm/job_copy.h"
#include "simvmm/transaction.h"

static const char *const syncs[] = { "top", "full", "none", "incremental", "bitmap", NULL };
static const char *const modes[] = { "existing", "absolute-paths", NULL };

static struct job_options options_of(const struct json *given)
{
    return (struct job_options) { .id = json_get_text(given, "job-id"),
                                  .speed = given_number(given, "speed", 0),
                                  .auto_finalize = given_bool(given, "auto-finalize", true),
                                  .auto_dismiss = given_bool(given, "auto-dismiss", true) };
}

/* A drive's job may be called as the drive. */
static struct job_options options_for(const struct json *given, const struct block_node *b)
{
    struct job_options options = options_of(given);
    if (!options.id)
        options.id = b->drive;
    return options;
}

static int take_policies(const struct json *given, struct copy *c, struct error *err)
{
    static const char *const actions[] = { "report", "ignore", "enospc", "stop", "auto", NULL };
    unsigned both = POLICY_REPORT, source, target;
    if (given_word(given, "on-error", actions, &both, err) < 0)
        return -1;
    source = target = both;
    if (given_word(given, "on-source-error", actions, &source, err) < 0 ||
        given_word(given, "on-target-error", actions, &target, err) < 0)
        return -1;
    c->on_source = source;
    c->on_target = target;
    return 0;
}

static int check_errors(const struct json *given, struct error *err)
{
    struct copy checked;
    return take_policies(given, &checked, err);
}

static int check_free(const struct block_node *b, struct error *err)
{
    if (!b->job)
        return 0;
    return fail(err, ERR_INVALID_ARG, "Node '%s' is busy: block device is in use by block job: %s", b->name,
                job_type(b->job));
}

static int begin(struct job *job)
{
    if (!job)
        return -1;
    job_start(job);
    return 0;
}

/* ---- a target that is a file ---- */

struct file_target {
    const char *file, *format, *node_name;
    unsigned mode;
    uint64_t size;
    const struct block_node *backing;
};

static int create_target(const struct file_target *t, struct arena *a, struct error *err)
{
    struct qcow2_plan plan = qcow2_plan_default;
    plan.size = t->size;
    plan.backing = t->backing ? block_filename(t->backing, a) : NULL;
    plan.backing_format = t->backing ? t->backing->driver : NULL;
    return block_make_file(t->file, t->format, &plan, err);
}

static struct block_node *open_target(struct vm *vm, struct file_target *t, const struct block_node *source,
                                      struct error *err)
{
    t->size = source->size;
    if (!t->format && t->mode == 1)
        t->format = source->driver;
    if (t->mode == 1 && create_target(t, vm->arena, err) < 0)
        return NULL;
    return block_open_file(vm, t->file, t->format, t->node_name, source, false, false, err);
}

/* ---- backup ---- */

static int take_bitmap(const struct json *given, struct copy *c, struct error *err)
{
    static const char *const kinds[] = { "on-success", "never", "always", NULL };
    const char *name = json_get_text(given, "bitmap");
    unsigned mode = 0;
    bool by_bitmap = c->sync == SYNC_INCREMENTAL || c->sync == SYNC_BITMAP;
    if (given_word(given, "bitmap-mode", kinds, &mode, err) < 0)
        return -1;
    if (by_bitmap && !name)
        return fail(err, ERR_INVALID_ARG, "must provide a valid bitmap name for '%s' sync mode",
                    syncs[c->sync]);
    if (c->sync == SYNC_INCREMENTAL && json_get(given, "bitmap-mode") && mode != 0)
        return fail(err, ERR_INVALID_ARG,
                    "Bitmap sync mode must be 'on-success' when using sync mode 'incremental'");
    if (c->sync == SYNC_BITMAP && !json_get(given, "bitmap-mode"))
        return fail(err, ERR_INVALID_ARG, "Bitmap sync mode must be given when providing a bitmap");
    if (!name)
        return 0;
    struct bitmap *b = bitmap_find(c->source, name);
    if (!b)
        return fail(err, ERR_INVALID_ARG, "Bitmap '%s' could not be found", name);
    if (by_bitmap)
        c->bitmap = bitmap_copy(b);
    c->clears = mode == 1 ? NULL : b->name;
    return 0;
}

static void start_job(void *data)
{
    job_start(data);
}

static void drop_job(void *data)
{
    job_abandon(data);
}

static int start_backup(struct call *call, struct block_node *source, struct block_node *target,
                        unsigned sync, struct error *err)
{
    const struct json *given = call->arguments;
    for (int i = 0; target->job && i < (vm_is(call->vm, 11) ? 3 : 2); i++)
        jobs_disturb(call->vm, target);
    if (check_free(target, err) < 0 || check_free(source, err) < 0)
        return -1;
    if (source == target)
        return fail(err, ERR_INVALID_ARG, "Source and target cannot be the same");
    if (source->size != target->size)
        return fail(err, ERR_INVALID_ARG, "Source and target image have different sizes");
    struct copy *c = NEW(struct copy);
    *c = (struct copy) { .source = source, .target = target, .sync = sync };
    (void) take_policies(given, c, err);
    struct job_options options = options_for(given, source);
    if (take_bitmap(given, c, err) < 0) {
        job_backup.done(&(struct job) { .kind = &job_backup, .data = c });
        return -1;
    }
    struct job *job = copy_new(call->vm, &job_backup, &options, c, err);
    if (!job)
        return -1;
    transaction_add(call, start_job, drop_job, job);
    return 0;
}

static int blockdev_backup(struct call *call, struct error *err)
{
    const struct json *given = call->arguments;
    unsigned sync = 0;
    if (given_word(given, "sync", syncs, &sync, err) < 0 || check_errors(given, err) < 0)
        return -1;
    const char *device = json_get_text(given, "device"), *name = json_get_text(given, "target");
    struct block_node *source = block_get(call->vm, device, device, err);
    struct block_node *target = source ? block_get(call->vm, name, name, err) : NULL;
    return target ? start_backup(call, source, target, sync, err) : -1;
}

static int drive_backup(struct call *call, struct error *err)
{
    const struct json *given = call->arguments;
    unsigned sync = 0;
    struct file_target t = { .file = json_get_text(given, "target"),
                             .format = json_get_text(given, "format"),
                             .mode = 1 };
    if (given_word(given, "sync", syncs, &sync, err) < 0 || check_errors(given, err) < 0 ||
        given_word(given, "mode", modes, &t.mode, err) < 0)
        return -1;
    const char *device = json_get_text(given, "device");
    struct block_node *source = block_get(call->vm, device, device, err);
    if (!source)
        return -1;
    t.backing = sync == SYNC_TOP ? source->backing : sync == SYNC_NONE ? source : NULL;
    struct block_node *target = open_target(call->vm, &t, source, err);
    if (!target)
        return -1;
    int result = start_backup(call, source, target, sync, err);
    block_unref(target); /* the job has it */
    return result;
}

/* ---- mirror ---- */

static int check_granularity(int64_t granularity, struct error *err)
{
    if (granularity && (granularity < 512 || granularity > 64 << 20))
        return fail(err, ERR_INVALID_ARG, "Parameter 'granularity' expects a value in range [512B, 64MB]");
    if (granularity & (granularity - 1))
        return fail(err, ERR_INVALID_ARG, "Parameter 'granularity' expects a power of 2");
    return 0;
}

/* Before 10.1 it is not looked for. */
static bool is_empty(struct block_node *b, const struct json *given)
{
    enum extent kind;
    uint64_t length;
    error_scope(err);
    if (!vm_is(b->vm, 11))
        return false;
    if (given_bool(given, "target-is-zero", false))
        return true;
    for (uint64_t at = 0; at < b->size; at += length)
        if (block_extent(b, NULL, at, b->size - at, &kind, &length, &err) < 0 || kind == EXTENT_DATA)
            return false;
    return true;
}

static int start_mirror(struct call *call, struct copy *draft, struct error *err)
{
    const struct json *given = call->arguments;
    const char *replaces = json_get_text(given, "replaces");
    int64_t granularity = given_number(given, "granularity", 0);
    if (check_granularity(granularity, err) < 0)
        return -1;
    if (check_free(draft->source, err) < 0 || check_free(draft->target, err) < 0)
        return -1;
    if (replaces && !(draft->replaced = block_find(call->vm, replaces)))
        return fail(err, ERR_INVALID_ARG, "Failed to find node with node-name='%s'", replaces);
    if (draft->sync == SYNC_INCREMENTAL || draft->sync == SYNC_BITMAP)
        return fail(err, ERR_INVALID_ARG, "Sync mode '%s' not supported", syncs[draft->sync]);
    if (draft->source == draft->target)
        return fail(err, ERR_INVALID_ARG, "Can't mirror node into itself");
    if (draft->source->size != draft->target->size)
        return fail(err, ERR_INVALID_ARG, "Source and target image have different sizes");
    if (draft->sync == SYNC_TOP && !draft->source->backing)
        draft->sync = SYNC_FULL;
    draft->granularity = (uint32_t) granularity;
    draft->all = draft->all && !is_empty(draft->target, given);
    struct copy *c = NEW(struct copy);
    *c = *draft;
    (void) take_policies(given, c, err);
    struct job_options options = options_for(given, draft->source);
    return begin(copy_new(call->vm, &job_mirror, &options, c, err));
}

static int take_mirror(const struct json *given, unsigned *sync, struct error *err)
{
    static const char *const kinds[] = { "background", "write-blocking", NULL };
    unsigned ignored;
    if (given_word(given, "sync", syncs, sync, err) < 0 || check_errors(given, err) < 0)
        return -1;
    return given_word(given, "copy-mode", kinds, &ignored, err);
}

static int blockdev_mirror(struct call *call, struct error *err)
{
    const struct json *given = call->arguments;
    unsigned sync = 0;
    if (take_mirror(given, &sync, err) < 0)
        return -1;
    const char *device = json_get_text(given, "device"), *name = json_get_text(given, "target");
    struct block_node *source = block_get(call->vm, device, device, err);
    struct block_node *target = source ? block_get(call->vm, name, name, err) : NULL;
    if (!target)
        return -1;
    return start_mirror(
        call, &(struct copy) { .source = source, .target = target, .sync = sync, .all = true }, err);
}

static int drive_mirror(struct call *call, struct error *err)
{
    const struct json *given = call->arguments;
    unsigned sync = 0;
    struct file_target t = { .file = json_get_text(given, "target"),
                             .format = json_get_text(given, "format"),
                             .node_name = json_get_text(given, "node-name"),
                             .mode = 1 };
    if (take_mirror(given, &sync, err) < 0 || given_word(given, "mode", modes, &t.mode, err) < 0)
        return -1;
    const char *device = json_get_text(given, "device");
    struct block_node *source = block_get(call->vm, device, device, err);
    if (!source)
        return -1;
    if (t.node_name && block_find(call->vm, t.node_name))
        return fail(err, ERR_INVALID_ARG, "Duplicate nodes with node-name='%s'", t.node_name);
    t.backing = sync == SYNC_TOP ? source->backing : sync == SYNC_NONE ? source : NULL;
    struct block_node *target = open_target(call->vm, &t, source, err);
    if (!target)
        return -1;
    struct copy draft = {
        .source = source, .target = target, .sync = sync, .adopt_backing = true, .all = t.mode == 0
    };
    int result = start_mirror(call, &draft, err);
    block_unref(target); /* the job has it */
    return result;
}

/* ---- commit ---- */

/* A node of the chain, by name or by the file's name. */
static int find_in_chain(struct call *call, struct block_node *active, const char *node_key,
                         const char *file_key, bool is_top, struct block_node **found, struct error *err)
{
    const char *node = json_get_text(call->arguments, node_key),
               *file = json_get_text(call->arguments, file_key);
    if (node && file)
        return fail(err, ERR_INVALID_ARG, "'%s' and '%s' are mutually exclusive", node_key, file_key);
    if (node) {
        struct block_node *b = block_get(call->vm, NULL, node, err);
        if (!b)
            return -1;
        if (!block_is_above(active, b))
            return fail(err, ERR_INVALID_ARG, "'%s' is not in this backing file chain", node);
        *found = b;
        return 0;
    }
    if (!file)
        return 0;
    struct block_node *b = active;
    while (b && !text_equal(b->filename, file) && !text_equal(block_filename(b, call->arena), file))
        b = b->backing;
    if (!b)
        return fail(err, ERR_INVALID_ARG,
                    is_top ? "Top image file %s not found" : "Can't find '%s' in the backing chain", file);
    *found = b;
    return 0;
}

static int check_commit(const struct block_node *active, const struct block_node *top,
                        const struct block_node *base, const struct json *given, struct error *err)
{
    if (!base)
        return fail(err, ERR_INVALID_ARG, "There is no backing image");
    if (top == base)
        return fail(err, ERR_INVALID_ARG, "cannot commit an image into itself");
    if (!block_is_above(top, base))
        return fail(err, ERR_INVALID_ARG, "'%s' is not in this backing file chain", base->name);
    if (top == active && json_get(given, "backing-file"))
        return fail(err, ERR_INVALID_ARG, "'backing-file' specified, but 'top' is the active layer");
    for (const struct block_node *b = top; b; b = b->backing)
        if (check_free(b, err) < 0)
            return -1;
    return 0;
}

static int block_commit(struct call *call, struct error *err)
{
    const struct json *given = call->arguments;
    const char *device = json_get_text(given, "device");
    if (check_errors(given, err) < 0)
        return -1;
    struct block_node *active = block_find(call->vm, device), *top = active, *base = NULL;
    if (!active) {
        call->error_class = "DeviceNotFound";
        return fail(err, ERR_INVALID_ARG, "Device '%s' not found", device);
    }
    if (find_in_chain(call, active, "top-node", "top", true, &top, err) < 0)
        return -1;
    for (base = top; base->backing;)
        base = base->backing;
    if (find_in_chain(call, active, "base-node", "base", false, &base, err) < 0 ||
        check_commit(active, top, base, given, err) < 0)
        return -1;
    struct job_options options = options_for(given, active);
    struct copy *c = NEW(struct copy);
    *c = (struct copy) { .source = top,
                         .target = base,
                         .base = base,
                         .top = top,
                         .base_was_read_only = base->read_only,
                         .backing_name = memory_copy_text(json_get_text(given, "backing-file")),
                         .mask_protocol = given_bool(given, "backing-mask-protocol", false) };
    (void) take_policies(given, c, err);
    struct job *job = copy_new(call->vm, top == active ? &job_commit_active : &job_commit, &options, c, err);
    if (!job)
        return -1;
    if (block_set_read_only(base, false, err) < 0 ||
        (base->size < top->size && block_truncate(base, top->size, err) < 0)) {
        job_drop(job);
        return -1;
    }
    job_start(job);
    return 0;
}

/* ---- stream ---- */

static int find_base(struct call *call, struct block_node *top, struct block_node **base, struct error *err)
{
    const char *file = json_get_text(call->arguments, "base"),
               *node = json_get_text(call->arguments, "base-node"),
               *bottom = json_get_text(call->arguments, "bottom");
    if ((file != NULL) + (node != NULL) + (bottom != NULL) > 1)
        return fail(err, ERR_INVALID_ARG,
                    file && node ? "'base' and 'base-node' cannot be specified at the same time"
                                 : "'bottom' and 'base' cannot be specified at the same time");
    if (bottom) {
        struct block_node *b = block_get(call->vm, NULL, bottom, err);
        if (!b)
            return -1;
        if (!block_is_above(top, b))
            return fail(err, ERR_INVALID_ARG, "Node '%s' is not in a chain starting from '%s'", bottom,
                        top->name);
        *base = b->backing;
        return 0;
    }
    if (node) {
        struct block_node *b = block_get(call->vm, NULL, node, err);
        if (!b)
            return -1;
        if (b == top || !block_is_above(top, b))
            return fail(err, ERR_INVALID_ARG, "Node '%s' is not a backing image of '%s'", node,
                        json_get_text(call->arguments, "device"));
        *base = b;
        return 0;
    }
    return find_in_chain(call, top->backing, "", "base", false, base, err);
}

static int block_stream(struct call *call, struct error *err)
{
    const struct json *given = call->arguments;
    const char *device = json_get_text(given, "device"), *backing = json_get_text(given, "backing-file");
    if (check_errors(given, err) < 0)
        return -1;
    struct block_node *top = block_get(call->vm, device, device, err), *base = NULL;
    if (!top || find_base(call, top, &base, err) < 0)
        return -1;
    if (backing && !base)
        return fail(err, ERR_INVALID_ARG, "backing file specified, but streaming the entire chain");
    for (const struct block_node *b = top; b && b != base; b = b->backing)
        if (check_free(b, err) < 0)
            return -1;
    struct job_options options = options_for(given, top);
    struct copy *c = NEW(struct copy);
    *c = (struct copy) { .source = top,
                         .target = top,
                         .top = top,
                         .base = base,
                         .backing_name = memory_copy_text(backing),
                         .mask_protocol = given_bool(given, "backing-mask-protocol", false) };
    (void) take_policies(given, c, err);
    return begin(copy_new(call->vm, &job_stream, &options, c, err));
}

/* ---- rows ---- */

#define END                                                                                                  \
    {                                                                                                        \
        NULL, 0, false                                                                                       \
    }
#define JOB_ENDS                                                                                             \
    { "auto-finalize", ARG_BOOL, true },                                                                     \
    {                                                                                                        \
        "auto-dismiss", ARG_BOOL, true                                                                       \
    }
#define ON_ERRORS                                                                                            \
    { "on-source-error", ARG_TEXT, true },                                                                   \
    {                                                                                                        \
        "on-target-error", ARG_TEXT, true                                                                    \
    }
#define BACKUP                                                                                               \
    { "job-id", ARG_TEXT, true }, { "device", ARG_TEXT, false }, { "sync", ARG_TEXT, false },                \
        { "speed", ARG_NUMBER, true }, { "bitmap", ARG_TEXT, true }, { "bitmap-mode", ARG_TEXT, true },      \
        { "compress", ARG_BOOL, true }, ON_ERRORS
#define BACKUP_NEWER                                                                                         \
    {                                                                                                        \
        "on-cbw-error", ARG_TEXT, true                                                                       \
    }
#define BACKUP_END                                                                                           \
    JOB_ENDS,                                                                                                \
    {                                                                                                        \
        "filter-node-name", ARG_TEXT, true                                                                   \
    }
#define BACKUP_LAST                                                                                          \
    { "x-perf", ARG_OBJECT, true },                                                                          \
    {                                                                                                        \
        "target", ARG_TEXT, false                                                                            \
    }
#define BY_FILE                                                                                              \
    { "format", ARG_TEXT, true },                                                                            \
    {                                                                                                        \
        "mode", ARG_TEXT, true                                                                               \
    }

static const struct argument backup_args[] = {
    BACKUP, BACKUP_NEWER, BACKUP_END, { "discard-source", ARG_BOOL, true }, BACKUP_LAST, END,
};
static const struct argument old_backup_args[] = { BACKUP, BACKUP_END, BACKUP_LAST, END };
static const struct argument drive_backup_args[] = {
    BACKUP, BACKUP_NEWER, BACKUP_END, { "discard-source", ARG_BOOL, true }, BACKUP_LAST, BY_FILE, END,
};
static const struct argument old_drive_backup_args[] = { BACKUP, BACKUP_END, BACKUP_LAST, BY_FILE, END };

#define MIRROR_COPY                                                                                          \
    { "speed", ARG_NUMBER, true }, { "granularity", ARG_NUMBER, true }, { "buf-size", ARG_NUMBER, true },    \
        ON_ERRORS
static const struct argument mirror_args[] = {
    { "job-id", ARG_TEXT, true },
    { "device", ARG_TEXT, false },
    { "target", ARG_TEXT, false },
    { "replaces", ARG_TEXT, true },
    { "sync", ARG_TEXT, false },
    MIRROR_COPY,
    { "filter-node-name", ARG_TEXT, true },
    { "copy-mode", ARG_TEXT, true },
    JOB_ENDS,
    { "target-is-zero", ARG_BOOL, true },
    END,
};
static const struct argument old_mirror_args[] = {
    { "job-id", ARG_TEXT, true },
    { "device", ARG_TEXT, false },
    { "target", ARG_TEXT, false },
    { "replaces", ARG_TEXT, true },
    { "sync", ARG_TEXT, false },
    MIRROR_COPY,
    { "filter-node-name", ARG_TEXT, true },
    { "copy-mode", ARG_TEXT, true },
    JOB_ENDS,
    END,
};
static const struct argument drive_mirror_args[] = {
    { "job-id", ARG_TEXT, true },
    { "device", ARG_TEXT, false },
    { "target", ARG_TEXT, false },
    { "format", ARG_TEXT, true },
    { "node-name", ARG_TEXT, true },
    { "replaces", ARG_TEXT, true },
    { "sync", ARG_TEXT, false },
    { "mode", ARG_TEXT, true },
    MIRROR_COPY,
    { "unmap", ARG_BOOL, true },
    { "copy-mode", ARG_TEXT, true },
    JOB_ENDS,
    END,
};

#define COMMIT                                                                                               \
    { "job-id", ARG_TEXT, true }, { "device", ARG_TEXT, false }, { "base-node", ARG_TEXT, true },            \
        { "base", ARG_TEXT, true }, { "top-node", ARG_TEXT, true }, { "top", ARG_TEXT, true },               \
    {                                                                                                        \
        "backing-file", ARG_TEXT, true                                                                       \
    }
#define STREAM                                                                                               \
    { "job-id", ARG_TEXT, true }, { "device", ARG_TEXT, false }, { "base", ARG_TEXT, true },                 \
        { "base-node", ARG_TEXT, true },                                                                     \
    {                                                                                                        \
        "backing-file", ARG_TEXT, true                                                                       \
    }
#define CHAIN_END                                                                                            \
    { "speed", ARG_NUMBER, true }, { "on-error", ARG_TEXT, true }, { "filter-node-name", ARG_TEXT, true },   \
        JOB_ENDS
#define MASK                                                                                                 \
    {                                                                                                        \
        "backing-mask-protocol", ARG_BOOL, true                                                              \
    }
static const struct argument commit_args[] = { COMMIT, MASK, CHAIN_END, END };
static const struct argument old_commit_args[] = { COMMIT, CHAIN_END, END };
static const struct argument stream_args[] = { STREAM, MASK, { "bottom", ARG_TEXT, true }, CHAIN_END, END };
static const struct argument old_stream_args[] = { STREAM, { "bottom", ARG_TEXT, true }, CHAIN_END, END };

const struct command copy_commands[] = {
    { "blockdev-backup", ONLY_MODERN, blockdev_backup, backup_args },
    { "blockdev-backup", ONLY_OLD, blockdev_backup, old_backup_args },
    { "drive-backup", ONLY_MODERN, drive_backup, drive_backup_args },
    { "drive-backup", ONLY_OLD, drive_backup, old_drive_backup_args },
    { "blockdev-mirror", ONLY_MODERN, blockdev_mirror, mirror_args },
    { "blockdev-mirror", ONLY_OLD, blockdev_mirror, old_mirror_args },
    { "drive-mirror", ALWAYS, drive_mirror, drive_mirror_args },
    { "block-commit", ONLY_MODERN, block_commit, commit_args },
    { "block-commit", ONLY_OLD, block_commit, old_commit_args },
    { "block-stream", ONLY_MODERN, block_stream, stream_args },
    { "block-stream", ONLY_OLD, block_stream, old_stream_args },
    { NULL, ALWAYS, NULL, NULL },
};
