/* SPDX-License-Identifier: Apache-2.0 */
/* Options that make something: objects, character devices, disks, networks, monitors, devices, a screen. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/block.h"
#include "simvmm/block_check.h"
#include "simvmm/chardev.h"
#include "simvmm/compose.h"
#include "simvmm/device.h"
#include "simvmm/keyval.h"
#include "simvmm/message.h"
#include "simvmm/monitor.h"
#include "simvmm/netdev.h"
#include "simvmm/object.h"
#include "simvmm/option.h"
#include "simvmm/value.h"
#include "simvmm/vnc.h"

enum stage option_stage(const struct given_option *given)
{
    if (text_equal(given->option->name, "object") && object_is_early(keyval_text(given->object, "qom-type")))
        return STAGE_EARLY;
    return given->option->stage;
}

int option_object(struct vm *vm, const struct given_option *given, struct error *err)
{
    return object_create(vm, given->object, err) ? 0 : -1; /* marks what is not the option's own error */
}

int option_audiodev(struct vm *vm, const struct given_option *given, struct error *err)
{
    static const char *const drivers[] = { "none",     "alsa", "dbus",  "jack",  "oss", "pa",
                                           "pipewire", "sdl",  "sndio", "spice", "wav" };
    const char *driver = keyval_text(given->object, "driver"), *id = keyval_text(given->object, "id");
    if (!id)
        return fail(err, ERR_INVALID_ARG, "Parameter 'id' is missing");
    for (size_t i = 0; i < ARRAY_COUNT(drivers); i++)
        if (text_equal(drivers[i], driver)) {
            const struct part *part = data_part(vm->data, "audiodev", "none");
            struct placing place = { .parent = qom_at(vm->tree, "/audiodevs"),
                                     .name = arena_copy(vm->arena, id) };
            vector_push(&vm->audiodevs, place.name);
            if (part && place.parent)
                compose_part(vm, part, &place);
            return 0;
        }
    return fail(err, ERR_INVALID_ARG, "Parameter 'driver' does not accept value '%s'", driver ? driver : "");
}

int option_chardev(struct vm *vm, const struct given_option *given, struct error *err)
{
    const char *id = keyval_text(given->object, "id");
    if (id && !device_is_good_id(id))
        return fail(err, ERR_INVALID_ARG, DEVICE_BAD_ID);
    if (option_check_keys(vm, given, "chardev", err) < 0)
        return -1;
    return chardev_create(vm, given->object, err) ? 0 : -1;
}

int option_blockdev(struct vm *vm, const struct given_option *given, struct error *err)
{
    if (block_check(given->object, given->is_json, err) < 0)
        return -1;
    if (!json_get(given->object, "node-name"))
        return fail(err, ERR_INVALID_ARG, "'node-name' must be specified for the root node");
    struct block_node *b = block_create(vm, given->object, err);
    if (!b)
        return -1;
    b->named = true;
    return 0;
}

static void warn_of_probing(const char *file)
{
    fprintf(
        stderr,
        "WARNING: Image format was not specified for '%s' and probing guessed raw.\n"
        "         Automatically detecting the format is dangerous for raw images, write operations on "
            "block 0 will be restricted.\n"
        "         Specify the 'raw' format explicitly to remove the restrictions.\n",
        file);
}

int option_drive(struct vm *vm, const struct given_option *given, struct error *err)
{
    const char *file = keyval_text(given->object, "file"), *format = keyval_text(given->object, "format");
    if (block_create_drive(vm, given->object, err) < 0)
        return -1;
    if (file && !format)
        warn_of_probing(file);
    for (size_t i = 0; i < given->object->length; i++) {
        const char *key = given->object->members[i].key;
        if (!option_group_has(vm, "drive", key) && !strchr(key, '.') && !text_equal(key, "cache") &&
            !text_equal(key, "id") && !text_equal(key, "readonly"))
            return fail(err, ERR_INVALID_ARG, "Block format '%s' does not support the option '%s'",
                        format ? format : "raw", key);
    }
    return 0;
}

int option_netdev(struct vm *vm, const struct given_option *given, struct error *err)
{
    return netdev_create(vm, given->object, err);
}

/* Since 11.1 a monitor is an object, whichever option asked for it. */
static int add_monitor(struct vm *vm, const char *id, const char *chardev, struct error *err)
{
    if (!chardev_find(vm, chardev))
        return fail(err, ERR_INVALID_ARG, "chardev \"%s\" not found", chardev);
    if (vm_is(vm, 11)) {
        const struct json type = { .type = JSON_STRING, .text = "monitor-qmp", .length = 11 };
        const struct json name = { .type = JSON_STRING, .text = id, .length = strlen(id) };
        const struct json end = { .type = JSON_STRING, .text = chardev, .length = strlen(chardev) };
        const struct json_member members[] = { { "qom-type", &type }, { "id", &name }, { "chardev", &end } };
        const struct json object = { .type = JSON_OBJECT, .members = members, .length = 3 };
        return object_create(vm, &object, err) ? 0 : -1;
    }
    monitor_attach(vm, chardev_find(vm, chardev));
    return 0;
}

/* The name of a monitor that was given none. */
static const char *compatible_id(struct vm *vm)
{
    const char *id = NULL;
    for (unsigned i = 0; !id || qom_child(qom_at(vm->tree, "/objects"), id); i++)
        id = arena_printf(vm->arena, "compat_monitor%u", i);
    return id;
}

int option_mon(struct vm *vm, const struct given_option *given, struct error *err)
{
    const char *mode = keyval_text(given->object, "mode"), *chardev = keyval_text(given->object, "chardev");
    if (vm_is(vm, 11))
        message_print(
            vm,
            "-mon %s: warning: '-mon' is deprecated, use '-object' with 'monitor-hmp' or 'monitor-qmp' "
                      "types instead",
            given->text);
    if (mode && !text_equal(mode, "control") && !text_equal(mode, "readline"))
        return fail(err, ERR_INVALID_ARG, "Parameter 'mode' does not accept value '%s'", mode);
    if (!chardev || !chardev_find(vm, chardev))
        return fail(err, ERR_INVALID_ARG, "chardev \"%s\" not found", chardev ? chardev : "");
    if (!text_equal(mode, "control"))
        return fail(err, ERR_NO_SUPPORT,
                    "a human monitor is not simulated; human-monitor-command answers some commands");
    const char *id = keyval_text(given->object, "id");
    return add_monitor(vm, id ? id : compatible_id(vm), chardev, err);
}

/* -qmp unix:PATH,server=on,wait=off: a chardev and a monitor in one. */
int option_qmp(struct vm *vm, const struct given_option *given, struct error *err)
{
    const char *text = given->text;
    owned_buffer struct buffer spec = { 0 };
    if (text_equal(text, "none"))
        return 0;
    if (text_starts(text, "unix:"))
        buffer_printf(&spec, "socket,path=%s", text + 5);
    else if (text_starts(text, "tcp:") && strchr(text + 4, ':'))
        buffer_printf(&spec, "socket,host=%.*s,port=%s", (int) (strrchr(text, ':') - text - 4), text + 4,
                      strrchr(text, ':') + 1);
    else if (text_equal(text, "stdio"))
        buffer_add_text(&spec, "stdio");
    else
        return fail(err, ERR_INVALID_ARG, "'%s' is not a valid char driver\n%s: -qmp %s: parse error: %s",
                    text, vm->program, text, text);
    const char *id = compatible_id(vm);
    buffer_printf(&spec, ",id=%s", id);
    const struct json *object =
        keyval_parse(vm->arena, buffer_text(&spec), "backend", KEYVAL_FLAT, vm_is(vm, 11), NULL, err);
    if (!object || !chardev_create(vm, object, err))
        return -1;
    return add_monitor(vm, id, id, err);
}

int option_device(struct vm *vm, const struct given_option *given, struct error *err)
{
    return device_create(vm, given->object, given->is_json ? DEVICE_STRICT : 0, err) ? 0 : -1;
}

int option_vnc(struct vm *vm, const struct given_option *given, struct error *err)
{
    return vnc_listen(vm, given->object, err);
}
