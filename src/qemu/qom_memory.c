/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_memory.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "qemu/qom_parts.h"

struct qom_memory {
    char *folder, *emulator_key, *key;
    struct qom_line *line;
};

/* An emulator's parts, as they are now: replaced whole, while workers may still read the ones before. */
struct known {
    struct qom_parts *parts;
    unsigned references;
};

static struct map *emulators;           /* by emulator_key */

static struct known *known_new(struct qom_parts *parts)
{
    struct known *known = NEW(struct known);
    *known = (struct known) { parts, 1 };
    return known;
}

static void known_free(struct known *known)
{
    if (!known || --known->references > 0)
        return;
    qom_parts_free(known->parts);
    free(known);
}
DEFINE_OWNED(known)

/* Free it. */
static struct known *known_now(const char *emulator_key)
{
    struct known *known = emulators ? map_find_text(emulators, emulator_key) : NULL;
    if (known)
        known->references++;
    return known;
}

static void set_known(const char *emulator_key, struct qom_parts *parts)
{
    if (!emulators)
        emulators = map_new();
    known_free(map_find_text(emulators, emulator_key));
    map_set_text(emulators, emulator_key, known_new(parts));
}

void qom_memory_done(void)
{
    struct known *known;
    for (size_t at = 0; emulators && (known = map_next(emulators, &at)) != NULL; )
        known_free(known);
    map_free(take(emulators));
}

struct qom_memory *qom_memory_new(const char *folder, const char *emulator_key, const char *const *argv)
{
    struct qom_memory *memory = NEW(struct qom_memory);
    memory->folder = memory_copy_text(folder);
    memory->emulator_key = memory_copy_text(emulator_key);
    memory->key = qom_plan_key(emulator_key, argv);
    memory->line = qom_line_new(argv);
    return memory;
}

void qom_memory_free(struct qom_memory *memory)
{
    if (!memory)
        return;
    free(memory->folder);
    free(memory->emulator_key);
    free(memory->key);
    qom_line_free(memory->line);
    free(memory);
}

/* --- work on other threads: all it needs is its own, or is not changed meanwhile ----------------- */

struct memory_work {
    const struct qom_memory *memory;
    const struct qom_parts *parts;      /* what is known */
    const struct qom_store *store;
    const struct qom_plan *plan;
    unsigned lessons;
    struct qom_parts *new_parts;        /* results; NULL: none, or none that are new */
    struct qom_plan *new_plan;
    struct error error;
};

/* A memory is only a memory: what fails about it is worth no more than a line. */
static WAITS void run(struct memory_work *work, void (*fn)(void *arg), const char *what)
{
    error_scope(cancelled);
    await_work(fn, work, &cancelled);
    if (work->error.code)
        log_debug("what is known of an emulator's object trees was not %s: %s", what,
                  error_text(&work->error));
    error_clear(&work->error);
}

static struct qom_plan *compose(const struct qom_parts *parts, const struct qom_memory *memory,
                                struct error *err)
{
    owned(qom_sketch) struct qom_sketch *sketch = qom_parts_compose(parts, memory->line);
    owned_memory uint32_t *properties = NULL;
    owned(qom_store) struct qom_store *store = sketch ? qom_sketch_store(sketch, &properties, err) : NULL;
    return store ? qom_plan_make(store, memory->key, properties) : NULL;
}

static void recall(void *arg)
{
    struct memory_work *work = arg;
    const struct qom_memory *m = work->memory;
    work->new_plan = m->folder ? qom_plan_load(m->folder, m->key, &work->error) : NULL;
    if (work->new_plan)
        return;
    error_clear(&work->error);
    if (!work->parts && m->folder)
        work->new_parts = qom_parts_load(m->folder, m->emulator_key, &work->error);
    const struct qom_parts *parts = work->parts ? work->parts : work->new_parts;
    if (parts)
        work->new_plan = compose(parts, m, &work->error);
}

WAITS struct qom_plan *qom_memory_recall(struct qom_memory *memory)
{
    owned(known) struct known *known = known_now(memory->emulator_key);
    struct memory_work work = { .memory = memory, .parts = known ? known->parts : NULL };
    run(&work, recall, "loaded");
    owned(known) struct known *now = known_now(memory->emulator_key);
    if (work.new_parts && !now)
        set_known(memory->emulator_key, take(work.new_parts));
    qom_parts_free(work.new_parts);
    return work.new_plan;
}

static void learn_plan(struct memory_work *work)
{
    const struct qom_memory *m = work->memory;
    owned(qom_plan) struct qom_plan *plan = qom_plan_make(work->store, m->key, NULL);
    if (qom_plan_equal(plan, work->plan))
        return;
    if (work->lessons & QOM_LEARN_PLAN && m->folder)
        qom_plan_save(plan, m->folder, &work->error);
    work->new_plan = take(plan);
}

static void learn_parts(struct memory_work *work)
{
    const struct qom_memory *m = work->memory;
    owned(qom_parts) struct qom_parts *loaded = NULL;
    if (!work->parts && m->folder)
        loaded = qom_parts_load(m->folder, m->emulator_key, &work->error);
    error_clear(&work->error);
    const struct qom_parts *known = work->parts ? work->parts : loaded;
    work->new_parts = qom_parts_learn(known, m->emulator_key, m->line, work->store);
    if (work->new_parts && m->folder)
        qom_parts_save(work->new_parts, m->folder, &work->error);
}

static void learn(void *arg)
{
    struct memory_work *work = arg;
    learn_plan(work);
    if (work->lessons & QOM_LEARN_PARTS)
        learn_parts(work);
}

/* Should somebody else have learnt meanwhile, his parts come again with the next tree that has them. */
WAITS struct qom_plan *qom_memory_learn(struct qom_memory *memory, const struct qom_store *store,
                                        const struct qom_plan *known_plan, unsigned lessons)
{
    owned(known) struct known *known = known_now(memory->emulator_key);
    struct memory_work work = { .memory = memory, .parts = known ? known->parts : NULL, .store = store,
                                .plan = known_plan, .lessons = lessons };
    run(&work, learn, "saved");
    if (work.new_parts)
        set_known(memory->emulator_key, work.new_parts);
    return work.new_plan;
}
