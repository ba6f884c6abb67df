/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_tree.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/vector.h"
#include "qemu/qom_memory.h"
#include "qemu/qom_saved.h"

/* What the tree's own fiber does.  LEARNING: the tree is there, and its plan is being made and saved. */
enum stage { IDLE, QUEUED, PULLING, LEARNING };

struct waiter {
    struct waiter *next;
    struct wait wait;
};

struct qom_tree {
    unsigned references;                /* the owner's, the fiber's, each reader's */
    struct monitor *monitor;            /* NULL: freed by its owner */
    unsigned commands;
    struct qom_memory *memory;
    char *saved; /* where the next tree is saved, too; NULL: it is not */
    struct qom_plan *plan;
    bool remembered;                    /* there is a plan for the next start */
    bool changed;                       /* the next pull is of what has changed, ... */
    bool whole;                         /* ... unless somebody wants it whole */
    VECTOR(char *) stale;               /* objects that were set since */
    bool fresh;                         /* the pull under way is the first of a VMM that was just started */
    struct qom_store *store;
    struct qom_stats stats;
    enum stage stage;
    uint64_t begun, finished;           /* pulls, successful or not */
    struct error failure;               /* of the last pull */
    struct waiter *readers;
    struct waiter *queued;              /* while QUEUED */
};

/* Background pulls: those that run, and those that queue, the first come first. */
static unsigned background_running;
static struct waiter *background_queue;

static void forget_stale(struct qom_tree *tree)
{
    for (size_t i = 0; i < tree->stale.count; i++)
        free(tree->stale.items[i]);
    vector_done(&tree->stale);
}

static void release(struct qom_tree *tree)
{
    if (--tree->references > 0)
        return;
    qom_plan_free(tree->plan);
    qom_store_free(tree->store);
    error_clear(&tree->failure);
    qom_memory_free(tree->memory);
    free(tree->saved);
    forget_stale(tree);
    free(tree);
}

static void unlink_waiter(struct waiter **list, struct waiter *w)
{
    while (*list && *list != w)
        list = &(*list)->next;
    if (*list)
        *list = w->next;
}

static void append_waiter(struct waiter **list, struct waiter *w)
{
    while (*list)
        list = &(*list)->next;
    *list = w;
}

static void wake_readers(struct qom_tree *tree)
{
    for (struct waiter *w; (w = tree->readers) != NULL; wait_done(&w->wait, 0))
        tree->readers = w->next;
}

/* --- pulling: a fiber of its own -------------------------------------------------------------- */

/* What is remembered is for starts: what a guest looks like later stays here for as long as it runs. */
static WAITS void learn(struct qom_tree *tree)
{
    unsigned lessons = (tree->fresh || !tree->remembered ? QOM_LEARN_PLAN : 0) |
                       (tree->fresh ? QOM_LEARN_PARTS : 0);
    tree->stage = LEARNING;
    struct qom_plan *plan = qom_memory_learn(tree->memory, tree->store, tree->plan, lessons);
    if (!plan)
        return;
    tree->remembered |= lessons != 0;
    qom_plan_free(tree->plan);
    tree->plan = plan;
}

struct save_work {
    const char *path;
    const struct qom_store *store;
    struct error error;
};

static void save_tree(void *arg)
{
    struct save_work *work = arg;
    qom_saved_write(work->path, work->store, &work->error);
}

/* The tree itself stays as it is meanwhile: no other pull begins. */
static WAITS void save(struct qom_tree *tree)
{
    owned_memory char *path = take(tree->saved);
    struct save_work work = { .path = path, .store = tree->store };
    error_scope(cancelled);
    tree->stage = LEARNING;
    await_work(save_tree, &work, &cancelled);
    if (work.error.code)
        log_warning("an object tree was not saved: %s", error_text(&work.error));
    error_clear(&work.error);
}

/* NULL if there is no tree to begin from, or if it did not help: what the whole takes is always true. */
static WAITS struct qom_store *pull_changes(struct qom_tree *tree, struct qom_stats *ret_stats)
{
    error_scope(err);
    VECTOR(char *) stale = { tree->stale.items, tree->stale.count, tree->stale.capacity };
    bool possible = tree->changed && tree->store && !tree->whole;
    memset(&tree->stale, 0, sizeof tree->stale); /* what is set from now on is for the next one */
    tree->changed = tree->whole = false;
    struct qom_store *store =
        possible ? qom_pull_changed(&tree->monitor, tree->commands, tree->store,
                                    (const char *const *) stale.items, stale.count, ret_stats, &err)
                 : NULL;
    for (size_t i = 0; i < stale.count; i++)
        free(stale.items[i]);
    vector_done(&stale);
    return store;
}

static WAITS void pull(struct qom_tree *tree)
{
    struct qom_stats stats;
    error_scope(err);
    tree->stage = PULLING;
    struct qom_store *store = pull_changes(tree, &stats);
    if (!store)
        store = qom_pull(&tree->monitor, tree->commands, tree->plan, &stats, &err);
    tree->finished = tree->begun;
    error_clear(&tree->failure);
    if (store) {
        qom_store_free(tree->store);
        tree->store = store;
        tree->stats = stats;
    } else {
        error_move(&tree->failure, &err);
    }
    wake_readers(tree);
    if (store && !(tree->plan && stats.calls == 1))
        learn(tree);
    if (store && tree->saved)
        save(tree);
}

static void begin(struct qom_tree *tree, enum stage stage, void (*main)(void *arg));
static void pull_now(void *arg);

static void end_pull(struct qom_tree *tree)
{
    tree->stage = IDLE;
    wake_readers(tree);                 /* those that want a newer one start it themselves */
    if (tree->changed && tree->monitor)
        begin(tree, PULLING, pull_now);
    release(tree);
}

static WAITS void pull_now(void *arg)
{
    pull(arg);
    end_pull(arg);
}

static WAITS void pull_later(void *arg)
{
    struct qom_tree *tree = arg;
    struct waiter turn = { 0 };
    bool queue = background_running >= QOM_BACKGROUND_MAX;
    if (queue) {
        append_waiter(&background_queue, &turn);
        tree->queued = &turn;
        wait_release(&turn.wait);
        unlink_waiter(&background_queue, &turn);
        tree->queued = NULL;
    }
    background_running++;
    if (tree->monitor)
        pull(tree);
    background_running--;
    if (background_queue && background_running < QOM_BACKGROUND_MAX)
        wait_done(&background_queue->wait, 0);
    end_pull(tree);
}

static void begin(struct qom_tree *tree, enum stage stage, void (*main)(void *arg))
{
    if (tree->stage != IDLE)
        return;
    if (!fiber_start(main, tree)) {     /* too many: a reader finds no pull under way and says so */
        error_clear(&tree->failure);
        fail(&tree->failure, ERR_OPERATION_FAILED, "cannot read the object tree: %d calls are under way",
             FIBERS_MAX);
        return;
    }
    tree->references++;
    tree->fresh = tree->begun++ == 0 && stage == PULLING;
    tree->stage = stage;
}

void qom_tree_begin(struct qom_tree *tree)
{
    if (tree->queued)
        wait_done(&tree->queued->wait, 0);
    begin(tree, PULLING, pull_now);
}

void qom_tree_begin_changed(struct qom_tree *tree, const char *path)
{
    enum { STALE_MAX = 100 }; /* more than that are not worth more than the whole */
    bool many = path && tree->stale.count == STALE_MAX;
    tree->changed = true;
    tree->whole |= many;
    if (path && !many)
        vector_push(&tree->stale, memory_copy_text(path));
    qom_tree_begin(tree);
}

void qom_tree_begin_later(struct qom_tree *tree)
{
    begin(tree, QUEUED, pull_later);
}

/* --- life and reading ------------------------------------------------------------------------- */

WAITS struct qom_tree *qom_tree_new(struct monitor *monitor, unsigned commands, const char *folder,
                                    const char *emulator_key, const char *const *argv)
{
    struct qom_tree *tree = NEW(struct qom_tree);
    tree->references = 1;
    tree->monitor = monitor;
    tree->commands = commands;
    tree->memory = qom_memory_new(folder, emulator_key, argv);
    if (commands & (QOM_HAS_LIST_GETV | QOM_HAS_LIST_GET))
        tree->plan = qom_memory_recall(tree->memory);
    tree->remembered = tree->plan != NULL;
    return tree;
}

void qom_tree_save_to(struct qom_tree *tree, const char *path)
{
    free(tree->saved);
    tree->saved = memory_copy_text(path);
}

void qom_tree_free(struct qom_tree *tree)
{
    if (!tree)
        return;
    tree->monitor = NULL;
    if (tree->queued)
        wait_done(&tree->queued->wait, 0);
    wake_readers(tree);
    release(tree);
}

/* Waits until something happened to the tree; 0 if so. */
static WAITS int wait_for_news(struct qom_tree *tree, struct error *err)
{
    struct waiter w = { 0 };
    append_waiter(&tree->readers, &w);
    int rc = wait_until(&w.wait, 0, err);
    unlink_waiter(&tree->readers, &w);
    return rc;
}

/* Waits for the pull with that number. */
static WAITS int wait_for_pull(struct qom_tree *tree, uint64_t number, struct error *err)
{
    while (tree->monitor && tree->finished < number) {
        if (tree->stage == IDLE || tree->stage == QUEUED)
            qom_tree_begin(tree);
        if (tree->stage == IDLE)
            return fail(err, tree->failure.code, "%s", error_text(&tree->failure));
        if (wait_for_news(tree, err) < 0)
            return -1;
    }
    if (!tree->monitor)
        return fail(err, ERR_OPERATION_INVALID, "the emulator is gone");
    return tree->failure.code ? fail(err, tree->failure.code, "%s", error_text(&tree->failure)) : 0;
}

WAITS const struct qom_store *qom_tree_read(struct qom_tree *tree, bool refresh, struct error *err)
{
    bool under_way = tree->stage == PULLING || tree->stage == QUEUED;
    uint64_t number = tree->begun + (refresh || !under_way);
    if (!refresh && !under_way && tree->store)
        return tree->store;
    tree->whole |= refresh;
    tree->references++;
    int rc = wait_for_pull(tree, number, err);
    const struct qom_store *store = rc < 0 ? NULL : tree->store;
    release(tree);
    return store;
}

const struct qom_store *qom_tree_kept(const struct qom_tree *tree)
{
    return tree->store;
}

const struct qom_stats *qom_tree_stats(const struct qom_tree *tree)
{
    return tree->store ? &tree->stats : NULL;
}
