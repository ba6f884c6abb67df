/* SPDX-License-Identifier: Apache-2.0 */
/* A pull by qom-list and qom-get, for VMMs without a bulk command (QEMU before 10.1).
 *
 * It takes thousands of calls of about a millisecond each.  What is in flight is kept below HURRY_MS of
 * the VMM's time, as measured, since another's command waits behind it; and while one does, only one of
 * ours is. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "qemu/qom_pull_private.h"

enum { WINDOW = 12, HURRY_MS = 4 };

/* An object being read: what qom-list said, and the values so far. */
struct visit {
    uint32_t object;
    size_t place;                       /* in the walk's list */
    struct arena *arena;
    const char *path;
    const struct json **entries;        /* {name, type, value?} */
    size_t count, missing;              /* missing: values that are not answered yet */
};

/* One command to be sent or in flight: list the object, or get the value of an entry. */
struct errand { struct visit *visit; size_t entry; };
#define LIST SIZE_MAX

struct flight { struct monitor_call call; struct errand errand; };

struct walk {
    struct pull *pull;
    VECTOR(struct visit *) visits;      /* NULL once ended */
    VECTOR(struct errand) errands;      /* the first `taken` were sent */
    size_t taken;
    struct flight flights[WINDOW];      /* a ring: answers come in order */
    unsigned first, in_flight;
    bool shallow; /* what is below is left alone */
    double pace;                        /* ms that the VMM takes for a command, lately; 0: not measured yet */
    double last_answer;                 /* when it came; 0: nothing was under way since */
};

static void forget_visit(struct walk *w, size_t place)
{
    struct visit *v = w->visits.items[place];
    if (!v)
        return;
    arena_free(v->arena);
    free(v);
    w->visits.items[place] = NULL;
}

static void walk_done(struct walk *w)
{
    for (size_t i = 0; i < WINDOW; i++)
        monitor_call_done(&w->flights[i].call);
    for (size_t i = 0; i < w->visits.count; i++)
        forget_visit(w, i);
    vector_done(&w->visits);
    vector_done(&w->errands);
}

/* --- errands ---------------------------------------------------------------------------------- */

static void add_errand(struct walk *w, struct visit *visit, size_t entry)
{
    struct errand e = { visit, entry };
    vector_push(&w->errands, e);
}

static void add_visit(struct walk *w, uint32_t object)
{
    owned_buffer struct buffer path = { 0 };
    struct visit *v = NEW(struct visit);
    qom_store_add_path(w->pull->store, object, &path);
    v->object = object;
    v->arena = arena_new();
    v->path = arena_copy(v->arena, path.data);
    v->place = w->visits.count;
    vector_push(&w->visits, v);
    add_errand(w, v, LIST);
}

static bool others_wait(const struct walk *w)
{
    if (!*w->pull->monitor)
        return false;
    struct monitor_totals totals = monitor_totals(*w->pull->monitor);
    return totals.calls - totals.replies > w->in_flight;
}

static int send_errand(struct walk *w, struct errand e, struct error *err)
{
    owned_buffer struct buffer arguments = { 0 };
    struct json_writer out = { .out = &arguments };
    struct flight *f = &w->flights[(w->first + w->in_flight++) % WINDOW];
    f->errand = e;
    json_open(&out, '{');
    json_key(&out, "path"), json_string(&out, e.visit->path);
    if (e.entry != LIST)
        json_key(&out, "property"), json_string(&out, json_get_text(e.visit->entries[e.entry], "name"));
    json_close(&out, '}');
    return pull_send(w->pull, &f->call, e.entry == LIST ? "qom-list" : "qom-get", arguments.data, NULL,
                     err);
}

/* Answers follow each other as fast as the VMM works, while it has something to do. */
static void keep_pace(struct walk *w)
{
    double now = pull_now_ms();
    if (w->last_answer && w->in_flight > 0)
        w->pace += (now - w->last_answer - w->pace) / (w->pace ? 8 : 1);
    w->last_answer = w->in_flight > 1 ? now : 0;
}

static bool has_room(const struct walk *w)
{
    return w->in_flight < WINDOW && w->in_flight * w->pace < HURRY_MS && !others_wait(w);
}

static int send_some(struct walk *w, struct error *err)
{
    while (w->taken < w->errands.count && (w->in_flight == 0 || has_room(w)))
        if (send_errand(w, w->errands.items[w->taken++], err) < 0)
            return -1;
    if (w->taken > 1024) {
        w->errands.count -= w->taken;
        memmove(w->errands.items, w->errands.items + w->taken, w->errands.count * sizeof *w->errands.items);
        w->taken = 0;
    }
    return 0;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* The entry as qom-list gave it, with a value (NULL: none). */
static const struct json *entry_with(struct arena *arena, const struct json *entry, const struct json *value)
{
    struct json *copy = ARENA_NEW(arena, struct json);
    struct json_member *members = arena_alloc(arena, 3 * sizeof *members);
    members[0] = (struct json_member) { "name", json_get(entry, "name") };
    members[1] = (struct json_member) { "type", json_get(entry, "type") };
    members[2] = (struct json_member) { "value", value };
    *copy = (struct json) { .type = JSON_OBJECT, .length = value ? 3 : 2, .members = members };
    return copy;
}

/* A value by its text, copied, since its own arena goes. */
static const struct json *copy_value(struct arena *arena, const struct json *value)
{
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    struct json_writer w = { .out = &text };
    json_value(&w, value);
    return json_parse(text.data, text.length, arena, &err);
}

/* All is known of the object. */
static int end_visit(struct walk *w, struct visit *v, struct error *err)
{
    struct json list = { .type = JSON_ARRAY, .length = v->count, .items = v->entries };
    if (qom_store_put(w->pull->store, v->object, &list, err) < 0)
        return -1;
    uint32_t first, count = qom_store_children(w->pull->store, v->object, &first);
    forget_visit(w, v->place);
    for (uint32_t child = first; child < first + count && !w->shallow; child++)
        if (!qom_store_is_read(w->pull->store, child))
            add_visit(w, child);
    return 0;
}

/* What need not be asked: a child's value is its path, and an object's type is what its parent called it. */
static bool is_told(const struct walk *w, struct visit *v, size_t entry, const char *name, const char *type)
{
    if (text_starts(type, "child<"))
        return true;
    if (strcmp(name, "type") != 0 || v->object == QOM_ROOT)
        return false;
    const char *told = arena_copy(v->arena, qom_store_type(w->pull->store, v->object));
    struct json *value = ARENA_NEW(v->arena, struct json);
    *value = (struct json) { .type = JSON_STRING, .length = strlen(told), .text = told };
    v->entries[entry] = entry_with(v->arena, v->entries[entry], value);
    return true;
}

static int on_list(struct walk *w, struct visit *v, const struct json *said, struct error *err)
{
    if (said->type != JSON_ARRAY || said->length > QOM_PROPERTIES_MAX)
        return fail(err, ERR_VMM, "the emulator's answer to 'qom-list' is no list");
    v->count = said->length;
    v->entries = arena_alloc(v->arena, (v->count + 1) * sizeof *v->entries);
    for (size_t i = 0; i < v->count; i++) {
        v->entries[i] = copy_value(v->arena, said->items[i]);
        const char *name = json_get_text(v->entries[i], "name"), *type = json_get_text(v->entries[i], "type");
        if (!name || !type)
            return fail(err, ERR_VMM, "an entry in the emulator's answer to 'qom-list' has no name or type");
        if (is_told(w, v, i, name, type))
            continue;
        add_errand(w, v, i);
        v->missing++;
    }
    return v->missing ? 0 : end_visit(w, v, err);
}

static int on_value(struct walk *w, struct errand e, const struct json *value, struct error *err)
{
    struct visit *v = e.visit;
    if (value)
        v->entries[e.entry] = entry_with(v->arena, v->entries[e.entry], copy_value(v->arena, value));
    return --v->missing ? 0 : end_visit(w, v, err);
}

/* Waits for the oldest command.  A property that cannot be read is an answer too. */
static WAITS int take_answer(struct walk *w, struct error *err)
{
    struct flight *f = &w->flights[w->first];
    struct errand e = f->errand;
    int rc = pull_wait(w->pull, &f->call, err);
    bool unreadable = rc < 0 && e.entry != LIST && f->call.reply.refusal == MONITOR_GENERIC_ERROR;
    if (rc < 0 && !unreadable) {
        w->pull->changed = f->call.reply.refusal == MONITOR_DEVICE_NOT_FOUND;
        return -1;
    }
    keep_pace(w);
    w->first = (w->first + 1) % WINDOW;
    w->in_flight--;
    if (unreadable)
        error_clear(err);
    rc = e.entry == LIST ? on_list(w, e.visit, f->call.reply.value, err)
                         : on_value(w, e, f->call.reply.value, err);
    monitor_call_done(&f->call);
    return rc;
}

static WAITS int walk_all(struct walk *w, struct error *err)
{
    for (;;) {
        if (send_some(w, err) < 0)
            return -1;
        if (w->in_flight == 0)
            return 0;
        if (take_answer(w, err) < 0)
            return -1;
    }
}

WAITS int pull_walk(struct pull *p, struct error *err)
{
    __attribute__((cleanup(walk_done))) struct walk w = { .pull = p };
    add_visit(&w, QOM_ROOT);
    return walk_all(&w, err);
}

WAITS int pull_some_walk(struct pull *p, const uint32_t *objects, size_t count, struct error *err)
{
    __attribute__((cleanup(walk_done))) struct walk w = { .pull = p, .shallow = true };
    for (size_t i = 0; i < count; i++)
        add_visit(&w, objects[i]);
    return walk_all(&w, err);
}
