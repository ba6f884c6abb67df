/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "json/json.h"
#include "loop/loop.h"
#include "qemu/monitor.h"

#define SECRET "(secret)"

struct recorder {
    int fd;                             /* -1: it has ended */
    size_t written;
    uint64_t began;
    struct json_parser *parser;         /* of what is heard */
    VECTOR(uint64_t) hidden;            /* ids of questions for a secret */
};

/* --- secrets --- */

/* Members that are secret wherever they stand, and properties that are by name. */
static bool is_secret_word(const char *word)
{
    static const char *const words[] = { "password", "passwd", "passphrase" };
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if (text_equal(words[i], word))
            return true;
    return false;
}

static bool is_secret_property(const char *name)
{
    return is_secret_word(name) || text_equal(name, "data") || text_equal(name, "rawdata");
}

/* Of this object: a secret's data, a property's value, a line for the human monitor that has a password. */
static bool hides(const struct json *object, const char *key)
{
    const char *type = json_get_text(object, "qom-type"), *line = json_get_text(object, "command-line");
    if (text_equal(key, "value"))
        return is_secret_property(json_get_text(object, "name")) ||
               is_secret_property(json_get_text(object, "property"));
    if (text_equal(key, "command-line"))
        return line && (strstr(line, "password") || strstr(line, "secret"));
    return is_secret_word(key) || (text_equal(key, "data") && text_starts(type, "secret"));
}

static void add_value(struct json_writer *w, const struct json *value)
{
    if (value->type != JSON_OBJECT && value->type != JSON_ARRAY) {
        json_value(w, value);
        return;
    }
    json_open(w, value->type == JSON_OBJECT ? '{' : '[');
    for (size_t i = 0; i < value->length; i++)
        if (value->type == JSON_ARRAY) {
            add_value(w, value->items[i]);
        } else {
            json_key(w, value->members[i].key);
            if (hides(value, value->members[i].key))
                json_string(w, SECRET);
            else
                add_value(w, value->members[i].value);
        }
    json_close(w, value->type == JSON_OBJECT ? '}' : ']');
}

/* The answer to a question for a secret has no name in it. */
static void add_answer(struct json_writer *w, const struct json *answer)
{
    json_open(w, '{');
    for (size_t i = 0; i < answer->length; i++) {
        json_key(w, answer->members[i].key);
        if (text_equal(answer->members[i].key, "return"))
            json_string(w, SECRET);
        else
            add_value(w, answer->members[i].value);
    }
    json_close(w, '}');
}

static bool take_hidden(struct recorder *r, const struct json *answer)
{
    uint64_t id;
    if (!json_to_u64(json_get(answer, "id"), &id))
        return false;
    for (size_t i = 0; i < r->hidden.count; i++)
        if (r->hidden.items[i] == id) {
            vector_remove(&r->hidden, i);
            return true;
        }
    return false;
}

static void note_question(struct recorder *r, const struct json *command)
{
    uint64_t id;
    const struct json *arguments = json_get(command, "arguments");
    if (text_equal(json_get_text(command, "execute"), "qom-get") &&
        is_secret_property(json_get_text(arguments, "property")) && json_to_u64(json_get(command, "id"), &id))
        vector_push(&r->hidden, id);
}

/* --- lines --- */

static void end(struct recorder *r)
{
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
}

/* A file system that is full is no reason to disturb a guest. */
static void write_line(struct recorder *r, struct buffer *line)
{
    static const char full[] = "{\"end\":\"the recording has reached its largest size\"}\n";
    bool fits = r->written + line->length <= RECORDER_MAX;
    const char *bytes = fits ? line->data : full;
    size_t length = fits ? line->length : sizeof full - 1;
    r->written += length;
    if (write(r->fd, bytes, length) != (ssize_t) length || !fits)
        end(r);
}

static void record(struct recorder *r, const char *direction, const struct json *message, bool hidden)
{
    owned_buffer struct buffer line = { 0 };
    struct json_writer w = { .out = &line };
    json_open(&w, '{');
    json_key(&w, "at"), json_u64(&w, loop_now() - r->began);
    json_key(&w, direction);
    if (hidden)
        add_answer(&w, message);
    else
        add_value(&w, message);
    json_close(&w, '}');
    buffer_add_char(&line, '\n');
    write_line(r, &line);
}

void recorder_sent(struct recorder *r, const char *text, size_t length)
{
    if (!r || r->fd < 0)
        return;
    error_scope(ignored);
    owned(arena) struct arena *arena = arena_new();
    const struct json *command = json_parse(text, length, arena, &ignored);
    if (!command)
        return;
    note_question(r, command);
    record(r, "to", command, false);
}

static void on_value(void *arg, struct arena *arena, const struct json *value, size_t bytes)
{
    struct recorder *r = arg;
    if (r->fd >= 0)
        record(r, "from", value, value->type == JSON_OBJECT && take_hidden(r, value));
    arena_free(arena);
}

void recorder_heard(struct recorder *r, const char *bytes, size_t length)
{
    error_scope(nonsense);
    if (r && r->fd >= 0 && json_parser_feed(r->parser, bytes, length, &nonsense) < 0)
        end(r);
}

/* --- life --- */

struct recorder *recorder_new(const char *path, const char *domain, bool append, struct error *err)
{
    int how = append ? 0 : O_TRUNC;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | how, 0600);
    if (fd < 0) {
        fail_errno(err, errno, "cannot record to '%s'", path);
        return NULL;
    }
    struct recorder *r = NEW(struct recorder);
    off_t size = lseek(fd, 0, SEEK_END);
    r->fd = fd;
    r->written = size > 0 ? (size_t) size : 0;
    r->began = loop_now();
    r->parser = json_parser_new(MONITOR_VALUE_MAX, MONITOR_DEPTH_MAX, on_value, r);
    owned_buffer struct buffer line = { 0 };
    struct json_writer w = { .out = &line };
    json_open(&w, '{');
    json_key(&w, "recording"), json_u64(&w, 1);
    json_key(&w, "domain"), json_string(&w, domain);
    json_close(&w, '}');
    buffer_add_char(&line, '\n');
    write_line(r, &line);
    return r;
}

void recorder_free(struct recorder *r)
{
    if (!r)
        return;
    end(r);
    json_parser_free(r->parser);
    vector_done(&r->hidden);
    free(r);
}
