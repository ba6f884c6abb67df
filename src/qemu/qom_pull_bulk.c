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

/* A request keeps the VMM from its guest while it is answered, so that a large tree takes several: one of
 * this cost takes about 60 ms.  A usual guest's is 7,000. */
enum { PIECE_COST_MAX = 20000, PIECES_IN_FLIGHT = 4 };

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
static int send_paths(struct pull *p, struct monitor_call *call, const char *const *paths, size_t count,
                      struct qom_reader *reader, struct error *err)
{
    owned_memory char *arguments = write_paths(paths, count);
    reader->store = p->store;
    reader->listener = (struct json_listener) { qom_reader_hear, reader };
    return pull_send(p, call, p->bulk, arguments, &reader->listener, err);
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
    int rc = send_paths(p, &call, paths, count, &reader, err) < 0 || pull_wait(p, &call, err) < 0
                 ? -1 : qom_reader_end(&reader, count, err);
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

/* One request of those that a plan takes: a piece of the plan's objects that are not read yet. */
struct piece {
    struct warm *warm;
    size_t first, count;
    struct qom_reader reader;
    struct monitor_call call;
};

struct warm {
    struct pull *pull;
    const struct qom_plan *plan;
    struct arena *arena;                /* of paths that are not the plan's */
    const char **paths;                 /* what to ask each of the plan's objects by; NULL: it is gone */
    const char **asked;                 /* the paths of all requests ... */
    size_t *indexes;                    /* ... and which of the plan's objects each stands for */
    size_t count;
    uint32_t *objects;                  /* of each of the plan's objects: the one in the store, once known */
    int bad_paths;
};

static void warm_init(struct warm *w, struct pull *p)
{
    size_t count = qom_plan_count(p->plan);
    w->pull = p;
    w->plan = p->plan;
    w->arena = arena_new();
    w->paths = memory_new(count * sizeof *w->paths);
    w->asked = memory_new(count * sizeof *w->asked);
    w->indexes = memory_new(count * sizeof *w->indexes);
    w->objects = memory_new(count * sizeof *w->objects);
    for (size_t i = 0; i < count; i++) {
        w->paths[i] = qom_plan_object(p->plan, i)->request;
        w->objects[i] = QOM_NONE;
    }
}

static void warm_done(struct warm *w)
{
    arena_free(w->arena);
    free(w->paths);
    free(w->asked);
    free(w->indexes);
    free(w->objects);
}

static void warm_list(struct warm *w)
{
    w->count = 0;
    for (size_t i = 0; i < qom_plan_count(w->plan); i++)
        if (w->paths[i] && w->objects[i] == QOM_NONE) {
            w->indexes[w->count] = i;
            w->asked[w->count++] = w->paths[i];
        }
}

/* The plan's object whose path the VMM complains of: "Device 'x' not found", "Path 'x' is ambiguous".  0:
 * none. *ret_known: another piece's answer has told of it already. */
static size_t find_bad(const struct warm *w, const struct piece *piece, bool *ret_known)
{
    const char *text = json_get_text(json_get(piece->call.reply.whole, "error"), "desc");
    for (size_t i = piece->first; text && i < piece->first + piece->count; i++) {
        owned_memory char *quoted = memory_printf("'%s'", w->asked[i]);
        if (!strstr(text, quoted))
            continue;
        *ret_known = w->paths[w->indexes[i]] != w->asked[i];
        return w->indexes[i];
    }
    return 0;
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
            w->paths[i] = NULL;
        } else if (i == bad || !stays) {
            w->paths[i] = arena_copy(w->arena, whole.data);
        }
    }
}

/* Is the reply to the plan's object `index` about the object of that name below its parent?  Yes, if the
 * parent lists it and the path that was asked leads there through what is known already: exactly one object
 * answers to that path. */
static uint32_t prove(const struct pull *p, const struct warm *w, size_t index, const char *asked)
{
    const struct qom_plan_object *o = qom_plan_object(w->plan, index);
    uint32_t parent = w->objects[o->parent], start = w->objects[o->start];
    if (index == 0)
        return QOM_ROOT;
    uint32_t object = parent == QOM_NONE ? QOM_NONE : qom_store_child(p->store, parent, o->name);
    if (object == QOM_NONE || qom_store_is_read(p->store, object))
        return QOM_NONE;
    if (asked[0] == '/')
        return object;
    bool leads = start != QOM_NONE && qom_store_walk(p->store, start, asked) == object;
    return leads ? object : QOM_NONE;
}

static uint32_t choose_in_piece(void *arg, size_t item)
{
    struct piece *piece = arg;
    struct warm *w = piece->warm;
    if (item >= piece->count)
        return QOM_NONE;
    size_t index = w->indexes[piece->first + item];
    uint32_t object = prove(w->pull, w, index, w->asked[piece->first + item]);
    if (object != QOM_NONE)             /* else what it was asked for is read by level */
        w->objects[index] = object;
    return object;
}

/* What an object costs the VMM, in bytes read or properties written, which take it about the same. */
static size_t cost_of(const struct warm *w, size_t asked)
{
    return strlen(w->asked[asked]) + 3 + qom_plan_object(w->plan, w->indexes[asked])->properties;
}

/* As many objects from `first` on as one request may have. */
static size_t piece_size(const struct warm *w, size_t first, size_t limit)
{
    size_t count = 0, cost = 0;
    while (first + count < w->count && cost < limit)
        cost += cost_of(w, first + count++);
    return count;
}

static size_t piece_limit(const struct warm *w)
{
    size_t total = 0;
    for (size_t i = 0; i < w->count; i++)
        total += cost_of(w, i);
    size_t least = w->bad_paths ? total : total / w->pull->pieces + 1;
    return least < PIECE_COST_MAX ? least : PIECE_COST_MAX;
}

static int send_piece(struct warm *w, struct piece *piece, size_t first, size_t count, struct error *err)
{
    *piece = (struct piece) { .warm = w, .first = first, .count = count };
    piece->reader = (struct qom_reader) { .choose = choose_in_piece, .arg = piece };
    return send_paths(w->pull, &piece->call, w->asked + first, count, &piece->reader, err);
}

static void piece_done(struct piece *piece)
{
    monitor_call_done(&piece->call);
    qom_reader_done(&piece->reader);
}

/* The answer to one piece.  A path that the VMM did not like is dealt with, and its piece left to be asked
 * again: 1. */
static WAITS int take_piece(struct warm *w, struct piece *piece, struct error *err)
{
    struct pull *p = w->pull;
    if (pull_wait(p, &piece->call, err) == 0)
        return qom_reader_end(&piece->reader, piece->count, err);
    if (piece->call.reply.refusal == MONITOR_NOT_REFUSED)
        return -1;
    bool known = false;
    size_t bad = find_bad(w, piece, &known);
    p->changed = true;
    if (bad == 0 || (!known && w->bad_paths++ == BAD_PATHS_MAX))
        return -1;
    if (!known)
        avoid_bad(w, bad, piece->call.reply.refusal == MONITOR_DEVICE_NOT_FOUND);
    error_clear(err);
    return 1;
}

/* Asks for all that is not read, a few pieces in flight; 1: something has to be asked again. */
static WAITS int ask_pieces(struct warm *w, struct piece *pieces, struct error *err)
{
    size_t sent = 0, taken = 0, next = 0, limit;
    int again = 0;
    warm_list(w);
    limit = piece_limit(w);
    while (next < w->count || taken < sent) {
        if (next < w->count && sent - taken < PIECES_IN_FLIGHT) {
            size_t count = piece_size(w, next, limit);
            if (send_piece(w, &pieces[sent++ % PIECES_IN_FLIGHT], next, count, err) < 0)
                return -1;
            next += count;
            continue;
        }
        struct piece *oldest = &pieces[taken++ % PIECES_IN_FLIGHT];
        int rc = take_piece(w, oldest, err);
        piece_done(oldest);
        if (rc < 0)
            return -1;
        again |= rc;
    }
    return again;
}

/* Between two requests links may change, so that a path over one could lead elsewhere than what is known
 * says: then only paths along children are asked, or whole ones. */
static void avoid_links(struct warm *w)
{
    for (size_t i = 1; i < qom_plan_count(w->plan); i++) {
        owned_buffer struct buffer whole = { 0 };
        qom_plan_path(w->plan, (uint32_t) i, &whole);
        if (!is_suffix(whole.data, w->paths[i]))
            w->paths[i] = arena_copy(w->arena, whole.data);
    }
}

static WAITS int warm_ask(struct warm *w, struct error *err)
{
    struct piece *pieces = memory_new(PIECES_IN_FLIGHT * sizeof *pieces);
    int rc;
    warm_list(w);
    if (piece_size(w, 0, piece_limit(w)) < w->count)
        avoid_links(w);
    while ((rc = ask_pieces(w, pieces, err)) == 1)
        ;
    for (size_t i = 0; i < PIECES_IN_FLIGHT; i++)
        piece_done(&pieces[i]);
    free(pieces);
    return rc;
}

WAITS int pull_warm(struct pull *p, struct error *err)
{
    __attribute__((cleanup(warm_done))) struct warm w = { 0 };
    warm_init(&w, p);
    if (warm_ask(&w, err) < 0)
        return -1;
    p->changed = false;
    return pull_levels(p, err);
}
