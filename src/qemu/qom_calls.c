/* SPDX-License-Identifier: Apache-2.0 */
/* One property of a running guest, read and set past everything that is remembered. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "qemu/operations.h"
#include "qemu/emulator.h"
#include "qemu/qom_saved.h"
#include "qemu/vmm.h"

static char *arguments_of(const char *path, const char *property, const char *json)
{
    struct buffer out = { 0 };
    struct json_writer w = { .out = &out };
    json_open(&w, '{');
    json_key(&w, "path"), json_string(&w, path);
    if (property)
        json_key(&w, "property"), json_string(&w, property);
    if (json)
        json_key(&w, "value"), json_raw(&w, json);
    json_close(&w, '}');
    return buffer_take(&out);
}

static char *text_of(const struct json *value)
{
    struct buffer text = { 0 };
    struct json_writer w = { .out = &text };
    json_value(&w, value);
    return buffer_take(&text);
}

/* --- reading --- */

/* A secret stays one, whichever way it is asked for: by what is known of the tree, and by the object's own
 * type. */
static bool hides(const struct vmm *vmm, const struct monitor_call *type, const char *path,
                  const char *property)
{
    const struct qom_store *kept = vmm->tree ? qom_tree_kept(vmm->tree) : NULL;
    const char *type_name = json_text(type->reply.value);
    return (kept && qom_store_hides(kept, path, property)) || !type_name ||
           qom_type_hides(type_name, property);
}

static int refuse_secret(const struct domain *dom, const char *path, const char *property, struct error *err)
{
    return fail(err, ERR_OPERATION_INVALID, "domain '%s': property '%s' of '%s' is secret, and not shown",
                dom->name, property, path);
}

WAITS int domain_qom_get(struct domain *dom, const char *path, const char *property, char **ret_json,
                         struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm)
        return -1;
    owned_memory char *ask_type = arguments_of(path, "type", NULL);
    owned_memory char *ask_value = arguments_of(path, property, NULL);
    owned_call struct monitor_call type = { 0 }, value = { 0 };
    monitor_call_start(vmm->monitor, &type, "qom-get", ask_type);
    monitor_call_start(vmm->monitor, &value, "qom-get", ask_value);
    if (monitor_call_wait(&type, err) < 0 || monitor_call_wait(&value, err) < 0)
        return -1;
    if (dom->vmm != vmm || hides(vmm, &type, path, property))
        return refuse_secret(dom, path, property, err);
    *ret_json = text_of(value.reply.value);
    return 0;
}

/* --- the trees of earlier starts --- */

struct saved_work {
    const char *path, *uuid;
    struct qom_store *store;
    struct error *err;
};

static void read_saved(void *arg)
{
    struct saved_work *work = arg;
    work->store = qom_saved_read(work->path, work->err);
}

WAITS struct qom_store *domain_qom_saved(struct domain *dom, bool previous, struct error *err)
{
    char uuid[UUID_TEXT_SIZE];
    uuid_format(&dom->uuid, uuid);
    owned_memory char *folder = qom_saved_folder(settings_now()->cache_folder),
                      *name = memory_copy_text(dom->name);
    owned_memory char *path = folder ? qom_saved_path(folder, uuid, previous) : NULL;
    struct saved_work work = { .path = path, .err = err };
    if (path && await_work(read_saved, &work, err) < 0)
        return NULL;
    if (!work.store && err->code == ERR_NONE)
        fail(err, ERR_OPERATION_INVALID,
             "domain '%s': the tree of its %s is not known; it is kept once it has been read", name,
             previous ? "start before the last" : "last start");
    return work.store;
}

static void remove_saved(void *arg)
{
    struct saved_work *work = arg;
    qom_saved_remove(work->path, work->uuid);
}

WAITS void domain_qom_forget_saved(struct domain *dom)
{
    char uuid[UUID_TEXT_SIZE];
    owned_memory char *folder = qom_saved_folder(settings_now()->cache_folder);
    struct saved_work work = { .path = folder, .uuid = uuid };
    error_scope(cancelled);
    uuid_format(&dom->uuid, uuid);
    if (folder)
        await_work(remove_saved, &work, &cancelled);
}

/* --- setting --- */

void qom_change_done(struct qom_change *change)
{
    free(change->type);
    free(change->sent);
    free(change->before);
    free(change->after);
}

/* Why a property had better not be set; the first row that fits counts, NULL: it harms nobody. */
static const struct guard {
    const char *property, *type, *reason;
} guards[] = {
    { "guest-stats-polling-interval", "*", NULL },
    { "realized", "*", "it takes a device out of the machine, or puts it in, past its bus and its guest" },
    { "hotplugged", "*", "it changes what the device believes of itself, and nothing else" },
    { "*", "link<*", "a link says what a device is wired to, and its guest is not told" },
    { "*", "*", "the guest sees a change that neither the definition nor the next start know of" },
};

static int check_guards(const struct domain *dom, const char *path, const char *property, const char *type,
                        struct error *err)
{
    const struct guard *guard = guards;
    while (!text_matches(property, guard->property) || !text_matches(type, guard->type))
        guard++;
    if (!guard->reason)
        return 0;
    return fail(err, ERR_OPERATION_INVALID,
                "domain '%s': property '%s' of '%s' is not set unless it is forced (--force): %s", dom->name,
                property, path, guard->reason);
}

/* The type of one property, by what qom-list said; NULL with an error that names the nearest. */
static const char *find_type(const struct json *list, const char *path, const char *property,
                             struct error *err)
{
    const struct json *entry;
    size_t count = 0;
    owned_memory const char **names = memory_new((list->length + 1) * sizeof *names);
    for (size_t i = 0; (entry = json_at(list, i)); i++) {
        const char *name = json_get_text(entry, "name"), *type = json_get_text(entry, "type");
        if (text_equal(name, property) && type)
            return type;
        if (name)
            names[count++] = name;
    }
    const char *near = text_nearest(property, names, count);
    fail(err, ERR_INVALID_ARG, "'%s' has no property '%s'%s%s%s", path, property,
         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

static bool is_number_type(const char *type)
{
    static const char *const patterns[] = { "int*", "uint*", "size", "number" };
    for (size_t i = 0; i < ARRAY_COUNT(patterns); i++)
        if (text_matches(type, patterns[i]))
            return true;
    return false;
}

/* "on" is true where a truth is wanted, 7 a number where one is, all else a string; what begins like an
 * object or a list is JSON.  NULL: the word is none of its type. */
static char *json_of_word(const char *type, const char *word)
{
    static const struct {
        const char *word, *json;
    } truths[] = {
        { "on", "true" },   { "yes", "true" }, { "true", "true" },
        { "off", "false" }, { "no", "false" }, { "false", "false" },
    };
    int64_t ignored;
    uint64_t ignored_too;
    if (text_equal(type, "bool")) {
        for (size_t i = 0; i < ARRAY_COUNT(truths); i++)
            if (text_equal(word, truths[i].word))
                return memory_copy_text(truths[i].json);
        return NULL;
    }
    if (is_number_type(type))
        return text_to_i64(word, &ignored) || text_to_u64(word, UINT64_MAX, &ignored_too)
                   ? memory_copy_text(word)
                   : NULL;
    if (*word == '{' || *word == '[')
        return memory_copy_text(word);
    struct buffer out = { 0 };
    struct json_writer w = { .out = &out };
    json_string(&w, word);
    return buffer_take(&out);
}

/* What is to be sent, checked: one JSON value.  Allocated; NULL with an error. */
static char *json_to_send(const char *type, const char *property, const char *value, unsigned flags,
                          struct error *err)
{
    owned(arena) struct arena *arena = arena_new();
    if (strlen(value) > QOM_SET_VALUE_MAX || !text_is_utf8(value, strlen(value))) {
        fail(err, ERR_INVALID_ARG, "the value is no UTF-8, or longer than %d bytes", QOM_SET_VALUE_MAX);
        return NULL;
    }
    owned_memory char *json = flags & QOM_SET_WORD ? json_of_word(type, value) : memory_copy_text(value);
    if (!json) {
        fail(err, ERR_INVALID_ARG, "property '%s' is of type '%s', and '%s' is none", property, type, value);
        return NULL;
    }
    const struct json *parsed = json_parse(json, strlen(json), arena, err);
    if (!parsed) {
        fail_in(err, "the value for '%s' is no JSON", property);
        return NULL;
    }
    return text_of(parsed); /* without white space, so that it stays on its line */
}

/* NULL if it cannot be read. */
static WAITS char *read_value(struct vmm *vmm, const char *path, const char *property)
{
    owned_memory char *arguments = arguments_of(path, property, NULL);
    owned_call struct monitor_call call = { 0 };
    error_scope(unreadable);
    monitor_call_start(vmm->monitor, &call, "qom-get", arguments);
    return monitor_call_wait(&call, &unreadable) < 0 ? NULL : text_of(call.reply.value);
}

static WAITS int set(struct vmm *vmm, const char *path, const char *property, struct qom_change *change,
                     struct error *err)
{
    struct domain *dom = vmm->domain;
    owned_memory char *arguments = arguments_of(path, property, change->sent);
    change->before = read_value(vmm, path, property);
    if (dom->vmm != vmm)
        return fail(err, ERR_OPERATION_INVALID, "domain '%s' ended meanwhile", dom->name);
    if (monitor_call(vmm->monitor, "qom-set", arguments, NULL, err) < 0)
        return fail_in(err, "the emulator did not take %s for '%s' of '%s'", change->sent, property, path);
    if (dom->vmm == vmm)
        change->after = read_value(vmm, path, property);
    if (dom->vmm == vmm && vmm->tree && qom_tree_kept(vmm->tree))
        qom_tree_begin_changed(vmm->tree, path);
    return 0;
}

WAITS int domain_qom_set(struct domain *dom, const char *path, const char *property, const char *value,
                         unsigned flags, struct qom_change *ret_change, struct error *err)
{
    struct vmm *vmm = vmm_get(dom, err);
    if (!vmm)
        return -1;
    owned_memory char *ask_list = arguments_of(path, NULL, NULL),
                      *ask_type = arguments_of(path, "type", NULL);
    owned_call struct monitor_call list = { 0 }, type = { 0 };
    monitor_call_start(vmm->monitor, &list, "qom-list", ask_list);
    monitor_call_start(vmm->monitor, &type, "qom-get", ask_type);
    if (monitor_call_wait(&list, err) < 0 || monitor_call_wait(&type, err) < 0)
        return -1;
    if (dom->vmm != vmm || hides(vmm, &type, path, property))
        return refuse_secret(dom, path, property, err);
    const char *property_type = find_type(list.reply.value, path, property, err);
    struct qom_change change = { 0 };
    if (!property_type ||
        (!(flags & QOM_SET_FORCE) && check_guards(dom, path, property, property_type, err) < 0) ||
        !(change.sent = json_to_send(property_type, property, value, flags, err)))
        return -1;
    change.type = memory_copy_text(property_type);
    if (set(vmm, path, property, &change, err) < 0) {
        qom_change_done(&change);
        return -1;
    }
    *ret_change = change;
    return 0;
}
