/* SPDX-License-Identifier: Apache-2.0 */
/* Queries about what this emulator can do: commands, schema, machines, types and their properties. */
#include <string.h>

#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/input.h"
#include "simvmm/value.h"

static const struct json *harvested(struct call *call, const char *name, struct error *err)
{
    const char *text = data_reply(call->vm->data, name);
    if (!text)
        return fail(err, ERR_NO_SUPPORT, "%s of QEMU %s was not harvested", name, call->vm->version), NULL;
    return input_parse(text, false, call->arena, err);
}

static bool has_name(const struct json *list, const char *name)
{
    for (size_t i = 0; i < list->length; i++)
        if (text_equal(json_get_text(list->items[i], "name"), name))
            return true;
    return false;
}

/* In QEMU's order, what we do not have left out, what this QEMU does not have at the end. */
static int commands(struct call *call, struct error *err)
{
    const struct json *all = harvested(call, "query-commands", err);
    if (!all)
        return -1;
    struct json *list = value_array(call->arena);
    for (size_t i = 0; i < all->length; i++)
        if (command_find(call->vm, json_get_text(all->items[i], "name")))
            value_push(call->arena, list, all->items[i]);
    for (const struct command *const *family = command_families; *family; family++)
        for (const struct command *c = *family; c->name; c++)
            if (c->when >= BULK_LIST_GET && command_exists(call->vm, c) && !has_name(list, c->name)) {
                struct json *v = value_object(call->arena);
                value_set_text(call->arena, v, "name", c->name);
                value_push(call->arena, list, v);
            }
    call_return(call, list);
    return 0;
}

static int machines(struct call *call, struct error *err)
{
    const char *text = data_reply(call->vm->data, "query-machines");
    (void) err;
    buffer_add_text(&call->out, text);
    return 0;
}

/* ---- types ---- */

static int list_types(struct call *call, struct error *err)
{
    const char *implements = json_get_text(call->arguments, "implements");
    bool abstract = false;
    json_to_bool(json_get(call->arguments, "abstract"), &abstract);
    const struct json *all = harvested(call, abstract ? "all-types" : "qom-list-types", err);
    if (!all)
        return -1;
    struct json *list = value_array(call->arena);
    for (size_t i = 0; i < all->length; i++)
        if (!implements || data_type_is(call->vm->data, json_get_text(all->items[i], "name"), implements))
            value_push(call->arena, list, all->items[i]);
    call_return(call, list);
    return 0;
}

static int list_properties(struct call *call, const char *command, struct error *err)
{
    const char *type = json_get_text(call->arguments, "typename"), *refusal;
    size_t count;
    bool devices = text_starts(command, "device");
    const char *const *rows = data_properties(call->vm->data, command, type, &count, &refusal);
    if (!data_type_exists(call->vm->data, type))
        return fail(err, ERR_DEVICE_MISSING, devices ? "Device '%s' not found" : "Class '%s' not found",
                    type);
    if (rows) {
        buffer_add_char(&call->out, '[');
        for (size_t i = 0; i < count; i++)
            buffer_printf(&call->out, "%s%s", i ? ", " : "", rows[i]);
        buffer_add_char(&call->out, ']');
        return 0;
    }
    if (refusal) {
        const struct json *error = input_parse(refusal, false, call->arena, err);
        call->error_class = json_get_text(error, "class");
        return fail(err, ERR_INVALID_ARG, "%s", json_get_text(error, "desc"));
    }
    return fail(err, ERR_INVALID_ARG, "Parameter 'typename' expects a non-abstract device type");
}

static int device_properties(struct call *call, struct error *err)
{
    return list_properties(call, "device-list-properties", err);
}

static int qom_properties(struct call *call, struct error *err)
{
    return list_properties(call, "qom-list-properties", err);
}

static const struct argument typename_args[] = { { "typename", ARG_TEXT, false }, { NULL, 0, false } };
static const struct argument types_args[] = { { "implements", ARG_TEXT, true },
                                              { "abstract", ARG_BOOL, true },
                                              { NULL, 0, false } };
static const struct argument machines_args[] = { { "compat-props", ARG_BOOL, true }, { NULL, 0, false } };

const struct command type_commands[] = {
    { "query-commands", ALWAYS, commands, NULL },
    { "query-machines", ALWAYS, machines, machines_args },
    { "qom-list-types", ALWAYS, list_types, types_args },
    { "qom-list-properties", ALWAYS, qom_properties, typename_args },
    { "device-list-properties", ALWAYS, device_properties, typename_args },
    { NULL, ALWAYS, NULL, NULL },
};
