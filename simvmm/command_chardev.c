/* SPDX-License-Identifier: Apache-2.0 */
/* chardev-add and the like: character devices while the machine runs, and the bytes of a ringbuf. */
#include <string.h>

#include "base/text.h"
#include "simvmm/agent.h"
#include "simvmm/chardev.h"
#include "simvmm/command.h"
#include "simvmm/device.h"
#include "simvmm/value.h"

/* ---- QMP's form of a back end, as that of the command line ---- */

/* Names that differ. */
static const struct {
    const char *qmp, *option;
} names[] = {
    { "out", "path" },
    { "device", "path" },
    { "str", "fd" },
};

static const char *option_name(const char *qmp)
{
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (text_equal(names[i].qmp, qmp))
            return names[i].option;
    return qmp;
}

/* Copies members in; an address, {type, data}, gives its data. */
static void flatten(struct call *call, const struct json *data, struct json *flat)
{
    for (size_t i = 0; data && i < data->length; i++) {
        const struct json_member *m = &data->members[i];
        if (text_equal(m->key, "addr") || text_equal(m->key, "remote"))
            flatten(call, json_get(m->value, "data"), flat);
        else if (!text_equal(m->key, "local"))
            value_set(call->arena, flat, option_name(m->key), m->value);
    }
}

static const struct {
    const char *type, *member;
} needed[] = {
    { "file", "out" },    { "pipe", "device" }, { "serial", "device" },
    { "socket", "addr" }, { "udp", "remote" },
};

static const struct json *read_backend(struct call *call, struct error *err)
{
    const struct json *backend = json_get(call->arguments, "backend"), *data = json_get(backend, "data");
    const char *type = json_get_text(backend, "type"),
               *known = data_reply(call->vm->data, "query-chardev-backends");
    if (!type)
        return fail(err, ERR_INVALID_ARG, "Parameter 'backend.type' is missing"), NULL;
    if (!strstr(known, arena_printf(call->arena, "\"name\": \"%s\"", type)))
        return fail(err, ERR_INVALID_ARG, "Parameter 'type' does not accept value '%s'", type), NULL;
    if (!data)
        return fail(err, ERR_INVALID_ARG, "Parameter 'backend.data' is missing"), NULL;
    for (size_t i = 0; i < ARRAY_COUNT(needed); i++)
        if (text_equal(needed[i].type, type) && !json_get(data, needed[i].member))
            return fail(err, ERR_INVALID_ARG, "Parameter 'backend.data.%s' is missing", needed[i].member),
                   NULL;
    struct json *flat = value_object(call->arena);
    value_set_text(call->arena, flat, "id", json_get_text(call->arguments, "id"));
    value_set_text(call->arena, flat, "backend", type);
    flatten(call, data, flat);
    if (text_equal(type, "socket") && !json_get(data, "server"))
        value_set_bool(call->arena, flat, "server", true); /* QMP's default; the option's is off */
    return flat;
}

static void say_pty(struct call *call, const struct chardev *c)
{
    struct json *reply = value_object(call->arena);
    value_set_text(call->arena, reply, "pty", chardev_pty(c));
    call_return(call, reply);
}

static int add(struct call *call, struct error *err)
{
    const char *id = json_get_text(call->arguments, "id");
    const struct json *given = read_backend(call, err);
    if (!given)
        return -1;
    if (chardev_find(call->vm, id))
        return fail(err, ERR_INVALID_ARG, "Chardev with id '%s' already exists", id);
    struct chardev *c = chardev_create(call->vm, given, err);
    if (!c)
        return fail_in(err, "Failed to add chardev '%s'", id);
    chardev_start(c);
    say_pty(call, c);
    return 0;
}

static int change(struct call *call, struct error *err)
{
    const char *id = json_get_text(call->arguments, "id");
    const struct json *given = read_backend(call, err);
    struct chardev *c = chardev_find(call->vm, id);
    if (!given)
        return -1;
    if (!c)
        return fail(err, ERR_INVALID_ARG, "Chardev '%s' does not exist", id);
    if (chardev_is_busy(c))
        return fail(err, ERR_NO_SUPPORT, "Chardev user does not support chardev hotswap");
    if (chardev_change(c, given, err) < 0)
        return fail_in(err, "Failed to add chardev '%s'", id);
    say_pty(call, c);
    return 0;
}

static int removes(struct call *call, struct error *err)
{
    const char *id = json_get_text(call->arguments, "id");
    struct chardev *c = chardev_find(call->vm, id);
    if (!c)
        return fail(err, ERR_INVALID_ARG, "Chardev '%s' not found", id);
    if (chardev_is_busy(c))
        return fail(err, ERR_INVALID_ARG, "Chardev '%s' is busy", id);
    chardev_remove(c);
    return 0;
}

static int send_break(struct call *call, struct error *err)
{
    const char *id = json_get_text(call->arguments, "id");
    return chardev_find(call->vm, id) ? 0 : fail(err, ERR_INVALID_ARG, "Chardev '%s' not found", id);
}

/* ---- ringbuf ---- */

static struct chardev *find_ring(struct call *call, struct error *err)
{
    const char *id = json_get_text(call->arguments, "device");
    struct chardev *c = chardev_find(call->vm, id);
    if (!c)
        return fail(err, ERR_INVALID_ARG, "Device '%s' not found", id), NULL;
    if (!chardev_is_ring(c))
        return fail(err, ERR_INVALID_ARG, "%s is not a ringbuf device", id), NULL;
    return c;
}

static int read_format(const struct call *call, bool *ret_base64, struct error *err)
{
    const char *format = json_get_text(call->arguments, "format");
    *ret_base64 = text_equal(format, "base64");
    return !format || *ret_base64 || text_equal(format, "utf8")
               ? 0
               : fail(err, ERR_INVALID_ARG, "Parameter 'format' does not accept value '%s'", format);
}

static int ring_write(struct call *call, struct error *err)
{
    struct chardev *c = find_ring(call, err);
    const struct json *data = json_get(call->arguments, "data");
    bool base64;
    if (!c || read_format(call, &base64, err) < 0)
        return -1;
    const char *bytes = data->text;
    size_t length = data->length;
    if (base64 && agent_decode(call->arena, data->text, &bytes, &length, err) < 0)
        return -1;
    chardev_write(c, bytes, length);
    return 0;
}

static int ring_read(struct call *call, struct error *err)
{
    struct chardev *c = find_ring(call, err);
    int64_t size = 0;
    bool base64;
    if (!c || read_format(call, &base64, err) < 0)
        return -1;
    if (!json_to_i64(json_get(call->arguments, "size"), &size) || size <= 0)
        return fail(err, ERR_INVALID_ARG, "size must be greater than zero");
    owned_buffer struct buffer bytes = { 0 };
    chardev_ring_read(c, (size_t) size, &bytes);
    struct json *encoded = value_object(call->arena);
    agent_set_encoded(call->arena, encoded, "bytes", buffer_text(&bytes), bytes.length);
    call_return(call, base64 ? json_get(encoded, "bytes")
                             : value_bytes(call->arena, buffer_text(&bytes), bytes.length));
    return 0;
}

static const struct argument backend_args[] = { { "id", ARG_TEXT, false },
                                                { "backend", ARG_OBJECT, false },
                                                { NULL, 0, false } };
static const struct argument id_args[] = { { "id", ARG_TEXT, false }, { NULL, 0, false } };
static const struct argument write_args[] = { { "device", ARG_TEXT, false },
                                              { "data", ARG_TEXT, false },
                                              { "format", ARG_TEXT, true },
                                              { NULL, 0, false } };
static const struct argument read_args[] = { { "device", ARG_TEXT, false },
                                             { "size", ARG_NUMBER, false },
                                             { "format", ARG_TEXT, true },
                                             { NULL, 0, false } };

const struct command chardev_commands[] = {
    { "chardev-add", ALWAYS, add, backend_args },
    { "chardev-change", ALWAYS, change, backend_args },
    { "chardev-remove", ALWAYS, removes, id_args },
    { "chardev-send-break", ALWAYS, send_break, id_args },
    { "ringbuf-write", ALWAYS, ring_write, write_args },
    { "ringbuf-read", ALWAYS, ring_read, read_args },
    { NULL, ALWAYS, NULL, NULL },
};
