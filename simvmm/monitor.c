/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/monitor.h"

#include <stdlib.h>

#include "base/text.h"
#include "simvmm/chardev.h"
#include "simvmm/clock.h"
#include "simvmm/command.h"
#include "simvmm/deliver.h"
#include "simvmm/faults.h"
#include "simvmm/input.h"
#include "simvmm/replay.h"
#include "simvmm/run.h"
#include "simvmm/value.h"

struct request { struct arena *arena; const struct json *value; char *complaint; };

struct monitor {
    struct vm *vm;
    struct chardev *chardev;
    struct input *input;
    bool open, negotiated, running;
    bool oob;                           /* commands out of band were negotiated (and none of ours can be) */
    bool deaf;                          /* a fault: nothing more is said to this client */
    VECTOR(struct request) queue;
    bool greeted;
    struct alarm *delay;                /* a fault makes the greeting, or the first of the queue, wait */
};

static void run_queue(struct monitor *m);

/* ---- output ---- */

static const struct fault no_fault = { FAULT_NONE, 0, NULL };

void monitor_say(struct monitor *m, const struct buffer *line, const struct fault *fault)
{
    if (m->open && !m->deaf)
        m->deaf |= !deliver(m->vm, m->chardev, line, fault);
}

static void greet(struct monitor *m, const struct fault *fault)
{
    owned_buffer struct buffer line = { 0 };
    buffer_printf(&line, "{\"QMP\": {\"version\": %s, \"capabilities\": [\"oob\"]}}\r\n",
                  data_reply(m->vm->data, "query-version"));
    monitor_say(m, &line, fault);
}

static const char *class_of(const struct call *call, const struct error *err)
{
    if (call->error_class)
        return call->error_class;
    return err->code == ERR_NO_SUPPORT       ? "CommandNotFound"
           : err->code == ERR_DEVICE_MISSING ? "DeviceNotFound"
                                             : "GenericError";
}

static void add_error(struct buffer *line, const struct json *id, const char *class, const char *text)
{
    struct json_writer w = { .out = line, .spaced = true, .ascii = true };
    json_open(&w, '{');
    if (id) {
        json_key(&w, "id");
        value_print(line, id);
        w.comma = true;
    }
    json_key(&w, "error");
    json_open(&w, '{');
    json_key(&w, "class"), json_string(&w, class);
    json_key(&w, "desc"), json_string(&w, text);
    json_close(&w, '}');
    json_close(&w, '}');
}

static void add_return(struct buffer *line, const struct json *id, const struct buffer *out)
{
    buffer_add_text(line, "{\"return\": ");
    buffer_add_text(line, out->length ? out->data : "{}");
    if (id) {
        buffer_add_text(line, ", \"id\": ");
        value_print(line, id);
    }
    buffer_add_char(line, '}');
}

/* ---- requests ---- */

static int check_members(const struct json *request, bool oob, struct error *err)
{
    if (request->type != JSON_OBJECT)
        return fail(err, ERR_INVALID_ARG, "QMP input must be a JSON object");
    for (size_t i = 0; i < request->length; i++) {
        const char *key = request->members[i].key;
        const struct json *value = request->members[i].value;
        bool command = text_equal(key, "execute") || (oob && text_equal(key, "exec-oob"));
        if (command && value->type != JSON_STRING)
            return fail(err, ERR_INVALID_ARG, "QMP input member '%s' must be a string", key);
        if (text_equal(key, "arguments") && value->type != JSON_OBJECT)
            return fail(err, ERR_INVALID_ARG, "QMP input member '%s' must be an object", key);
        if (!command && !text_equal(key, "arguments") && !text_equal(key, "id"))
            return fail(err, ERR_INVALID_ARG, "QMP input member '%s' is unexpected", key);
    }
    if (!json_get(request, "execute") && !json_get(request, "exec-oob"))
        return fail(err, ERR_INVALID_ARG, "QMP input lacks member 'execute'");
    return 0;
}

static int execute(struct monitor *m, struct call *call, const struct json *request, struct error *err)
{
    if (check_members(request, m->oob, err) < 0)
        return -1;
    const char *name = json_get_text(request, "execute"), *oob = json_get_text(request, "exec-oob");
    const struct command *command = command_find(m->vm, name ? name : oob);
    if (!m->negotiated && !text_equal(name, "qmp_capabilities"))
        return fail(err, ERR_NO_SUPPORT, "Expecting capabilities negotiation with 'qmp_capabilities'");
    if (m->negotiated && text_equal(name, "qmp_capabilities"))
        return fail(err, ERR_NO_SUPPORT, "Capabilities negotiation is already complete, command ignored");
    if (!command)
        return fail(err, ERR_NO_SUPPORT, "The command %s has not been found", name ? name : oob);
    if (oob)
        return fail(err, ERR_INVALID_ARG, "The command %s does not support OOB", oob);
    call->arguments = json_get(request, "arguments");
    if (command_run(command, call, err) < 0) {
        if (err->code == ERR_NO_SUPPORT && !call->error_class)
            call->error_class = "GenericError";
        return -1;
    }
    return 0;
}

static void answer(struct monitor *m, struct request *request, const struct fault *fault)
{
    owned_buffer struct buffer line = { 0 };
    error_scope(err);
    struct call call = { .vm = m->vm, .monitor = m, .arena = request->arena };
    const struct json *id = request->value ? json_get(request->value, "id") : NULL;
    if (request->complaint)
        add_error(&line, NULL, "GenericError", request->complaint);
    else if (fault->action == FAULT_ERROR)
        add_error(&line, id, "GenericError",
                  fault->text ? fault->text : "simvmm was asked to fail this command");
    else if (!deliver_skips(fault) && execute(m, &call, request->value, &err) < 0)
        add_error(&line, id, class_of(&call, &err), error_text(&err));
    else
        add_return(&line, id, &call.out);
    buffer_add_text(&line, "\r\n");
    monitor_say(m, &line, fault);
    buffer_done(&call.out);
    if (m->vm->quitting)
        run_end(m->vm);
}

static void request_done(struct request *request)
{
    arena_free(request->arena);
    free(request->complaint);
}

static void after_delay(void *arg)
{
    struct monitor *m = arg;
    alarm_free(m->delay);
    m->delay = NULL;
    if (m->greeted) {
        struct request request = m->queue.items[0];
        vector_remove(&m->queue, 0);
        answer(m, &request, &no_fault);
        request_done(&request);
    } else {
        greet(m, &no_fault);
        m->greeted = true;
    }
    run_queue(m);
    if (!m->delay)
        chardev_pause(m->chardev, false);
}

/* Until then nothing is said, and no more is read. */
static void wait_first(struct monitor *m, unsigned long ms)
{
    m->delay = alarm_new(m->vm->clock, ms, after_delay, m);
    chardev_pause(m->chardev, true);
}

static void run_queue(struct monitor *m)
{
    if (m->running)
        return;
    m->running = true;
    size_t done = 0;
    for (; done < m->queue.count && m->open && !m->deaf && !m->vm->quitting; done++) {
        struct request *request = &m->queue.items[done];
        const char *name = request->value ? json_get_text(request->value, "execute") : NULL;
        struct fault fault = name ? faults_next(m->vm->faults, name) : no_fault;
        if (fault.action == FAULT_DELAY) {
            wait_first(m, fault.number);
            break;
        }
        struct request taken = *request;
        *request = (struct request) { NULL, NULL, NULL };
        answer(m, &taken, &fault);
        request_done(&taken);
    }
    if (m->deaf || !m->open)
        for (; done < m->queue.count; done++)
            request_done(&m->queue.items[done]);
    m->queue.count -= done;
    if (done && m->queue.count)
        memmove(m->queue.items, m->queue.items + done, m->queue.count * sizeof *m->queue.items);
    m->running = false;
}

/* A machine "none" is there to be asked what the VMM can do, which is no part of a recording. */
static bool is_played_back(const struct monitor *m)
{
    return m->vm->replay && !text_equal(m->vm->machine, "none");
}

static void on_value(void *arg, struct arena *arena, const struct json *value)
{
    struct monitor *m = arg;
    if (is_played_back(m)) {
        bool quits = text_equal(json_get_text(value, "execute"), "quit");
        replay_hear(m->vm->replay, m->vm, m, value);
        arena_free(arena);
        if (quits)
            run_end(m->vm);
        return;
    }
    vector_push(&m->queue, ((struct request) { arena, value, NULL }));
}

static void on_complaint(void *arg, const char *text)
{
    struct monitor *m = arg;
    vector_push(&m->queue, ((struct request) { NULL, NULL, memory_copy_text(text) }));
}

/* ---- the client ---- */

static const struct input_handler input_handler = { on_value, on_complaint };

void monitor_attach(struct vm *vm, struct chardev *chardev)
{
    struct monitor *m = NEW(struct monitor);
    m->vm = vm;
    m->chardev = chardev;
    chardev_set_monitor(chardev, m);
    vector_push(&vm->monitors, m);
}

static void forget_client(struct monitor *m)
{
    input_free(m->input);
    m->input = NULL;
    alarm_free(m->delay);
    m->delay = NULL;
    if (!m->running) {
        for (size_t i = 0; i < m->queue.count; i++)
            request_done(&m->queue.items[i]);
        m->queue.count = 0;
    }
    m->open = m->negotiated = m->oob = m->deaf = false;
}

void monitor_free(struct monitor *m)
{
    if (!m)
        return;
    forget_client(m);
    vector_done(&m->queue);
    free(m);
}

void monitor_opened(struct monitor *m)
{
    forget_client(m);
    m->open = true;
    m->input = input_new(vm_is(m->vm, 11), &input_handler, m);
    if (is_played_back(m)) {
        m->greeted = true;
        replay_begin(m->vm->replay, m->vm, m);
        return;
    }
    struct fault fault = faults_next(m->vm->faults, "greeting");
    m->greeted = fault.action != FAULT_DELAY;
    if (m->greeted)
        greet(m, &fault);
    else
        wait_first(m, fault.number);
}

void monitor_input(struct monitor *m, const char *bytes, size_t length)
{
    if (m->deaf)
        return;
    clock_stir(m->vm->clock);
    input_feed(m->input, bytes, length);
    if (!m->delay)
        run_queue(m);
}

void monitor_closed(struct monitor *m)
{
    forget_client(m);
}

struct chardev *monitor_chardev(const struct monitor *m)
{
    return m->chardev;
}

bool monitor_is_negotiated(const struct monitor *m)
{
    return m->negotiated;
}

void monitor_negotiate(struct monitor *m, bool oob)
{
    m->negotiated = true;
    m->oob = oob;
}
