/* SPDX-License-Identifier: Apache-2.0 */
/* The guest's files: in memory, all folders exist. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/agent.h"
#include "simvmm/value.h"

enum {
    FILES_MAX = 256,
    HANDLES_MAX = 64,
    BYTES_MAX = 16 << 20,               /* of all files together */
    FIRST_HANDLE = 1000,
    READ_DEFAULT = 4096,
    READ_MAX = 48 << 20
};

struct file { char *path; struct buffer bytes; };
struct handle { int64_t number; size_t file, at; bool reads, writes, appends, eof; };

struct agent_files {
    VECTOR(struct file) files;
    VECTOR(struct handle) handles;
    int64_t next;
    size_t total;
};

struct agent_files *agent_files_new(void)
{
    struct agent_files *f = NEW(struct agent_files);
    f->next = FIRST_HANDLE;
    return f;
}

void agent_files_free(struct agent_files *f)
{
    for (size_t i = 0; i < f->files.count; i++) {
        free(f->files.items[i].path);
        buffer_done(&f->files.items[i].bytes);
    }
    vector_done(&f->files);
    vector_done(&f->handles);
    free(f);
}

/* Its index, or the count of files if there is none. */
static size_t find(const struct agent_files *f, const char *path)
{
    size_t i = 0;
    while (i < f->files.count && !text_equal(f->files.items[i].path, path))
        i++;
    return i;
}

static void empty(struct agent_files *f, struct file *file)
{
    f->total -= file->bytes.length;
    buffer_done(&file->bytes);
}

int agent_files_put(struct agent_files *f, const char *path, const char *bytes, size_t length,
                    struct error *err)
{
    size_t at = find(f, path);
    if (f->total + length > BYTES_MAX || (at == f->files.count && at == FILES_MAX))
        return fail(err, ERR_INVALID_ARG, "the guest has no room for '%s'", path);
    if (at == f->files.count)
        vector_push(&f->files, ((struct file) { memory_copy_text(path), { 0 } }));
    empty(f, &f->files.items[at]);
    buffer_add(&f->files.items[at].bytes, bytes, length);
    f->total += length;
    return 0;
}

static struct handle *handle_of(struct call *call, struct error *err)
{
    struct agent_files *f = call->vm->agent_system->files;
    int64_t number = 0;
    json_to_i64(json_get(call->arguments, "handle"), &number);
    for (size_t i = 0; i < f->handles.count; i++)
        if (f->handles.items[i].number == number)
            return &f->handles.items[i];
    return fail(err, ERR_INVALID_ARG, "handle '%lld' has not been found", (long long) number), NULL;
}

/* ---- opening ---- */

static bool read_mode(const char *mode, struct handle *h)
{
    if (!strchr("rwa", *mode) || !*mode || strspn(mode + 1, "b+") != strlen(mode + 1) || strlen(mode) > 3)
        return false;
    bool both = strchr(mode, '+') != NULL;
    h->reads = *mode == 'r' || both;
    h->writes = *mode != 'r' || both;
    h->appends = *mode == 'a';
    return true;
}

int agent_file_open(struct call *call, struct error *err)
{
    struct agent_files *f = call->vm->agent_system->files;
    const char *path = json_get_text(call->arguments, "path"), *mode = json_get_text(call->arguments, "mode");
    mode = mode ? mode : "r";
    struct handle h = { .number = f->next };
    if (!read_mode(mode, &h))
        return fail(err, ERR_INVALID_ARG, "invalid file open mode '%s'", mode);
    h.file = find(f, path);
    if (h.file == f->files.count && *mode == 'r')
        return fail(err, ERR_INVALID_ARG, "failed to open file '%s' (mode: '%s'): %s", path, mode,
                    strerror(ENOENT));
    if (f->handles.count == HANDLES_MAX)
        return fail(err, ERR_INVALID_ARG, "failed to open file '%s' (mode: '%s'): %s", path, mode,
                    strerror(EMFILE));
    if ((h.file == f->files.count || *mode == 'w') && agent_files_put(f, path, "", 0, err) < 0)
        return -1;
    vector_push(&f->handles, h);
    f->next++;
    call_return(call, value_number(call->arena, h.number));
    return 0;
}

int agent_file_close(struct call *call, struct error *err)
{
    struct agent_files *f = call->vm->agent_system->files;
    struct handle *h = handle_of(call, err);
    if (!h)
        return -1;
    vector_remove(&f->handles, (size_t) (h - f->handles.items));
    return 0;
}

/* ---- reading and writing ---- */

int agent_file_read(struct call *call, struct error *err)
{
    struct agent_files *f = call->vm->agent_system->files;
    struct handle *h = handle_of(call, err);
    int64_t count = READ_DEFAULT;
    json_to_i64(json_get(call->arguments, "count"), &count);
    if (!h)
        return -1;
    if (count < 0 || count > READ_MAX)
        return fail(err, ERR_INVALID_ARG, "value '%lld' is invalid for argument count", (long long) count);
    if (!h->reads)
        return fail(err, ERR_INVALID_ARG, "failed to read file: %s", strerror(EBADF));
    const struct buffer *bytes = &f->files.items[h->file].bytes;
    size_t left = h->at < bytes->length ? bytes->length - h->at : 0;
    size_t got = (size_t) count < left ? (size_t) count : left;
    h->eof = got < (size_t) count;
    struct json *v = value_object(call->arena);
    value_set_number(call->arena, v, "count", (long long) got);
    agent_set_encoded(call->arena, v, "buf-b64", buffer_text(bytes) + (got ? h->at : 0), got);
    value_set_bool(call->arena, v, "eof", h->eof);
    h->at += got;
    call_return(call, v);
    return 0;
}

static void write_at(struct agent_files *f, struct handle *h, const char *bytes, size_t length)
{
    struct buffer *to = &f->files.items[h->file].bytes;
    if (h->appends)
        h->at = to->length;
    f->total -= to->length;
    while (to->length < h->at)
        buffer_add_char(to, '\0');
    size_t over = to->length - h->at < length ? to->length - h->at : length;
    if (over)
        memcpy(to->data + h->at, bytes, over);
    buffer_add(to, bytes + over, length - over);
    f->total += to->length;
    h->at += length;
}

int agent_file_write(struct call *call, struct error *err)
{
    struct agent_files *f = call->vm->agent_system->files;
    struct handle *h = handle_of(call, err);
    const char *bytes;
    size_t length;
    if (!h || agent_decode(call->arena, json_get_text(call->arguments, "buf-b64"), &bytes, &length, err) < 0)
        return -1;
    int64_t count = (int64_t) length;
    json_to_i64(json_get(call->arguments, "count"), &count);
    if (count < 0 || (size_t) count > length)
        return fail(err, ERR_INVALID_ARG, "value '%lld' is invalid for argument count", (long long) count);
    if (!h->writes)
        return fail(err, ERR_INVALID_ARG, "failed to write to file: %s", strerror(EBADF));
    if (f->total + h->at + (size_t) count > BYTES_MAX)
        return fail(err, ERR_INVALID_ARG, "failed to write to file: %s", strerror(ENOSPC));
    write_at(f, h, bytes, (size_t) count);
    struct json *v = value_object(call->arena);
    value_set_number(call->arena, v, "count", count);
    value_set_bool(call->arena, v, "eof", h->eof);
    call_return(call, v);
    return 0;
}

/* 0, 1, 2, or their words. */
static int whence_of(const struct json *given, int *ret, struct error *err)
{
    static const char *const words[] = { "set", "cur", "end" };
    int64_t number;
    for (int i = 0; i < 3; i++)
        if (text_equal(json_text(given), words[i])) {
            *ret = i;
            return 0;
        }
    if (json_text(given))
        return fail(err, ERR_INVALID_ARG, "Parameter 'whence' does not accept value '%s'", json_text(given));
    if (!json_to_i64(given, &number))
        return fail(err, ERR_INVALID_ARG, "Invalid parameter type for 'whence', expected: integer or string");
    if (number < 0 || number > 2)
        return fail(err, ERR_INVALID_ARG, "invalid whence code %lld", (long long) number);
    *ret = (int) number;
    return 0;
}

int agent_file_seek(struct call *call, struct error *err)
{
    struct handle *h = handle_of(call, err);
    int whence = 0;
    int64_t offset = 0;
    if (!h || whence_of(json_get(call->arguments, "whence"), &whence, err) < 0)
        return -1;
    const struct buffer *bytes = &call->vm->agent_system->files->files.items[h->file].bytes;
    json_to_i64(json_get(call->arguments, "offset"), &offset);
    int64_t from = whence == 0 ? 0 : (int64_t) (whence == 1 ? h->at : bytes->length);
    if (offset > BYTES_MAX || offset < -from)
        return fail(err, ERR_INVALID_ARG, "failed to seek file: %s", strerror(EINVAL));
    h->at = (size_t) (from + offset);
    h->eof = false;
    struct json *v = value_object(call->arena);
    value_set_number(call->arena, v, "position", (long long) h->at);
    value_set_bool(call->arena, v, "eof", false);
    call_return(call, v);
    return 0;
}

int agent_file_flush(struct call *call, struct error *err)
{
    return handle_of(call, err) ? 0 : -1;
}
