/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/text.h"
#include "simvmm/command.h"
#include "simvmm/guest.h"
#include "simvmm/monitor.h"
#include "simvmm/run.h"
#include "simvmm/value.h"

static int capabilities(struct call *call, struct error *err)
{
    const struct json *enable = json_get(call->arguments, "enable");
    for (size_t i = 0; enable && i < enable->length; i++)
        if (!text_equal(json_text(enable->items[i]), "oob"))
            return fail(err, ERR_INVALID_ARG, "Parameter 'null' does not accept value '%s'",
                        json_text(enable->items[i]));
    monitor_negotiate(call->monitor, enable && enable->length);
    return 0;
}

static int stop(struct call *call, struct error *err)
{
    (void) err;
    run_stop(call->vm);
    return 0;
}

static int cont(struct call *call, struct error *err)
{
    return run_continue(call->vm, err);
}

static int powerdown(struct call *call, struct error *err)
{
    (void) err;
    run_power_button(call->vm);
    return 0;
}

static int reset(struct call *call, struct error *err)
{
    (void) err;
    run_reset(call->vm, false, "host-qmp-system-reset");
    return 0;
}

static int wakeup(struct call *call, struct error *err)
{
    return run_wake(call->vm, err);
}

static int quit(struct call *call, struct error *err)
{
    (void) err;
    run_quit(call->vm, "host-qmp-quit");
    return 0;
}

static int query_status(struct call *call, struct error *err)
{
    (void) err;
    struct json *status = value_object(call->arena);
    value_set_bool(call->arena, status, "running", call->vm->state == RUN_RUNNING);
    if (!vm_is(call->vm, 11))
        value_set_bool(call->arena, status, "singlestep", false);
    value_set_text(call->arena, status, "status", run_state_word(call->vm->state));
    call_return(call, status);
    return 0;
}

static int set_action(struct call *call, struct error *err)
{
    struct policy wanted = call->vm->policy;
    for (int i = 0; i < POLICY_EVENTS; i++) {
        const char *word = json_get_text(call->arguments, policy_event_name(i));
        if (word && policy_set(&wanted, i, word, err) < 0)
            return -1;
    }
    call->vm->policy = wanted;
    return 0;
}

static int balloon(struct call *call, struct error *err)
{
    struct vm *vm = call->vm;
    int64_t value;
    if (!vm->balloon_device) {
        call->error_class = "DeviceNotActive";
        return fail(err, ERR_OPERATION_INVALID, "No balloon device has been activated");
    }
    if (!json_to_i64(json_get(call->arguments, "value"), &value) || value <= 0)
        return fail(err, ERR_INVALID_ARG, "Parameter '%s' expects a size",
                    vm_is(vm, 11) ? "value" : "target");
    guest_balloon_to(vm, (uint64_t) value > vm->memory ? vm->memory : (uint64_t) value);
    return 0;
}

static const struct argument enable_args[] = { { "enable", ARG_TEXTS, true }, { NULL, 0, false } };
static const struct argument action_args[] = {
    { "reboot", ARG_TEXT, true }, { "shutdown", ARG_TEXT, true },
    { "panic", ARG_TEXT, true },  { "watchdog", ARG_TEXT, true },
    { NULL, 0, false },
};
static const struct argument value_args[] = { { "value", ARG_NUMBER, false }, { NULL, 0, false } };

const struct command run_commands[] = {
    { "qmp_capabilities", ALWAYS, capabilities, enable_args },
    { "query-status", ALWAYS, query_status, NULL },
    { "stop", ALWAYS, stop, NULL },
    { "cont", ALWAYS, cont, NULL },
    { "system_powerdown", ALWAYS, powerdown, NULL },
    { "system_reset", ALWAYS, reset, NULL },
    { "system_wakeup", ALWAYS, wakeup, NULL },
    { "quit", ALWAYS, quit, NULL },
    { "set-action", ALWAYS, set_action, action_args },
    { "balloon", ALWAYS, balloon, value_args },
    { NULL, ALWAYS, NULL, NULL },
};
