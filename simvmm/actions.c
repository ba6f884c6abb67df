/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/actions.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/agent.h"
#include "simvmm/clock.h"
#include "simvmm/deliver.h"
#include "simvmm/device.h"
#include "simvmm/faults.h"
#include "simvmm/guest.h"
#include "simvmm/monitor.h"
#include "simvmm/port.h"
#include "simvmm/run.h"
#include "simvmm/trouble.h"

#define MANNER(act) guest_manner((act)->vm)

/* ---- how the guest is ---- */

static int boot(struct act *act, struct error *err)
{
    (void) err;
    MANNER(act)->boot = act_number(act, 0);
    return 0;
}

static int powerbutton(struct act *act, struct error *err)
{
    (void) err;
    MANNER(act)->deaf_to_power = text_equal(act_word(act, 0), "ignore");
    MANNER(act)->power = act_number(act, 0);
    return 0;
}

static int unplug(struct act *act, struct error *err)
{
    const char *word = act_word(act, 0);
    (void) err;
    MANNER(act)->unplug_answer = text_equal(word, "refuse")  ? UNPLUG_REFUSED
                                 : text_equal(word, "never") ? UNPLUG_IGNORED
                                                             : UNPLUG_AGREED;
    MANNER(act)->unplug = act_number(act, 0);
    return 0;
}

static int balloon_rate(struct act *act, struct error *err)
{
    (void) err;
    MANNER(act)->balloon_rate = act_number(act, 0);
    return 0;
}

static int echo(struct act *act, struct error *err)
{
    (void) err;
    MANNER(act)->silent = text_equal(act_word(act, 0), "off");
    return 0;
}

static int agent(struct act *act, struct error *err)
{
    (void) err;
    MANNER(act)->agent = text_equal(act_word(act, 0), "on");
    if (guest_is_up(act->vm))
        ports_agent(act->vm, MANNER(act)->agent);
    return 0;
}

/* ---- what it does ---- */

static int print(struct act *act, struct error *err)
{
    (void) err;
    guest_print(act->vm, act_word(act, 0));
    return 0;
}

static int port(struct act *act, struct error *err)
{
    return port_set_open(act->vm, act_word(act, 0), text_equal(act_word(act, 1), "open"), err);
}

static int balloon(struct act *act, struct error *err)
{
    if (!act->vm->balloon_device)
        return fail(err, ERR_INVALID_ARG, "there is no balloon");
    guest_balloon_is(act->vm, act_number(act, 0) << 20);
    return 0;
}

static struct agent_system *system_of(struct vm *vm)
{
    if (!vm->agent_system)
        vm->agent_system = agent_system_new();
    return vm->agent_system;
}

static int file(struct act *act, struct error *err)
{
    const char *text = act_word(act, 1);
    return agent_files_put(system_of(act->vm)->files, act_word(act, 0), text, strlen(text), err);
}

static int program(struct act *act, struct error *err)
{
    return agent_system_add_program(system_of(act->vm), act_word(act, 0), (int) (act_number(act, 1) & 255),
                                    act_word(act, 2), err);
}

/* What only a guest that has the processors can do. */
static int running(const struct act *act, struct error *err)
{
    if (act->vm->state == RUN_RUNNING)
        return 0;
    return fail(err, ERR_OPERATION_INVALID, "the guest does not run: the machine is %s",
                run_state_word(act->vm->state));
}

static int panic(struct act *act, struct error *err)
{
    if (running(act, err) < 0)
        return -1;
    run_panic(act->vm);
    return 0;
}

static int shut_down(struct act *act, struct error *err)
{
    if (running(act, err) < 0)
        return -1;
    guest_power_off(act->vm);
    return 0;
}

static int reset(struct act *act, struct error *err)
{
    if (running(act, err) < 0)
        return -1;
    run_reset(act->vm, true, "guest-reset");
    return 0;
}

static int halt(struct act *act, struct error *err)
{
    (void) err;
    guest_halt(act->vm);
    return 0;
}

static int suspend(struct act *act, struct error *err)
{
    if (running(act, err) < 0)
        return -1;
    run_suspend(act->vm, text_equal(act_word(act, 0), "disk"));
    return 0;
}

static int wake(struct act *act, struct error *err)
{
    return run_wake(act->vm, err);
}

static int watchdog(struct act *act, struct error *err)
{
    if (running(act, err) < 0)
        return -1;
    run_watchdog(act->vm);
    return 0;
}

static int internal_error(struct act *act, struct error *err)
{
    if (running(act, err) < 0)
        return -1;
    run_stop_as(act->vm, RUN_INTERNAL_ERROR);
    return 0;
}

static int crashloaded(struct act *act, struct error *err)
{
    (void) err;
    trouble_crash_loaded(act->vm);
    return 0;
}

static int pvshutdown(struct act *act, struct error *err)
{
    if (running(act, err) < 0)
        return -1;
    event_emit(act->vm, "GUEST_PVSHUTDOWN", NULL);
    guest_power_off(act->vm);
    return 0;
}

static int rtc(struct act *act, struct error *err)
{
    int64_t seconds = 0;
    const char *word = act_word(act, 0);
    text_to_i64(word + (*word == '+'), &seconds);
    return trouble_rtc(act->vm, seconds, err);
}

static int rx_filter(struct act *act, struct error *err)
{
    return trouble_rx_filter(act->vm, act_word(act, 0), err);
}

static int io_error(struct act *act, struct error *err)
{
    return trouble_io(act->vm, act_word(act, 0), act_word(act, 1), act_word(act, 2), err);
}

static int memory_failure(struct act *act, struct error *err)
{
    (void) err;
    trouble_memory(act->vm, act_word(act, 0), act_word(act, 1));
    return 0;
}

/* ---- what the VMM does wrong ---- */

static int is_event_name(const char *name, struct error *err)
{
    if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(name))
        return 0;
    return fail(err, ERR_INVALID_ARG, "'%s' is no name of an event", name);
}

static int is_json(const char *text, struct error *err)
{
    owned(arena) struct arena *a = arena_new();
    if (!text || json_parse(text, strlen(text), a, err))
        return 0;
    return fail_in(err, "the event's data");
}

static int event(struct act *act, struct error *err)
{
    if (is_event_name(act_word(act, 0), err) < 0 || is_json(act_word(act, 1), err) < 0)
        return -1;
    event_emit_raw(act->vm, act_word(act, 0), act_word(act, 1));
    return 0;
}

static int flood(struct act *act, struct error *err)
{
    const char *name = act_word(act, 2), *data = act_word(act, 3);
    if (!name) {
        name = "BALLOON_CHANGE";
        data = "{\"actual\": 134217728}";
    }
    if (is_event_name(name, err) < 0 || is_json(data, err) < 0)
        return -1;
    event_flood(act->vm, act_number(act, 0), act_number(act, 1), name, data);
    return 0;
}

static int say(struct act *act, struct error *err)
{
    (void) err;
    fprintf(stderr, "%s\n", act_word(act, 0));
    return 0;
}

static int fault(struct act *act, struct error *err)
{
    return faults_add_text(act->vm->faults, act_word(act, 0), err);
}

static int list_faults(struct act *act, struct error *err)
{
    (void) err;
    faults_list(act->vm->faults, act->out);
    return 0;
}

static int clear(struct act *act, struct error *err)
{
    return faults_clear(act->vm->faults, (unsigned long) act_number(act, 0), err);
}

/* At once, as if a fault of that kind had met the next line. */
static int at_once(struct act *act, enum fault_action action, const char *text)
{
    struct fault fault = { action, (unsigned long) act_number(act, 0), text };
    owned_buffer struct buffer line = { 0 };
    deliver(act->vm, NULL, &line, &fault);
    return 0;
}

static int leave(struct act *act, struct error *err)
{
    (void) err;
    return at_once(act, FAULT_EXIT, act_word(act, 1));
}

static int crash(struct act *act, struct error *err)
{
    (void) err;
    return at_once(act, FAULT_CRASH, NULL);
}

static int hang(struct act *act, struct error *err)
{
    (void) err;
    for (size_t i = 0; i < act->vm->monitors.count; i++)
        monitor_say(act->vm->monitors.items[i], act->out, &(struct fault) { FAULT_HANG, 0, NULL });
    return 0;
}

/* ---- the VMM ---- */

static int state(struct act *act, struct error *err)
{
    (void) err;
    buffer_printf(act->out, "state %s\nguest %s\nms %llu\n", run_state_word(act->vm->state),
                  guest_is_up(act->vm) ? "up" : "down", (unsigned long long) clock_now(act->vm->clock));
    return 0;
}

static int advance(struct act *act, struct error *err)
{
    return clock_advance(act->vm->clock, act_number(act, 0), err);
}

const struct action actions[] = {
    { "boot", "MS", boot },
    { "powerbutton", "MS|ignore", powerbutton },
    { "unplug", "MS|refuse|never", unplug },
    { "balloon-rate", "MIB", balloon_rate },
    { "echo", "on|off", echo },
    { "agent", "on|off", agent },
    { "file", "PATH TEXT", file },
    { "program", "PATH NUMBER [TEXT]", program },

    { "print", "TEXT", print },
    { "port", "CHANNEL open|close", port },
    { "balloon", "MIB", balloon },
    { "shutdown", "", shut_down },
    { "reset", "", reset },
    { "halt", "", halt },
    { "suspend", "[memory|disk]", suspend },
    { "wake", "", wake },
    { "panic", "", panic },
    { "crashloaded", "", crashloaded },
    { "pvshutdown", "", pvshutdown },
    { "watchdog", "", watchdog },
    { "internal-error", "", internal_error },
    { "rtc", "SECONDS", rtc },
    { "rx-filter", "NIC", rx_filter },
    { "io-error", "DEVICE read|write [REASON]", io_error },
    { "memory-failure", "hypervisor|guest ignore|inject|fatal|reset", memory_failure },

    { "event", "NAME [JSON]", event },
    { "flood", "COUNT MS [NAME] [JSON]", flood },
    { "say", "TEXT", say },
    { "fault", "FAULT", fault },
    { "faults", "", list_faults },
    { "clear", "[NUMBER]", clear },
    { "hang", "", hang },
    { "crash", "[NUMBER]", crash },
    { "exit", "NUMBER [TEXT]", leave },

    { "state", "", state },
    { "advance", "MS", advance },
    { NULL, NULL, NULL },
};

const struct action *action_find(const char *name)
{
    for (const struct action *a = actions; a->name; a++)
        if (text_equal(a->name, name))
            return a;
    return NULL;
}

void action_add_names(struct buffer *out)
{
    for (const struct action *a = actions; a->name; a++)
        buffer_printf(out, "%s%s", a == actions ? "" : ", ", a->name);
}

void action_add_usage(struct buffer *out)
{
    for (const struct action *a = actions; a->name; a++)
        buffer_printf(out, "  %s%s%s\n", a->name, *a->usage ? " " : "", a->usage);
}
