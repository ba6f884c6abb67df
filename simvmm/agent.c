/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/agent.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/chardev.h"
#include "simvmm/clock.h"
#include "simvmm/deliver.h"
#include "simvmm/faults.h"
#include "simvmm/input.h"
#include "simvmm/value.h"

struct request { struct arena *arena; const struct json *value; char *complaint; };

struct agent {
    struct vm *vm;
    struct chardev *chardev;
    struct input *input;
    VECTOR(struct request) queue;
    struct alarm *delay;                /* a fault makes the first of the queue wait */
    bool deaf;
};

static void run_queue(struct agent *a);

static void request_done(struct request *request)
{
    arena_free(request->arena);
    free(request->complaint);
}

/* ---- commands ---- */

static const struct agent_command *find(const char *name)
{
    for (const struct agent_command *c = agent_commands; c->command.name; c++)
        if (text_equal(c->command.name, name))
            return c;
    return NULL;
}

static int check_members(const struct json *request, struct error *err)
{
    if (request->type != JSON_OBJECT)
        return fail(err, ERR_INVALID_ARG, "QMP input must be a JSON object");
    for (size_t i = 0; i < request->length; i++) {
        const char *key = request->members[i].key;
        if (!text_equal(key, "execute") && !text_equal(key, "arguments") && !text_equal(key, "id"))
            return fail(err, ERR_INVALID_ARG, "QMP input member '%s' is unexpected", key);
    }
    const struct json *name = json_get(request, "execute"), *arguments = json_get(request, "arguments");
    if (!name)
        return fail(err, ERR_INVALID_ARG, "QMP input lacks member 'execute'");
    if (name->type != JSON_STRING)
        return fail(err, ERR_INVALID_ARG, "QMP input member 'execute' must be a string");
    if (arguments && arguments->type != JSON_OBJECT)
        return fail(err, ERR_INVALID_ARG, "QMP input member 'arguments' must be an object");
    return 0;
}

/* *ret_silent: no reply is sent, for it went well and the guest is about to be gone. */
static int execute(struct call *call, const struct json *request, bool *ret_silent, struct error *err)
{
    if (check_members(request, err) < 0)
        return -1;
    const char *name = json_get_text(request, "execute");
    const struct agent_command *c = find(name);
    call->error_class = "CommandNotFound";
    if (!c)
        return fail(err, ERR_NO_SUPPORT, "The command %s has not been found", name);
    if (call->vm->agent_system->frozen && !c->when_frozen)
        return fail(err, ERR_OPERATION_INVALID,
                    "Command %s has been disabled: the agent is in frozen state", name);
    call->error_class = NULL;
    call->arguments = json_get(request, "arguments");
    if (command_run(&c->command, call, err) < 0)
        return -1;
    *ret_silent = c->silent;
    return 0;
}

/* ---- replies ---- */

/* `complaint` NULL: it went well. */
static void add_line(struct call *call, const struct json *id, const char *complaint, struct buffer *line)
{
    struct json *reply = value_object(call->arena);
    if (!complaint) {
        buffer_printf(line, "{\"return\": %s", call->out.length ? call->out.data : "{}");
        if (id) {
            buffer_add_text(line, ", \"id\": ");
            value_print(line, id);
        }
        buffer_add_text(line, "}\n");
        return;
    }
    struct json *error = value_object(call->arena);
    value_set_text(call->arena, error, "class", call->error_class ? call->error_class : "GenericError");
    value_set_text(call->arena, error, "desc", complaint);
    value_set(call->arena, reply, "id", id);
    value_set(call->arena, reply, "error", error);
    value_print(line, reply);
    buffer_add_char(line, '\n');
}

static void answer(struct agent *a, struct request *request, const struct fault *fault)
{
    owned_buffer struct buffer line = { 0 };
    error_scope(err);
    if (!request->arena)
        request->arena = arena_new();
    struct call call = { .vm = a->vm, .arena = request->arena };
    bool silent = false;
    if (fault->action == FAULT_ERROR)
        fail(&err, ERR_INTERNAL, "%s", fault->text ? fault->text : "simvmm was asked to fail this command");
    else if (!request->complaint && !deliver_skips(fault))
        execute(&call, request->value, &silent, &err);
    const char *complaint = err.code == ERR_NONE ? request->complaint : error_text(&err);
    if (!complaint && text_equal(json_get_text(request->value, "execute"), "guest-sync-delimited"))
        buffer_add_char(&line, '\xff');
    add_line(&call, json_get(request->value, "id"), complaint, &line);
    if (!silent)
        a->deaf |= !deliver(a->vm, a->chardev, &line, fault);
    buffer_done(&call.out);
}

/* ---- requests ---- */

static void after_delay(void *arg)
{
    struct agent *a = arg;
    struct request request = a->queue.items[0];
    alarm_free(a->delay);
    a->delay = NULL;
    vector_remove(&a->queue, 0);
    answer(a, &request, &(struct fault) { FAULT_NONE, 0, NULL });
    request_done(&request);
    run_queue(a);
}

static void run_queue(struct agent *a)
{
    while (a->queue.count && !a->delay) {
        const char *name = json_get_text(a->queue.items[0].value, "execute");
        struct fault fault = { FAULT_NONE, 0, NULL };
        if (name)
            fault = faults_next(a->vm->faults, name);
        if (fault.action == FAULT_DELAY) {
            a->delay = alarm_new(a->vm->clock, fault.number, after_delay, a);
            return;
        }
        struct request request = a->queue.items[0];
        vector_remove(&a->queue, 0);
        if (!a->deaf)
            answer(a, &request, &fault);
        request_done(&request);
    }
}

static void on_value(void *arg, struct arena *arena, const struct json *value)
{
    struct agent *a = arg;
    vector_push(&a->queue, ((struct request) { arena, value, NULL }));
}

static void on_complaint(void *arg, const char *text)
{
    struct agent *a = arg;
    vector_push(&a->queue, ((struct request) { NULL, NULL, memory_copy_text(text) }));
}

struct agent *agent_new(struct vm *vm, struct chardev *chardev)
{
    static const struct input_handler handler = { on_value, on_complaint };
    struct agent *a = NEW(struct agent);
    *a = (struct agent) { .vm = vm, .chardev = chardev };
    a->input = input_new(false, &handler, a);
    if (!vm->agent_system)
        vm->agent_system = agent_system_new();
    return a;
}

void agent_free(struct agent *a)
{
    if (!a)
        return;
    alarm_free(a->delay);
    input_free(a->input);
    for (size_t i = 0; i < a->queue.count; i++)
        request_done(&a->queue.items[i]);
    vector_done(&a->queue);
    free(a);
}

/* What ends the guest, and so the agent, is only planned by its commands. */
void agent_input(struct agent *a, const char *bytes, size_t length)
{
    clock_stir(a->vm->clock);
    input_feed(a->input, bytes, length);
    run_queue(a);
}
