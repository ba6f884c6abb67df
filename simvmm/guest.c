/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/guest.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/agent.h"
#include "simvmm/chardev.h"
#include "simvmm/clock.h"
#include "simvmm/guest_stats.h"
#include "simvmm/message.h"
#include "simvmm/port.h"
#include "simvmm/run.h"
#include "simvmm/screen.h"
#include "simvmm/vnc.h"

enum { TYPED_MAX = 256 };               /* of a line that a script may wait for */

/* A thing to come: of a script, or (line NULL) something that the guest does by itself. */
struct plan { uint64_t due; const struct script_line *line; void (*run)(struct vm *vm); };

struct guest {
    struct vm *vm;
    struct guest_manner manner;
    VECTOR(struct script_line *) lines;
    VECTOR(struct plan) plans;          /* the next one first */
    struct alarm *alarm;                /* for the first plan, while the guest runs */
    uint64_t passed, since;             /* its time when it last began to run; the clock's then */
    bool running, up, ending, begun;
    unsigned resets;
    struct buffer typed;
};

static void arm(struct guest *g);

struct guest *guest_new(struct vm *vm)
{
    struct guest *g = NEW(struct guest);
    *g = (struct guest) { .vm = vm, .manner = { .power = 50, .unplug = 20, .agent = true } };
    return g;
}

void guest_free(struct guest *g)
{
    if (!g)
        return;
    alarm_free(g->alarm);
    for (size_t i = 0; i < g->lines.count; i++)
        script_line_free(g->lines.items[i]);
    vector_done(&g->lines);
    vector_done(&g->plans);
    buffer_done(&g->typed);
    free(g);
}

struct guest_manner *guest_manner(const struct vm *vm)
{
    return &vm->guest->manner;
}

bool guest_is_up(const struct vm *vm)
{
    return vm->guest->up;
}

bool guest_runs(const struct vm *vm)
{
    return vm->guest->running;
}

/* ---- its time ---- */

static uint64_t guest_time(const struct guest *g)
{
    return g->passed + (g->running ? clock_now(g->vm->clock) - g->since : 0);
}

uint64_t guest_uptime(const struct vm *vm)
{
    return guest_time(vm->guest);
}

static void plan_at(struct guest *g, uint64_t due, const struct script_line *line, void (*run)(struct vm *vm))
{
    size_t at = g->plans.count;
    while (at && g->plans.items[at - 1].due > due)
        at--;
    vector_insert(&g->plans, at, ((struct plan) { due, line, run }));
    arm(g);
}

void guest_plan(struct vm *vm, uint64_t ms, void (*run)(struct vm *vm))
{
    plan_at(vm->guest, guest_time(vm->guest) + ms, NULL, run);
}

static void run_line(struct vm *vm, const struct script_line *line)
{
    error_scope(err);
    owned_buffer struct buffer out = { 0 };
    if (script_line_run(vm, line, &out, &err) < 0)
        message_print(vm, "script, line %u: %s", line->number, error_text(&err));
}

static void on_alarm(void *arg)
{
    struct guest *g = arg;
    struct plan plan = g->plans.items[0];
    alarm_free(g->alarm);
    g->alarm = NULL;
    vector_remove(&g->plans, 0);
    if (plan.line && plan.line->when == WHEN_EVERY)
        plan_at(g, plan.due + plan.line->ms, plan.line, NULL);
    if (plan.line)
        run_line(g->vm, plan.line);
    else
        plan.run(g->vm);
    arm(g);
}

static void arm(struct guest *g)
{
    alarm_free(g->alarm);
    g->alarm = NULL;
    if (!g->running || !g->plans.count || g->vm->quitting)
        return;
    uint64_t now = guest_time(g), due = g->plans.items[0].due;
    g->alarm = alarm_new(g->vm->clock, due > now ? due - now : 0, on_alarm, g);
}

static void happens(struct guest *g, const char *happening)
{
    for (size_t i = 0; i < g->lines.count; i++)
        if (text_equal(g->lines.items[i]->happening, happening) && !g->lines.items[i]->text)
            run_line(g->vm, g->lines.items[i]);
}

/* ---- its life ---- */

static void is_up(struct vm *vm)
{
    vm->guest->up = true;
    ports_agent(vm, vm->guest->manner.agent);
    happens(vm->guest, "boot");
}

static void plan_line(struct guest *g, const struct script_line *line)
{
    if (line->when == WHEN_AT || line->when == WHEN_EVERY || (line->when == WHEN_ONCE && !g->resets))
        plan_at(g, line->ms, line, NULL);
}

static void show_begin(struct vm *vm)
{
    screen_begin(vm->screen);
    vnc_refresh(vm);
}

static void show(struct vm *vm, const char *bytes, size_t length)
{
    screen_write(vm->screen, bytes, length);
    vnc_refresh(vm);
}

static void begin(struct guest *g)
{
    struct vm *vm = g->vm;
    if (vm->agent_system)
        agent_system_reboot(vm->agent_system);
    g->passed = 0;
    g->since = clock_now(vm->clock);
    g->plans.count = 0;
    g->up = g->ending = false;
    buffer_drop(&g->typed, g->typed.length);
    plan_at(g, g->manner.boot, NULL, is_up);
    for (size_t i = 0; i < g->lines.count; i++)
        plan_line(g, g->lines.items[i]);
    guest_stats_resume(vm);
    if (vm->balloon != vm->balloon_target)
        guest_balloon_to(vm, vm->balloon_target);
}

void guest_run_changed(struct vm *vm)
{
    struct guest *g = vm->guest;
    bool running = vm->state == RUN_RUNNING;
    if (running == g->running)
        return;
    g->passed = guest_time(g);
    g->since = clock_now(vm->clock);
    g->running = running;
    ports_guest_changed(vm);
    if (running && !g->begun)
        show_begin(vm);
    if (running && !g->begun)
        begin(g);
    else if (running)
        happens(g, "resume");
    g->begun |= running;
    arm(g);
}

void guest_was_reset(struct vm *vm)
{
    struct guest *g = vm->guest;
    g->resets++;
    screen_clear(vm->screen);
    vnc_refresh(vm);
    begin(g);
    happens(g, "reset");
}

void guest_halt(struct vm *vm)
{
    vm->guest->up = false;
    vm->guest->plans.count = 0;
    ports_agent(vm, false);
    arm(vm->guest);
}

bool guest_has_room(const struct vm *vm)
{
    return vm->guest->lines.count < SCRIPT_LINES_MAX;
}

void guest_take_line(void *arg, struct script_line *line)
{
    struct vm *vm = arg;
    struct guest *g = vm->guest;
    vector_push(&g->lines, line);
    if (line->when == WHEN_NOW) {
        run_line(vm, line);
        return;
    }
    if (g->begun && (line->when == WHEN_EVERY || line->ms >= guest_time(g)))
        plan_line(g, line);
}

void guest_power_off(struct vm *vm)
{
    vm->guest->up = false;
    ports_agent(vm, false);
    run_shutdown(vm, true, "guest-shutdown");
}

void guest_press_power(struct vm *vm)
{
    struct guest *g = vm->guest;
    if (!g->up)
        return;
    happens(g, "powerbutton");
    if (g->manner.deaf_to_power || g->ending || !g->up)
        return;
    g->ending = true;
    plan_at(g, guest_time(g) + g->manner.power, NULL, guest_power_off);
}

void guest_nmi(struct vm *vm)
{
    happens(vm->guest, "nmi");
}

/* ---- its console ---- */

static void line_was_typed(struct guest *g)
{
    for (size_t i = 0; i < g->lines.count; i++) {
        const char *wanted = g->lines.items[i]->text;
        if (wanted && text_equal(wanted, buffer_text(&g->typed)))
            run_line(g->vm, g->lines.items[i]);
    }
    buffer_drop(&g->typed, g->typed.length);
}

/* It echoes what it got, byte for byte, as a terminal in raw mode and a program that copies. */
void guest_type(struct vm *vm, struct chardev *from, const char *bytes, size_t length)
{
    struct guest *g = vm->guest;
    if (!g->running)
        return;
    if (from && !g->manner.silent)
        chardev_echo(from, bytes, length);
    if (!from && !g->manner.silent)
        show(vm, bytes, length);
    for (size_t i = 0; i < length; i++)
        if (bytes[i] == '\r' || bytes[i] == '\n')
            line_was_typed(g);
        else if (g->typed.length < TYPED_MAX)
            buffer_add_char(&g->typed, bytes[i]);
}

void guest_print(struct vm *vm, const char *text)
{
    port_print(vm, text);
    show(vm, text, strlen(text));
}
