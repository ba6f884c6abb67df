/* SPDX-License-Identifier: Apache-2.0 */
/* What a VMM reports, and what becomes of its domain.  No VMM runs: the events are handed in as the monitor
 * would. */
#include "../domain/make.h"

#include "domain/events.h"
#include "json/json.h"
#include "qemu/vmm.h"

struct scene {
    char root[64];
    struct registry *registry;
    struct domain *dom;
    struct buffer told;                 /* what listeners heard: "0:4.1 " is lifecycle, suspended, ... */
    struct event_listener *listener;
};

static void listen(void *arg, const struct domain_event *event)
{
    struct scene *s = arg;
    buffer_printf(&s->told, "%d:%d.%d ", (int) event->id, event->type, event->detail);
}

static void raise_scene(struct scene *s, enum domain_state state)
{
    memset(s, 0, sizeof *s);
    loop_init();
    s->registry = make_registry(s->root);
    s->dom = domain_ref(make_domain(s->registry, "vm", UUID_A));
    s->listener = event_listener_new(registry_events(s->registry), listen, s);
    domain_set_active(s->dom, registry_next_id(s->registry));
    domain_set_state(s->dom, state, 0);
    s->dom->vmm = vmm_new(s->dom);
    s->dom->vmm->phase = VMM_RUNNING;
    s->dom->vmm->def = domain_def_copy_live(s->dom->def);
    s->dom->job.what = "scene";         /* so that nothing is saved, or put off */
}

static void strike_scene(struct scene *s)
{
    s->dom->job.what = NULL;
    vmm_free(take(s->dom->vmm));
    domain_set_inactive(s->dom, SHUTOFF_DESTROYED);
    event_listener_free(s->listener);
    buffer_done(&s->told);
    registry_free(s->registry);
    domain_unref(s->dom);
    remove_root(s->root);
    loop_done();
}

static void report(struct scene *s, const char *name, const char *data)
{
    error_scope(err);
    owned_memory char *text =
        memory_printf("{\"event\":\"%s\"%s%s}", name, data ? ",\"data\":" : "", data ? data : "");
    struct arena *arena = arena_new();
    const struct json *event = json_parse(text, strlen(text), arena, &err);
    cr_assert_not_null(event, "%s", error_text(&err));
    vmm_monitor_handler.event(s->dom->vmm, name, event, arena);
}

static void check(const struct scene *s, enum domain_state state, int reason, const char *told)
{
    cr_assert_eq(s->dom->state, state, "the state is %s", domain_state_word(s->dom->state));
    cr_assert_eq(s->dom->reason, reason, "the reason is %d", s->dom->reason);
    cr_assert_str_eq(buffer_text(&s->told), told);
}

/* One event in one state, and what is expected. */
static const struct step {
    const char *sentence;
    enum domain_state from;
    const char *name, *data;
    enum domain_state to;
    int reason;
    const char *told;
} steps[] = {
    { "STOP pauses", DOMAIN_RUNNING, "STOP", NULL, DOMAIN_PAUSED, PAUSED_UNKNOWN, "0:3.0 " },
    { "STOP of what is paused is nothing", DOMAIN_PAUSED, "STOP", NULL, DOMAIN_PAUSED, 0, "" },
    { "STOP after a shutdown is nothing", DOMAIN_SHUTDOWN, "STOP", NULL, DOMAIN_SHUTDOWN, 0, "" },
    { "RESUME runs", DOMAIN_PAUSED, "RESUME", NULL, DOMAIN_RUNNING, RUNNING_UNPAUSED, "0:4.0 " },
    { "RESUME of what runs is nothing", DOMAIN_RUNNING, "RESUME", NULL, DOMAIN_RUNNING, 0, "" },
    { "RESET is told", DOMAIN_RUNNING, "RESET", "{\"guest\":true,\"reason\":\"guest-reset\"}", DOMAIN_RUNNING,
      0, "1:0.0 " },
    { "SHUTDOWN by the host", DOMAIN_RUNNING, "SHUTDOWN", "{\"guest\":false,\"reason\":\"host-signal\"}",
      DOMAIN_SHUTDOWN, SHUTDOWN_UNKNOWN, "0:6.2 " },
    { "SUSPEND sleeps", DOMAIN_RUNNING, "SUSPEND", NULL, DOMAIN_PMSUSPENDED, 0, "12:0.0 0:7.0 " },
    { "SUSPEND_DISK, too", DOMAIN_RUNNING, "SUSPEND_DISK", NULL, DOMAIN_PMSUSPENDED, 0, "14:0.0 0:7.1 " },
    { "WAKEUP wakes", DOMAIN_PMSUSPENDED, "WAKEUP", NULL, DOMAIN_RUNNING, RUNNING_WAKEUP, "11:0.0 0:2.4 " },
    { "WAKEUP of what is awake is told", DOMAIN_RUNNING, "WAKEUP", NULL, DOMAIN_RUNNING, 0, "11:0.0 " },
    { "a refused unplug is told", DOMAIN_RUNNING, "DEVICE_UNPLUG_GUEST_ERROR", "{\"device\":\"net0\"}",
      DOMAIN_RUNNING, 0, "22:0.0 " },
    { "an unplugged part of a device is nothing", DOMAIN_RUNNING, "DEVICE_DELETED", "{\"path\":\"/x/y\"}",
      DOMAIN_RUNNING, 0, "" },
    { "WATCHDOG is told", DOMAIN_RUNNING, "WATCHDOG", "{\"action\":\"reset\"}", DOMAIN_RUNNING, 0, "3:2.0 " },
    { "POWERDOWN is nothing", DOMAIN_RUNNING, "POWERDOWN", NULL, DOMAIN_RUNNING, 0, "" },
    { "what nobody knows is nothing", DOMAIN_RUNNING, "NOVELTY", "{\"x\":[1,{\"y\":null}]}", DOMAIN_RUNNING,
      0, "" },
    { "a SHUTDOWN without data is the host's", DOMAIN_RUNNING, "SHUTDOWN", NULL, DOMAIN_SHUTDOWN, 0,
      "0:6.2 " },
    { "a balloon size that is no number is nothing", DOMAIN_RUNNING, "BALLOON_CHANGE", "{\"actual\":\"x\"}",
      DOMAIN_RUNNING, 0, "" },
};

Test(vmm_events, change_the_state_and_are_told)
{
    for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
        struct scene s;
        raise_scene(&s, steps[i].from);
        report(&s, steps[i].name, steps[i].data);
        check(&s, steps[i].to, steps[i].reason, steps[i].told);
        strike_scene(&s);
    }
    cr_assert(true);
}

Test(vmm_events, the_first_shutdown_counts)
{
    struct scene s;
    raise_scene(&s, DOMAIN_RUNNING);
    s.dom->vmm->def->on_poweroff = ACTION_PRESERVE;
    report(&s, "SHUTDOWN", "{\"guest\":true,\"reason\":\"guest-shutdown\"}");
    report(&s, "STOP", NULL);
    report(&s, "SHUTDOWN", "{\"guest\":false,\"reason\":\"host-signal\"}");
    check(&s, DOMAIN_SHUTDOWN, 0, "0:6.1 ");
    strike_scene(&s);
}

Test(vmm_events, a_watchdog_and_a_full_disk_say_why_the_guest_stopped)
{
    struct scene s;
    raise_scene(&s, DOMAIN_RUNNING);
    report(&s, "WATCHDOG", "{\"action\":\"pause\"}");
    report(&s, "STOP", NULL);
    check(&s, DOMAIN_PAUSED, PAUSED_WATCHDOG, "3:1.0 0:3.3 ");
    strike_scene(&s);

    raise_scene(&s, DOMAIN_RUNNING);
    report(&s, "BLOCK_IO_ERROR",
           "{\"action\":\"stop\",\"operation\":\"write\",\"reason\":\"No space left\"}");
    report(&s, "STOP", NULL);
    check(&s, DOMAIN_PAUSED, PAUSED_IOERROR, "4:1.0 6:1.0 0:3.2 ");
    strike_scene(&s);
}

Test(vmm_events, a_panic_is_a_crash_that_is_preserved_if_asked_for)
{
    struct scene s;
    raise_scene(&s, DOMAIN_RUNNING);
    s.dom->vmm->def->on_crash = ACTION_PRESERVE;
    report(&s, "GUEST_PANICKED", "{\"action\":\"pause\"}");
    report(&s, "STOP", NULL);
    check(&s, DOMAIN_CRASHED, CRASHED_PANICKED, "0:8.0 ");
    strike_scene(&s);
}

Test(vmm_events, a_balloon_changes_what_the_live_xml_says)
{
    struct scene s;
    raise_scene(&s, DOMAIN_RUNNING);
    report(&s, "BALLOON_CHANGE", "{\"actual\":33554432}");
    cr_assert_eq(s.dom->runtime.balloon_kib, 32768);
    check(&s, DOMAIN_RUNNING, 0, "13:0.0 ");
    strike_scene(&s);
}

Test(vmm_events, mean_nothing_while_the_guest_starts)
{
    struct scene s;
    raise_scene(&s, DOMAIN_PAUSED);
    s.dom->vmm->phase = VMM_STARTING;
    report(&s, "RESUME", NULL);
    check(&s, DOMAIN_PAUSED, 0, "");
    strike_scene(&s);
}
