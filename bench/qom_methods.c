/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/qom_methods.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

enum { PIPELINE = 200, BULK = QOM_HAS_LIST_GETV | QOM_HAS_LIST_GET };

static const char *bulk_command(const struct guest *guest)
{
    return guest->commands & QOM_HAS_LIST_GETV ? "qom-list-getv" : "qom-list-get";
}

/* --- a reading under way: a queue of calls, of which some are in flight ----------------------- */

struct task { uint32_t object; size_t entry; };         /* entry SIZE_MAX: list it */

struct reading {
    struct guest *guest;
    struct qom_stats *stats;
    struct qom_store *store;
    struct arena *arena;                /* everything that was said */
    struct monitor_call calls[PIPELINE];
    struct task sent[PIPELINE];
    size_t window, first, in_flight;
    VECTOR(struct task) queue;
    size_t taken;
    VECTOR(const struct json *) lists;  /* by object: what qom-list said */
    VECTOR(const struct json **) values;
    VECTOR(size_t) missing;
};

static struct reading *reading_new(struct guest *guest, size_t window, struct qom_stats *stats)
{
    struct reading *r = NEW(struct reading);
    r->guest = guest;
    r->stats = stats;
    r->window = window;
    r->store = qom_store_new();
    r->arena = arena_new();
    return r;
}

static void reading_free(struct reading *r)
{
    for (size_t i = 0; i < PIPELINE; i++)
        monitor_call_done(&r->calls[i]);
    qom_store_free(r->store);
    arena_free(r->arena);
    vector_done(&r->queue);
    vector_done(&r->lists);
    vector_done(&r->values);
    vector_done(&r->missing);
    free(r);
}
DEFINE_OWNED(reading)

static void count(struct qom_stats *stats, const struct monitor_call *call)
{
    stats->calls++;
    stats->request_bytes += call->reply.request_bytes;
    stats->reply_bytes += call->reply.reply_bytes;
}

static char *path_of(const struct qom_store *store, uint32_t object)
{
    struct buffer path = { 0 };
    qom_store_add_path(store, object, &path);
    return buffer_take(&path);
}

static void add_task(struct reading *r, uint32_t object, size_t entry)
{
    struct task task = { object, entry };
    vector_push(&r->queue, task);
}

/* Children that came into being are to be listed, those too that the store fills in by itself. */
static void add_children(struct reading *r, uint32_t object)
{
    uint32_t first, children = qom_store_children(r->store, object, &first);
    for (uint32_t i = 0; i < children; i++)
        add_task(r, first + i, SIZE_MAX);
}

static const struct json *copy(struct reading *r, const struct json *value)
{
    owned_buffer struct buffer text = { 0 };
    struct json_writer w = { .out = &text };
    error_scope(err);
    json_value(&w, value);
    return json_parse(text.data, text.length, r->arena, &err);
}

static WAITS int wait_oldest(struct reading *r, struct monitor_call **ret_call, struct task *ret_task,
                             struct error *err)
{
    struct monitor_call *call = &r->calls[r->first];
    r->stats->round_trips++;
    int rc = monitor_call_wait(call, err);
    count(r->stats, call);
    *ret_call = call;
    *ret_task = r->sent[r->first];
    r->first = (r->first + 1) % r->window;
    r->in_flight--;
    if (rc < 0 && ret_task->entry != SIZE_MAX && call->reply.refusal == MONITOR_GENERIC_ERROR) {
        error_clear(err);               /* unreadable */
        return 0;
    }
    return rc;
}

static void send_task(struct reading *r, struct task task, const char *command, const char *arguments)
{
    size_t at = (r->first + r->in_flight++) % r->window;
    r->sent[at] = task;
    monitor_call_start(r->guest->monitor, &r->calls[at], command, arguments);
}

/* --- qom-list and qom-get --------------------------------------------------------------------- */

static const struct json *list_of(const struct reading *r, struct task task)
{
    return r->lists.items[task.object];
}

static void send_list_or_get(struct reading *r, struct task task)
{
    owned_buffer struct buffer arguments = { 0 };
    owned_memory char *path = path_of(r->store, task.object);
    struct json_writer w = { .out = &arguments };
    json_open(&w, '{');
    json_key(&w, "path"), json_string(&w, path);
    if (task.entry != SIZE_MAX)
        json_key(&w, "property"), json_value(&w, json_get(list_of(r, task)->items[task.entry], "name"));
    json_close(&w, '}');
    send_task(r, task, task.entry == SIZE_MAX ? "qom-list" : "qom-get", arguments.data);
}

static const struct json *entry_with(struct arena *arena, const struct json *entry, const struct json *value)
{
    struct json *v = ARENA_NEW(arena, struct json);
    struct json_member *members = arena_alloc(arena, 3 * sizeof *members);
    members[0] = (struct json_member) { "name", json_get(entry, "name") };
    members[1] = (struct json_member) { "type", json_get(entry, "type") };
    members[2] = (struct json_member) { "value", value };
    *v = (struct json) { .type = JSON_OBJECT, .length = value ? 3 : 2, .members = members };
    return v;
}

static int end_object(struct reading *r, uint32_t object, struct error *err)
{
    const struct json *list = r->lists.items[object];
    if (qom_store_is_read(r->store, object))
        return 0;
    struct json whole = { .type = JSON_ARRAY, .length = list->length };
    whole.items = arena_alloc(r->arena, (list->length + 1) * sizeof(void *));
    for (size_t i = 0; i < list->length; i++)
        whole.items[i] = entry_with(r->arena, list->items[i], r->values.items[object][i]);
    if (qom_store_put(r->store, object, &whole, err) < 0)
        return -1;
    add_children(r, object);
    return 0;
}

static int on_list(struct reading *r, uint32_t object, const struct json *list, struct error *err)
{
    size_t wanted = qom_store_count(r->store);
    vector_reserve(&r->lists, wanted);
    vector_reserve(&r->values, wanted);
    vector_reserve(&r->missing, wanted);
    r->lists.items[object] = copy(r, list);
    r->values.items[object] = arena_alloc(r->arena, (list->length + 1) * sizeof(void *));
    r->missing.items[object] = 0;
    for (size_t i = 0; i < list->length; i++) {
        if (text_starts(json_get_text(list->items[i], "type"), "child<"))
            continue;
        add_task(r, object, i);
        r->missing.items[object]++;
    }
    return r->missing.items[object] ? 0 : end_object(r, object, err);
}

static int on_answer(struct reading *r, struct task task, const struct json *value, struct error *err)
{
    if (task.entry == SIZE_MAX)
        return on_list(r, task.object, value, err);
    r->values.items[task.object][task.entry] = value ? copy(r, value) : NULL;
    return --r->missing.items[task.object] ? 0 : end_object(r, task.object, err);
}

static WAITS struct qom_store *list_and_get(struct guest *guest, size_t window, struct qom_stats *stats,
                                            struct error *err)
{
    owned(reading) struct reading *r = reading_new(guest, window, stats);
    add_task(r, QOM_ROOT, SIZE_MAX);
    for (;;) {
        while (r->taken < r->queue.count && r->in_flight < r->window)
            send_list_or_get(r, r->queue.items[r->taken++]);
        if (r->in_flight == 0)
            return take(r->store);
        struct monitor_call *call;
        struct task task;
        if (wait_oldest(r, &call, &task, err) < 0 || on_answer(r, task, call->reply.value, err) < 0)
            return NULL;
        monitor_call_done(call);
    }
}

static WAITS struct qom_store *one_at_a_time(struct guest *guest, const struct known *known,
                                             struct qom_stats *stats, struct error *err)
{
    return list_and_get(guest, 1, stats, err);
}

static WAITS struct qom_store *pipelined(struct guest *guest, const struct known *known,
                                         struct qom_stats *stats, struct error *err)
{
    return list_and_get(guest, PIPELINE, stats, err);
}

/* --- a bulk command, by absolute paths -------------------------------------------------------- */

static WAITS int ask(struct reading *r, const uint32_t *objects, char *const *paths, size_t paths_count,
                     struct error *err)
{
    owned_buffer struct buffer arguments = { 0 };
    owned_call struct monitor_call call = { 0 };
    struct json_writer w = { .out = &arguments };
    json_open(&w, '{');
    json_key(&w, "paths"), json_open(&w, '[');
    for (size_t i = 0; i < paths_count; i++)
        json_string(&w, paths[i]);
    json_close(&w, ']');
    json_close(&w, '}');
    monitor_call_start(r->guest->monitor, &call, bulk_command(r->guest), arguments.data);
    int rc = monitor_call_wait(&call, err);
    r->stats->round_trips++;
    count(r->stats, &call);
    for (size_t i = 0; rc == 0 && i < paths_count; i++)
        if (!qom_store_is_read(r->store, objects[i]))
            rc = qom_store_put(r->store, objects[i], json_get(json_at(call.reply.value, i), "properties"),
                               err);
    return rc;
}

static WAITS struct qom_store *one_node_a_call(struct guest *guest, const struct known *known,
                                               struct qom_stats *stats, struct error *err)
{
    owned(reading) struct reading *r = reading_new(guest, 1, stats);
    for (uint32_t object = 0; object < qom_store_count(r->store); object++) {
        owned_memory char *path = path_of(r->store, object);
        if (ask(r, &object, &path, 1, err) < 0)
            return NULL;
    }
    return take(r->store);
}

/* Objects [first, last) of the store in one call. */
static WAITS int ask_range(struct reading *r, uint32_t first, uint32_t last, struct error *err)
{
    owned_memory char **paths = memory_new((last - first) * sizeof *paths);
    owned_memory uint32_t *objects = memory_new((last - first) * sizeof *objects);
    for (uint32_t i = first; i < last; i++) {
        objects[i - first] = i;
        paths[i - first] = path_of(r->store, i);
    }
    int rc = ask(r, objects, paths, last - first, err);
    for (uint32_t i = first; i < last; i++)
        free(paths[i - first]);
    return rc;
}

static WAITS struct qom_store *by_level(struct guest *guest, const struct known *known,
                                        struct qom_stats *stats, struct error *err)
{
    owned(reading) struct reading *r = reading_new(guest, 1, stats);
    for (uint32_t first = 0, last; (last = qom_store_count(r->store)) > first; first = last)
        if (ask_range(r, first, last, err) < 0)
            return NULL;
    return take(r->store);
}

/* Every known object, leaves too, in the order of the tree. */
static WAITS struct qom_store *one_call_absolute(struct guest *guest, const struct known *known,
                                                 struct qom_stats *stats, struct error *err)
{
    owned(reading) struct reading *r = reading_new(guest, 1, stats);
    owned_call struct monitor_call call = { 0 };
    owned_buffer struct buffer arguments = { 0 };
    struct json_writer w = { .out = &arguments };
    json_open(&w, '{');
    json_key(&w, "paths"), json_open(&w, '[');
    for (uint32_t o = 0; o < qom_store_count(known->store); o++) {
        owned_memory char *path = path_of(known->store, o);
        json_string(&w, path);
    }
    json_close(&w, ']');
    json_close(&w, '}');
    monitor_call_start(guest->monitor, &call, bulk_command(guest), arguments.data);
    int rc = monitor_call_wait(&call, err);
    stats->round_trips++;
    count(stats, &call);
    for (uint32_t o = 0; rc == 0 && o < qom_store_count(known->store); o++) {
        owned_memory char *path = path_of(known->store, o);
        uint32_t object = qom_store_walk(r->store, QOM_ROOT, path);
        if (!qom_store_is_read(r->store, object))
            rc = qom_store_put(r->store, object, json_get(json_at(call.reply.value, o), "properties"), err);
    }
    return rc < 0 ? NULL : take(r->store);
}

/* --- ours ------------------------------------------------------------------------------------- */

static WAITS struct qom_store *ours_warm(struct guest *guest, const struct known *known,
                                         struct qom_stats *stats, struct error *err)
{
    return qom_pull(&guest->monitor, guest->commands & BULK, known->plan, stats, err);
}

static WAITS struct qom_store *ours_ahead(struct guest *guest, const struct known *known,
                                          struct qom_stats *stats, struct error *err)
{
    return qom_pull(&guest->monitor, (guest->commands & BULK) | QOM_READS_AHEAD, known->plan, stats, err);
}

static WAITS struct qom_store *ours_composed(struct guest *guest, const struct known *known,
                                             struct qom_stats *stats, struct error *err)
{
    if (!known->composed)
        return fail(err, ERR_INTERNAL, "another guest's parts do not make this one"), NULL;
    return qom_pull(&guest->monitor, guest->commands & BULK, known->composed, stats, err);
}

static WAITS struct qom_store *ours_cold(struct guest *guest, const struct known *known,
                                         struct qom_stats *stats, struct error *err)
{
    return qom_pull(&guest->monitor, guest->commands & BULK, NULL, stats, err);
}

static WAITS struct qom_store *ours_walk(struct guest *guest, const struct known *known,
                                         struct qom_stats *stats, struct error *err)
{
    return qom_pull(&guest->monitor, 0, NULL, stats, err);
}

static WAITS struct qom_store *tree_get(struct guest *guest, const struct known *known,
                                        struct qom_stats *stats, struct error *err)
{
    return qom_pull(&guest->monitor, QOM_HAS_TREE_GET, NULL, stats, err);
}

const struct method methods[] = {
    { "qom-list + qom-get, one at a time", 0, true, one_at_a_time },
    { "qom-list + qom-get, pipelined", 0, true, pipelined },
    { "ours without a bulk command", 0, true, ours_walk },
    { "bulk, one object a call", BULK, false, one_node_a_call },
    { "bulk, by level", BULK, false, by_level },
    { "ours, nothing remembered", BULK, false, ours_cold },
    { "bulk, one call, absolute paths", BULK, false, one_call_absolute },
    { "ours, remembered: one call, short paths", BULK, false, ours_warm },
    { "ours, remembered, read ahead", BULK, false, ours_ahead },
    { "ours, never ran, of parts of another's", BULK, false, ours_composed },
    { "qom-tree-get", QOM_HAS_TREE_GET, false, tree_get },
};
const size_t methods_count = ARRAY_COUNT(methods);
