/* SPDX-License-Identifier: Apache-2.0 */
/* Migration: its capabilities can be read and set; there is none to run. */
#include <string.h>

#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/value.h"

static const struct json *defaults(struct call *call, struct error *err)
{
    const char *text = data_reply(call->vm->data, "query-migrate-capabilities");
    return json_parse(text, strlen(text), call->arena, err);
}

static bool is_set(const struct vm *vm, const char *capability)
{
    for (size_t i = 0; i < vm->migrate_capabilities.count; i++)
        if (text_equal(vm->migrate_capabilities.items[i], capability))
            return true;
    return false;
}

static int query_capabilities(struct call *call, struct error *err)
{
    const struct json *all = defaults(call, err);
    if (!all)
        return -1;
    struct json *list = value_array(call->arena);
    for (size_t i = 0; i < all->length; i++) {
        const char *name = json_get_text(all->items[i], "capability");
        struct json *v = value_object(call->arena);
        value_set_text(call->arena, v, "capability", name);
        value_set_bool(call->arena, v, "state", is_set(call->vm, name));
        value_push(call->arena, list, v);
    }
    call_return(call, list);
    return 0;
}

static int check(struct call *call, const struct json *wanted, size_t index, struct error *err)
{
    const struct json *all = defaults(call, err), *state = json_get(wanted, "state");
    const char *name = json_get_text(wanted, "capability");
    if (!name)
        return fail(err, ERR_INVALID_ARG, "Parameter 'capabilities[%zu].capability' is missing", index);
    if (!state)
        return fail(err, ERR_INVALID_ARG, "Parameter 'capabilities[%zu].state' is missing", index);
    if (state->type != JSON_BOOL)
        return fail(err, ERR_INVALID_ARG,
                    "Invalid parameter type for 'capabilities[%zu].state', expected: boolean", index);
    for (size_t i = 0; all && i < all->length; i++)
        if (text_equal(json_get_text(all->items[i], "capability"), name))
            return 0;
    return fail(err, ERR_INVALID_ARG, "Parameter 'capability' does not accept value '%s'", name);
}

static void set_one(struct vm *vm, const char *name, bool on)
{
    for (size_t i = 0; i < vm->migrate_capabilities.count; i++)
        if (text_equal(vm->migrate_capabilities.items[i], name)) {
            vector_remove(&vm->migrate_capabilities, i);
            break;
        }
    if (on)
        vector_push(&vm->migrate_capabilities, data_intern(vm->data, name));
}

static int set_capabilities(struct call *call, struct error *err)
{
    const struct json *wanted = json_get(call->arguments, "capabilities");
    for (size_t i = 0; i < wanted->length; i++)
        if (check(call, wanted->items[i], i, err) < 0)
            return -1;
    for (size_t i = 0; i < wanted->length; i++)
        set_one(call->vm, json_get_text(wanted->items[i], "capability"),
                json_get(wanted->items[i], "state")->boolean);
    return 0;
}

static int query_parameters(struct call *call, struct error *err)
{
    (void) err;
    buffer_add_text(&call->out, data_reply(call->vm->data, "query-migrate-parameters"));
    return 0;
}

static const struct argument capabilities_args[] = { { "capabilities", ARG_ARRAY, false },
                                                     { NULL, 0, false } };

const struct command migrate_commands[] = {
    { "query-migrate-capabilities", ALWAYS, query_capabilities, NULL },
    { "migrate-set-capabilities", ALWAYS, set_capabilities, capabilities_args },
    { "query-migrate-parameters", ALWAYS, query_parameters, NULL },
    { NULL, ALWAYS, NULL, NULL },
};
