/* SPDX-License-Identifier: Apache-2.0 */
/* Pulls by a bulk command, which takes a list of paths and lists the objects behind them, all or none. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "qemu/qom_pull_private.h"
#include "qemu/qom_reader.h"

/* How often a request may fail because of a path before the plan counts as useless: each time costs a
 * whole request, and a listing with a new plan costs little more than one. */
enum { BAD_PATHS_MAX = 1 };

static char *write_paths(const char *const *paths, size_t count)
{
    struct buffer out = { 0 };
    struct json_writer w = { .out = &out };
    json_open(&w, '{');
    json_key(&w, "paths"), json_open(&w, '[');
    for (size_t i = 0; i < count; i++)
        json_string(&w, paths[i]);
    json_close(&w, ']');
    json_close(&w, '}');
    return buffer_take(&out);
}

/* The answer goes into the store; `reader` says to which objects, and lives until the call is done. */
static WAITS int ask(struct pull *p, struct monitor_call *call, const char *const *paths, size_t count,
                     struct qom_reader *reader, struct error *err)
{
    owned_memory char *arguments = write_paths(paths, count);
    reader->store = p->store;
    reader->listener = (struct json_listener) { qom_reader_hear, reader };
    if (pull_send(p, call, p->bulk, arguments, &reader->listener, err) < 0 || pull_wait(p, call, err) < 0)
        return -1;
    return qom_reader_end(reader, count, err);
}

/* --- by level: whatever is not read yet, until there is nothing ------------------------------- */

struct level { const uint32_t *objects; size_t count; };

static uint32_t choose_in_level(void *arg, size_t index)
{
    const struct level *level = arg;
    return index < level->count ? level->objects[index] : QOM_NONE;
}

static WAITS int read_objects(struct pull *p, const uint32_t *objects, const char *const *paths, size_t count,
                              struct error *err)
{
    struct level level = { objects, count };
    owned_qom_reader struct qom_reader reader = { .choose = choose_in_level, .arg = &level };
    owned_call struct monitor_call call = { 0 };
    int rc = ask(p, &call, paths, count, &reader, err);
    p->changed = rc < 0 && call.reply.refusal == MONITOR_DEVICE_NOT_FOUND;
    return rc;
}

struct unread {
    VECTOR(uint32_t) objects;
    VECTOR(const char *) paths;
    struct arena *arena;
};

static void unread_done(struct unread *u)
{
    vector_done(&u->objects);
    vector_done(&u->paths);
    arena_free(u->arena);
}

static void find_unread(const struct qom_store *store, struct unread *u)
{
    owned_buffer struct buffer path = { 0 };
    u->arena = arena_new();
    for (uint32_t object = 0; object < qom_store_count(store); object++) {
        if (qom_store_is_read(store, object))
            continue;
        path.length = 0;
        qom_store_add_path(store, object, &path);
        vector_push(&u->objects, object);
        vector_push(&u->paths, arena_copy_bytes(u->arena, path.data, path.length));
    }
}

WAITS int pull_levels(struct pull *p, struct error *err)
{
    for (;;) {
        __attribute__((cleanup(unread_done))) struct unread u = { 0 };
        find_unread(p->store, &u);
        if (u.objects.count == 0)
            return 0;
        if (read_objects(p, u.objects.items, u.paths.items, u.objects.count, err) < 0)
            return -1;
    }
}

WAITS int pull_some_bulk(struct pull *p, const uint32_t *objects, size_t count, struct error *err)
{
    __attribute__((cleanup(unread_done))) struct unread u = { .arena = arena_new() };
    owned_buffer struct buffer path = { 0 };
    for (size_t i = 0; i < count; i++) {
        path.length = 0;
        qom_store_add_path(p->store, objects[i], &path);
        vector_push(&u.paths, arena_copy_bytes(u.arena, path.data, path.length));
    }
    return read_objects(p, objects, u.paths.items, count, err);
}

/* --- with a plan: everything at once, then the rest by level ---------------------------------- */

struct warm {
    const struct pull *pull;
    const struct qom_plan *plan;
    char **paths;                       /* what to ask each of the plan's objects by; NULL: it is gone */
    const char **asked;                 /* the paths of one request ... */
    size_t *indexes;                    /* ... and which of the plan's objects each stands for */
    size_t count;
    uint32_t *objects;                  /* of each of the plan's objects: the one in the store, once known */
};

static void warm_init(struct warm *w, const struct pull *p)
{
    size_t count = qom_plan_count(p->plan);
    w->pull = p;
    w->plan = p->plan;
    w->paths = memory_new(count * sizeof *w->paths);
    w->asked = memory_new(count * sizeof *w->asked);
    w->indexes = memory_new(count * sizeof *w->indexes);
    w->objects = memory_new(count * sizeof *w->objects);
    for (size_t i = 0; i < count; i++) {
        w->paths[i] = memory_copy_text(qom_plan_object(p->plan, i)->request);
        w->objects[i] = QOM_NONE;
    }
}

static void warm_done(struct warm *w)
{
    for (size_t i = 0; i < qom_plan_count(w->plan); i++)
        free(w->paths[i]);
    free(w->paths);
    free(w->asked);
    free(w->indexes);
    free(w->objects);
}

static void warm_list(struct warm *w)
{
    w->count = 0;
    for (size_t i = 0; i < qom_plan_count(w->plan); i++)
        if (w->paths[i]) {
            w->indexes[w->count] = i;
            w->asked[w->count++] = w->paths[i];
        }
}

/* The plan's object whose path the VMM complains of: "Device 'x' not found", "Path 'x' is ambiguous".
 * 0: none. */
static size_t find_bad(const struct warm *w, const struct monitor_reply *reply)
{
    const char *text = json_get_text(json_get(reply->whole, "error"), "desc");
    for (size_t i = 1; text && i < w->count; i++) {
        owned_memory char *quoted = memory_printf("'%s'", w->asked[i]);
        if (strstr(text, quoted))
            return w->indexes[i];
    }
    return 0;
}

static void forget(struct warm *w, size_t index)
{
    free(w->paths[index]);
    w->paths[index] = NULL;
}

/* Does the path lead to the object along children only?  Then it does for as long as the object exists. */
static bool is_suffix(const char *whole, const char *path)
{
    size_t length = strlen(whole), tail = strlen(path);
    return path[0] == '/' ||
           (tail < length && whole[length - tail - 1] == '/' && strcmp(whole + length - tail, path) == 0);
}

/* An object that cannot be found has gone, with all below it.  One with an ambiguous path is asked for by its
 * whole path instead, which never is; so are all that links lead to, since links change when objects come and
 * go. */
static void avoid_bad(struct warm *w, size_t bad, bool is_gone)
{
    for (size_t i = 1; i < qom_plan_count(w->plan); i++) {
        owned_buffer struct buffer whole = { 0 };
        if (!w->paths[i])
            continue;
        qom_plan_path(w->plan, (uint32_t) i, &whole);
        bool stays = is_suffix(whole.data, w->paths[i]);
        if (!w->paths[qom_plan_object(w->plan, i)->parent] || (i == bad && is_gone && stays)) {
            forget(w, i);
        } else if (i == bad || !stays) {
            forget(w, i);
            w->paths[i] = buffer_take(&whole);
        }
    }
}

/* Is the reply to the plan's object `index` about the object of that name below its parent?  Yes, if the
 * parent lists it and the path that was asked leads there through what is known already: exactly one object
 * answers to that path. */
static uint32_t prove(const struct pull *p, const struct warm *w, size_t index)
{
    const struct qom_plan_object *o = qom_plan_object(w->plan, index);
    uint32_t parent = w->objects[o->parent], start = w->objects[o->start];
    if (index == 0)
        return QOM_ROOT;
    uint32_t object = parent == QOM_NONE ? QOM_NONE : qom_store_child(p->store, parent, o->name);
    if (object == QOM_NONE || qom_store_is_read(p->store, object))
        return QOM_NONE;
    if (w->paths[index][0] == '/')
        return object;
    bool leads = start != QOM_NONE && qom_store_walk(p->store, start, w->paths[index]) == object;
    return leads ? object : QOM_NONE;
}

static uint32_t choose_in_plan(void *arg, size_t item)
{
    struct warm *w = arg;
    if (item >= w->count)
        return QOM_NONE;
    size_t index = w->indexes[item];
    uint32_t object = prove(w->pull, w, index);
    if (object != QOM_NONE)             /* else what it was asked for is read by level */
        w->objects[index] = object;
    return object;
}

static WAITS int warm_ask(struct pull *p, struct warm *w, struct error *err)
{
    for (int bad_paths = 0; ; bad_paths++) {
        owned_qom_reader struct qom_reader reader = { .choose = choose_in_plan, .arg = w };
        owned_call struct monitor_call call = { 0 };
        warm_list(w);
        if (ask(p, &call, w->asked, w->count, &reader, err) == 0)
            return 0;
        if (call.reply.refusal == MONITOR_NOT_REFUSED)
            return -1;
        size_t bad = find_bad(w, &call.reply);
        p->changed = true;
        if (bad == 0 || bad_paths == BAD_PATHS_MAX)
            return -1;
        avoid_bad(w, bad, call.reply.refusal == MONITOR_DEVICE_NOT_FOUND);
        error_clear(err);
    }
}

WAITS int pull_warm(struct pull *p, struct error *err)
{
    __attribute__((cleanup(warm_done))) struct warm w = { 0 };
    warm_init(&w, p);
    if (warm_ask(p, &w, err) < 0)
        return -1;
    p->changed = false;
    return pull_levels(p, err);
}
