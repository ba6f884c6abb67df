/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "simvmm/message.h"

enum { FILE_MAX = 64 * 1024 * 1024 };
#define SECRET "(secret)"

struct entry {
    unsigned line;
    bool command;                       /* what the VMM is asked; else what it says */
    const struct json *message;
    bool asked;                         /* by this client */
    const struct json *id;              /* that this client gave it; NULL: none */
};

struct replay {
    char *path;
    struct arena *arena;
    VECTOR(struct entry) entries;
    size_t at;                          /* the first entry that has not had its turn */
    size_t asked;                       /* all commands before that were asked */
    struct arena *ids;                  /* of this client */
};

/* --- reading --- */

static int add_line(struct replay *r, unsigned number, const char *text, size_t length, struct error *err)
{
    const struct json *line = json_parse(text, length, r->arena, err);
    if (!line)
        return fail_in(err, "%s:%u", r->path, number);
    const struct json *to = json_get(line, "to"), *from = json_get(line, "from");
    if (to || from)
        vector_push(&r->entries, ((struct entry) { number, to != NULL, to ? to : from, false, NULL }));
    return 0;
}

/* Events behind the last answer were caused by what no recording holds, such as the signal that ended it. */
static void drop_end(struct replay *r)
{
    while (r->entries.count) {
        const struct entry *last = &r->entries.items[r->entries.count - 1];
        if (last->command || !json_get(last->message, "event"))
            return;
        r->entries.count--;
    }
}

struct replay *replay_new(const char *path, struct error *err)
{
    owned_buffer struct buffer file = { 0 };
    owned(replay) struct replay *r = NEW(struct replay);
    r->path = memory_copy_text(path);
    r->arena = arena_new();
    if (file_read_regular(path, FILE_MAX, &file, err) < 0)
        return NULL;
    char *rest = file.data;
    unsigned number = 0;
    for (char *line; rest && (line = strsep(&rest, "\n")); )
        if (number++, line[strspn(line, " \t\r")] && add_line(r, number, line, strlen(line), err) < 0)
            return NULL;
    drop_end(r);
    if (r->entries.count)
        return take(r);
    fail(err, ERR_INVALID_ARG, "%s: nothing was recorded there", path);
    return NULL;
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    vector_done(&r->entries);
    arena_free(r->arena);
    arena_free(r->ids);
    free(r->path);
    free(r);
}

/* --- comparing --- */

static bool matches(const struct json *recorded, const struct json *given)
{
    if (text_equal(json_text(recorded), SECRET))
        return given && given->type == JSON_STRING;
    if (!recorded || !given || recorded->type != given->type)
        return recorded == given;
    if (recorded->type != JSON_OBJECT && recorded->type != JSON_ARRAY)
        return json_equal(recorded, given);
    if (recorded->length != given->length)
        return false;
    for (size_t i = 0; i < recorded->length; i++)
        if (recorded->type == JSON_ARRAY
                ? !matches(recorded->items[i], given->items[i])
                : !matches(recorded->members[i].value, json_get(given, recorded->members[i].key)))
            return false;
    return true;
}

static bool is_same_command(const struct json *recorded, const struct json *given)
{
    const struct json *a = json_get(recorded, "arguments"), *b = json_get(given, "arguments");
    return text_equal(json_get_text(recorded, "execute"), json_get_text(given, "execute")) &&
           (a && a->length ? matches(a, b) : !b || !b->length);
}

/* --- saying --- */

static const struct fault no_fault = { FAULT_NONE, 0, NULL };

/* The id that the client gave to what was recorded with this one, or NULL. */
static const struct json *id_for(const struct replay *r, const struct json *recorded)
{
    for (size_t i = r->asked; i > 0; i--) {
        const struct entry *e = &r->entries.items[i - 1];
        if (e->command && json_equal(json_get(e->message, "id"), recorded))
            return e->id;
    }
    return recorded;
}

static void say(struct replay *r, struct monitor *m, const struct json *message)
{
    owned_buffer struct buffer line = { 0 };
    struct json_writer w = { .out = &line, .spaced = true, .ascii = true };
    json_open(&w, '{');
    for (size_t i = 0; message->type == JSON_OBJECT && i < message->length; i++) {
        const struct json_member *member = &message->members[i];
        const struct json *value = text_equal(member->key, "id") ? id_for(r, member->value) : member->value;
        if (value)
            json_key(&w, member->key), json_value(&w, value);
    }
    json_close(&w, '}');
    buffer_add_text(&line, "\r\n");
    monitor_say(m, &line, &no_fault);
}

/* Up to the next command that was not asked yet. */
static void go_on(struct replay *r, struct monitor *m)
{
    for (; r->at < r->entries.count; r->at++) {
        const struct entry *e = &r->entries.items[r->at];
        if (e->command && !e->asked)
            return;
        if (!e->command)
            say(r, m, e->message);
    }
}

static void refuse(struct monitor *m, const struct json *command, const char *why)
{
    owned_buffer struct buffer line = { 0 };
    struct json_writer w = { .out = &line, .spaced = true, .ascii = true };
    json_open(&w, '{');
    if (json_get(command, "id"))
        json_key(&w, "id"), json_value(&w, json_get(command, "id"));
    json_key(&w, "error");
    json_open(&w, '{');
    json_key(&w, "class"), json_string(&w, "GenericError");
    json_key(&w, "desc"), json_string(&w, why);
    json_close(&w, '}');
    json_close(&w, '}');
    buffer_add_text(&line, "\r\n");
    monitor_say(m, &line, &no_fault);
}

static void add_command(struct buffer *out, const struct json *command)
{
    struct json_writer w = { .out = out };
    const struct json *arguments = json_get(command, "arguments"), *name = json_get(command, "execute");
    if (name)
        json_value(&w, name);
    if (arguments)
        buffer_add_char(out, ' '), w.comma = false, json_value(&w, arguments);
}

static void differ(struct replay *r, struct vm *vm, struct monitor *m, const struct entry *wanted,
                   const struct json *command)
{
    owned_buffer struct buffer why = { 0 };
    if (wanted)
        buffer_printf(&why, "%s:%u: the recording goes on with ", r->path, wanted->line);
    else
        buffer_printf(&why, "%s: the recording is at its end", r->path);
    if (wanted)
        add_command(&why, wanted->message);
    buffer_add_text(&why, ", and not with ");
    add_command(&why, command);
    message_print(vm, "%s", why.data);
    refuse(m, command, why.data);
}

void replay_begin(struct replay *r, struct vm *vm, struct monitor *m)
{
    for (size_t i = 0; i < r->entries.count; i++)
        r->entries.items[i].asked = false;
    r->at = r->asked = 0;
    arena_free(r->ids);
    r->ids = arena_new();
    go_on(r, m);
}

static const struct json *keep_id(struct replay *r, const struct json *id)
{
    owned_buffer struct buffer text = { 0 };
    struct json_writer w = { .out = &text };
    error_scope(ignored);
    if (!id)
        return NULL;
    json_value(&w, id);
    return json_parse(text.data, text.length, r->ids, &ignored);
}

void replay_hear(struct replay *r, struct vm *vm, struct monitor *m, const struct json *command)
{
    while (r->asked < r->entries.count && !r->entries.items[r->asked].command)
        r->asked++;
    struct entry *wanted = r->asked < r->entries.count ? &r->entries.items[r->asked] : NULL;
    if (!wanted || !is_same_command(wanted->message, command)) {
        differ(r, vm, m, wanted, command);
        return;
    }
    wanted->asked = true;
    wanted->id = keep_id(r, json_get(command, "id"));
    r->asked++;
    go_on(r, m);
}
