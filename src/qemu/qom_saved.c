/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/qom_saved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"

enum { SAVED_VERSION = 1 };

char *qom_saved_folder(const char *cache_folder)
{
    return cache_folder ? memory_printf("%s/qom/trees", cache_folder) : NULL;
}

char *qom_saved_path(const char *folder, const char *uuid, bool previous)
{
    return memory_printf("%s/%s%s.jsonl", folder, uuid, previous ? ".previous" : "");
}

/* Not to have one is the usual case, and all else shows when it is read. */
void qom_saved_rotate(const char *folder, const char *uuid)
{
    owned_memory char *last = qom_saved_path(folder, uuid, false);
    owned_memory char *previous = qom_saved_path(folder, uuid, true);
    rename(last, previous);
}

void qom_saved_remove(const char *folder, const char *uuid)
{
    owned_memory char *last = qom_saved_path(folder, uuid, false);
    owned_memory char *previous = qom_saved_path(folder, uuid, true);
    unlink(last);
    unlink(previous);
}

/* --- writing --- */

static void write_store(const struct qom_store *store, struct buffer *out)
{
    struct json_writer heading = { .out = out };
    json_open(&heading, '{');
    json_key(&heading, "version"), json_u64(&heading, SAVED_VERSION);
    json_key(&heading, "objects"), json_u64(&heading, qom_store_count(store));
    json_close(&heading, '}');
    buffer_add_char(out, '\n');
    for (uint32_t o = QOM_ROOT; o != QOM_NONE; o = qom_store_next(store, QOM_ROOT, o)) {
        struct json_writer w = { .out = out };
        qom_store_write(store, o, &w);
        buffer_add_char(out, '\n');
    }
}

static int write_file(const char *path, const struct buffer *text, struct error *err)
{
    owned_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return fail_errno(err, errno, "%s", path);
    for (size_t done = 0; done < text->length;) {
        ssize_t n = write(fd, text->data + done, text->length - done);
        if (n < 0 && errno != EINTR)
            return fail_errno(err, errno, "%s", path);
        done += n > 0 ? (size_t) n : 0;
    }
    return 0;
}

/* The oldest goes when there are too many. */
static void forget_oldest(const char *folder)
{
    char **names = NULL;
    size_t count = 0;
    error_scope(err);
    owned_memory char *oldest = NULL;
    time_t age = 0;
    if (folder_list(folder, &names, &count, &err) < 0)
        return;
    for (size_t i = 0; count > QOM_SAVED_MAX && i < count; i++) {
        struct stat st;
        owned_memory char *path = memory_printf("%s/%s", folder, names[i]);
        if (stat(path, &st) < 0 || (oldest && st.st_mtime >= age))
            continue;
        free(oldest);
        oldest = take(path);
        age = st.st_mtime;
    }
    if (oldest)
        unlink(oldest);
    folder_names_free(names, count);
}

int qom_saved_write(const char *path, const struct qom_store *store, struct error *err)
{
    owned_buffer struct buffer text = { 0 };
    owned_memory char *folder = memory_copy_bytes(path, (size_t) (strrchr(path, '/') - path));
    owned_memory char *unfinished = memory_printf("%s.new", path);
    write_store(store, &text);
    if (text.length > QOM_SAVED_BYTES_MAX)
        return fail(err, ERR_INTERNAL, "the tree is larger than %d bytes", QOM_SAVED_BYTES_MAX);
    if (folder_make(folder, 0700, err) < 0 || write_file(unfinished, &text, err) < 0)
        return -1;
    if (rename(unfinished, path) < 0)
        return fail_errno(err, errno, "%s", path);
    forget_oldest(folder);
    return 0;
}

/* --- reading: nothing in the file is believed --- */

static int read_line(struct qom_store *store, const char *line, size_t length, uint64_t *announced,
                     struct error *err)
{
    owned(arena) struct arena *arena = arena_new();
    const struct json *parsed = json_parse(line, length, arena, err);
    uint64_t version;
    if (!parsed)
        return -1;
    if (*announced == 0)
        return json_to_u64(json_get(parsed, "version"), &version) && version == SAVED_VERSION &&
                       json_to_u64(json_get(parsed, "objects"), announced) && *announced
                   ? 0
                   : fail(err, ERR_INVALID_ARG, "it is no tree of version %d", SAVED_VERSION);
    const char *path = json_get_text(parsed, "path");
    bool ambiguous;
    uint32_t object = path && *path == '/' ? qom_store_find(store, path, &ambiguous) : QOM_NONE;
    if (object == QOM_NONE)
        return fail(err, ERR_INVALID_ARG, "an object is not in the tree");
    if (qom_store_is_leaf(store, object))
        return 0;
    if (qom_store_is_read(store, object))
        return fail(err, ERR_INVALID_ARG, "an object is there twice");
    return qom_store_put(store, object, json_get(parsed, "properties"), err);
}

static int read_lines(struct qom_store *store, const struct buffer *text, struct error *err)
{
    uint64_t announced = 0;
    size_t number = 0;
    for (size_t at = 0; at < text->length;) {
        const char *end = memchr(text->data + at, '\n', text->length - at);
        size_t length = end ? (size_t) (end - text->data) - at : text->length - at;
        number++;
        if (read_line(store, text->data + at, length, &announced, err) < 0)
            return fail_in(err, "line %zu", number);
        at += length + 1;
    }
    for (uint32_t o = QOM_ROOT; o < qom_store_count(store); o++)
        if (!qom_store_is_read(store, o))
            return fail(err, ERR_INVALID_ARG, "an object is missing");
    return announced == qom_store_count(store) ? 0 : fail(err, ERR_INVALID_ARG, "its end is missing");
}

struct qom_store *qom_saved_read(const char *path, struct error *err)
{
    owned_buffer struct buffer text = { 0 };
    owned(qom_store) struct qom_store *store = qom_store_new();
    struct stat st;
    if (stat(path, &st) < 0)
        return NULL;
    if (file_read_regular(path, QOM_SAVED_BYTES_MAX, &text, err) < 0 || read_lines(store, &text, err) < 0) {
        fail_in(err, "%s", path);
        return NULL;
    }
    qom_store_seal(store);
    return take(store);
}
