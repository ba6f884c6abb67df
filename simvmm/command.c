/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/command.h"

#include "base/text.h"
#include "simvmm/value.h"

const struct command *const command_families[] = {
    node_commands, job_commands, copy_commands, create_commands, snapshot_commands,
    transaction_commands, bitmap_commands, medium_commands, latency_commands, throttle_commands,
    state_commands, export_commands,
    qom_commands, run_commands, query_commands, type_commands, block_commands, migrate_commands, pci_commands,
    plug_commands, screen_commands, input_commands, fixed_commands, fd_commands,
    migrate_setting_commands, incoming_commands, dump_commands, stats_commands, chardev_commands,
    NULL,
};

bool command_exists(const struct vm *vm, const struct command *command)
{
    switch (command->when) {
    case ALWAYS:
        return true;
    case ONLY_MODERN:
        return vm_is(vm, 11);
    case ONLY_OLD:
        return !vm_is(vm, 11);
    case BULK_LIST_GET:
        return vm->bulk & BULK_GET;
    case BULK_LIST_GETV:
        return vm->bulk & BULK_GETV;
    case BULK_TREE_GET:
        return vm->bulk & BULK_TREE;
    }
    return false;
}

const struct command *command_find(const struct vm *vm, const char *name)
{
    for (const struct command *const *family = command_families; *family; family++)
        for (const struct command *c = *family; c->name; c++)
            if (text_equal(c->name, name) && command_exists(vm, c))
                return c;
    return NULL;
}

static const char *const type_words[] = {
    [ARG_TEXT] = "string",   [ARG_NUMBER] = "integer", [ARG_BOOL] = "boolean",
    [ARG_OBJECT] = "object", [ARG_ARRAY] = "array",    [ARG_TEXTS] = "array",
};

static bool fits(const struct json *value, enum argument_type type)
{
    switch (type) {
    case ARG_TEXT:
        return value->type == JSON_STRING;
    case ARG_NUMBER:
        return value->type == JSON_NUMBER;
    case ARG_BOOL:
        return value->type == JSON_BOOL;
    case ARG_OBJECT:
        return value->type == JSON_OBJECT;
    case ARG_ARRAY:
    case ARG_TEXTS:
        return value->type == JSON_ARRAY;
    default:
        return true;
    }
}

static const char *prefix_of(const struct call *call)
{
    return call->prefix ? call->prefix : "";
}

static int check_one(const struct call *call, const struct argument *a, struct error *err)
{
    const struct json *value = json_get(call->arguments, a->name);
    if (!value)
        return a->optional ? 0
                           : fail(err, ERR_INVALID_ARG, "Parameter '%s%s' is missing", prefix_of(call),
                                  a->name);
    if (!fits(value, a->type))
        return fail(err, ERR_INVALID_ARG, "Invalid parameter type for '%s%s', expected: %s", prefix_of(call),
                    a->name, type_words[a->type]);
    for (size_t i = 0; a->type == ARG_TEXTS && i < value->length; i++)
        if (value->items[i]->type != JSON_STRING)
            return fail(err, ERR_INVALID_ARG, "Invalid parameter type for '%s[%zu]', expected: string",
                        a->name, i);
    return 0;
}

static int check_arguments(const struct command *command, const struct call *call, struct error *err)
{
    static const struct argument none[] = { { NULL, 0, false } };
    const struct argument *arguments = command->arguments ? command->arguments : none;
    const struct argument *a = arguments;
    for (; a->name; a++) {
        if (a->type == ARG_REST)        /* the command checks the others itself */
            return 0;
        if (check_one(call, a, err) < 0)
            return -1;
    }
    for (size_t i = 0; call->arguments && i < call->arguments->length; i++) {
        for (a = arguments; a->name && !text_equal(a->name, call->arguments->members[i].key); a++)
            continue;
        if (!a->name)
            return fail(err, ERR_INVALID_ARG, "Parameter '%s%s' is unexpected", prefix_of(call),
                        call->arguments->members[i].key);
    }
    return 0;
}

int command_run(const struct command *command, struct call *call, struct error *err)
{
    if (check_arguments(command, call, err) < 0)
        return -1;
    call->command = command;
    return command->run(call, err);
}

void call_return(struct call *call, const struct json *value)
{
    value_print(&call->out, value);
}
