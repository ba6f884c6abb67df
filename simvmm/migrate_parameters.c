/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/migrate_parameters.h"

#include <string.h>

#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/monitor.h"
#include "simvmm/value.h"

/* ---- capabilities ---- */

static const struct json *defaults(struct call *call, struct error *err)
{
    const char *text = data_reply(call->vm->data, "query-migrate-capabilities");
    return json_parse(text, strlen(text), call->arena, err);
}

bool migrate_capability(const struct vm *vm, const char *name)
{
    for (size_t i = 0; i < vm->migrate_capabilities.count; i++)
        if (text_equal(vm->migrate_capabilities.items[i], name))
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
        value_set_bool(call->arena, v, "state", migrate_capability(call->vm, name));
        value_push(call->arena, list, v);
    }
    call_return(call, list);
    return 0;
}

static int check_capability(struct call *call, const struct json *wanted, size_t index, struct error *err)
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

static void set_capability(struct vm *vm, const char *name, bool on)
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
        if (check_capability(call, wanted->items[i], i, err) < 0)
            return -1;
    for (size_t i = 0; i < wanted->length; i++)
        set_capability(call->vm, json_get_text(wanted->items[i], "capability"),
                       json_get(wanted->items[i], "state")->boolean);
    return 0;
}

void migrate_emit_status(struct vm *vm, const char *status)
{
    if (!migrate_capability(vm, "events"))
        return;
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set_text(a, data, "status", status);
    event_emit(vm, "MIGRATION", data);
}

void migrate_emit_pass(struct vm *vm, uint64_t pass)
{
    if (!migrate_capability(vm, "events"))
        return;
    owned(arena) struct arena *a = arena_new();
    struct json *data = value_object(a);
    value_set_number(a, data, "pass", (long long) pass);
    event_emit(vm, "MIGRATION_PASS", data);
}

/* ---- parameters ---- */

static struct json *parameters(struct vm *vm)
{
    if (!vm->migrate_parameters) {
        error_scope(ignored);
        const char *text = data_reply(vm->data, "query-migrate-parameters");
        const struct json *all = json_parse(text, strlen(text), vm->arena, &ignored);
        vm->migrate_parameters = value_object(vm->arena);
        for (size_t i = all->length; i-- > 0;) /* those in one bucket come in reverse */
            value_set(vm->arena, vm->migrate_parameters, all->members[i].key, all->members[i].value);
    }
    return vm->migrate_parameters;
}

uint64_t migrate_parameter(const struct vm *vm, const char *name)
{
    uint64_t value = 0;
    (void) json_to_u64(json_get(parameters((struct vm *) vm), name), &value);
    return value;
}

static int query_parameters(struct call *call, struct error *err)
{
    (void) err;
    call_return(call, parameters(call->vm));
    return 0;
}

/* QEMU's bounds, and how it words them. */
static const struct {
    const char *name;
    uint64_t least, most;
    const char *text;
} bounds[] = {
    { "cpu-throttle-initial", 1, 99, "an integer in the range of 1 to 99" },
    { "cpu-throttle-increment", 1, 99, "an integer in the range of 1 to 99" },
    { "throttle-trigger-threshold", 1, 100, "an integer in the range of 1 to 100" },
    { "max-cpu-throttle", 20, 99, "an integer in the range of cpu_throttle_initial to 99" },
    { "downtime-limit", 0, 2000000, "an integer in the range of 0 to (2000 * 1000) ms" },
    { "multifd-channels", 1, 255, "a value between 1 and 255" },
    { "multifd-zlib-level", 0, 9, "a value between 0 and 9" },
    { "multifd-zstd-level", 0, 20, "a value between 0 and 20" },
    { "announce-initial", 0, 100000, "a value between 0 and 100000" },
    { "announce-max", 0, 100000, "a value between 0 and 100000" },
    { "announce-rounds", 0, 1000, "a value between 0 and 1000" },
    { "announce-step", 0, 10000, "a value between 0 and 10000" },
};

static int refuse(const struct vm *vm, const char *name, const char *text, struct error *err)
{
    if (vm_is(vm, 11))
        return fail(err, ERR_INVALID_ARG, "Option %s expects %s", name, text);
    owned_memory char *underscores = memory_copy_text(name);
    for (char *c = underscores; *c; c++)
        if (*c == '-')
            *c = '_';
    return fail(err, ERR_INVALID_ARG, "Parameter '%s' expects %s", underscores, text);
}

static int check_parameter(const struct vm *vm, const struct json_member *m, const struct json *now,
                           struct error *err)
{
    static const char *const words[] = { "null", "boolean", "integer", "string", "array", "object" };
    bool text = now && now->type == JSON_STRING && m->value->type == JSON_NULL;
    if (!now)
        return fail(err, ERR_INVALID_ARG, "Parameter '%s' is unexpected", m->key);
    if (now->type != m->value->type && !text)
        return fail(err, ERR_INVALID_ARG, "Invalid parameter type for '%s', expected: %s", m->key,
                    words[now->type]);
    uint64_t number = 0;
    for (size_t i = 0; i < ARRAY_COUNT(bounds); i++)
        if (text_equal(bounds[i].name, m->key) &&
            (!json_to_u64(m->value, &number) || number < bounds[i].least || number > bounds[i].most))
            return refuse(vm, m->key, bounds[i].text, err);
    if (text_equal(m->key, "xbzrle-cache-size") && json_to_u64(m->value, &number) &&
        (number < 4096 || (number & (number - 1))))
        return refuse(vm, m->key, "a power of two no less than the target page size", err);
    return 0;
}

static int set_parameters(struct call *call, struct error *err)
{
    struct vm *vm = call->vm;
    struct json *now = parameters(vm);
    for (size_t i = 0; call->arguments && i < call->arguments->length; i++)
        if (check_parameter(vm, &call->arguments->members[i], json_get(now, call->arguments->members[i].key),
                            err) < 0)
            return -1;
    for (size_t i = 0; call->arguments && i < call->arguments->length; i++)
        for (size_t k = 0; k < now->length; k++)
            if (text_equal(now->members[k].key, call->arguments->members[i].key))
                ((struct json_member *) now->members)[k].value =
                    value_copy(vm->arena, call->arguments->members[i].value);
    return 0;
}

static const struct argument capabilities_args[] = { { "capabilities", ARG_ARRAY, false },
                                                     { NULL, 0, false } };
static const struct argument checked_here[] = { { "", ARG_REST, false } };

const struct command migrate_setting_commands[] = {
    { "query-migrate-capabilities", ALWAYS, query_capabilities, NULL },
    { "migrate-set-capabilities", ALWAYS, set_capabilities, capabilities_args },
    { "query-migrate-parameters", ALWAYS, query_parameters, NULL },
    { "migrate-set-parameters", ALWAYS, set_parameters, checked_here },
    { NULL, ALWAYS, NULL, NULL },
};
