/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/event.h"

#include <assert.h>
#include <stdlib.h>

#include "base/text.h"
#include "simvmm/clock.h"
#include "simvmm/faults.h"
#include "simvmm/monitor.h"
#include "simvmm/value.h"

enum { LIMIT_MS = 1000, FLOOD_STEP_MS = 1, LATE_MAX = 1000 };

/* What came within a second of the last of its kind; `line` NULL: nothing. */
struct limit { struct events *events; char *key; struct buffer line; struct alarm *alarm; };

/* An event that a fault delays. */
struct late { struct events *events; struct buffer line; struct alarm *alarm; };

struct flood { uint64_t left, steps; char *name, *data; struct alarm *alarm; };

struct events {
    struct vm *vm;
    VECTOR(struct limit *) limits;
    VECTOR(struct late *) late;
    struct flood flood;
};

static const char *const known_events[] = {
    "BLOCK_EXPORT_DELETED", "BLOCK_JOB_CANCELLED", "BLOCK_JOB_COMPLETED", "BLOCK_JOB_ERROR",
    "BLOCK_JOB_PENDING", "BLOCK_JOB_READY", "DEVICE_TRAY_MOVED", "JOB_STATUS_CHANGE",
    "ACPI_DEVICE_OST", "BALLOON_CHANGE", "BLOCK_IO_ERROR", "DEVICE_DELETED", "DEVICE_UNPLUG_GUEST_ERROR",
    "DUMP_COMPLETED", "GUEST_CRASHLOADED", "GUEST_PANICKED", "GUEST_PVSHUTDOWN", "MEMORY_FAILURE",
    "MIGRATION", "MIGRATION_PASS", "NIC_RX_FILTER_CHANGED", "POWERDOWN", "RESET", "RESUME", "RTC_CHANGE",
    "SHUTDOWN", "STOP", "SUSPEND", "SUSPEND_DISK", "VNC_CONNECTED", "VNC_DISCONNECTED", "VNC_INITIALIZED",
    "VSERPORT_CHANGE", "WAKEUP", "WATCHDOG",
};

/* Kinds with a limit, the member by which they are told apart, the action that has none. */
static const struct { const char *name, *member, *not_action; } limited[] = {
    { "RTC_CHANGE", NULL, NULL },
    { "WATCHDOG", NULL, NULL },
    { "BALLOON_CHANGE", NULL, NULL },
    { "VSERPORT_CHANGE", "id", NULL },
    { "BLOCK_IO_ERROR", "qom-path", "stop" },           /* before 10.0 without a path, and without a limit */
};

struct events *events_new(struct vm *vm)
{
    struct events *e = NEW(struct events);
    e->vm = vm;
    return e;
}

static void limit_free(struct limit *l)
{
    alarm_free(l->alarm);
    buffer_done(&l->line);
    free(l->key);
    free(l);
}

static void late_free(struct late *l)
{
    alarm_free(l->alarm);
    buffer_done(&l->line);
    free(l);
}

static void flood_end(struct flood *f)
{
    alarm_free(f->alarm);
    free(f->name);
    free(f->data);
    *f = (struct flood) { 0 };
}

void events_free(struct events *e)
{
    for (size_t i = 0; i < e->limits.count; i++)
        limit_free(e->limits.items[i]);
    for (size_t i = 0; i < e->late.count; i++)
        late_free(e->late.items[i]);
    flood_end(&e->flood);
    vector_done(&e->limits);
    vector_done(&e->late);
    free(e);
}

bool event_is_known(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(known_events); i++)
        if (text_equal(known_events[i], name))
            return true;
    return false;
}

static void add_line(const struct vm *vm, const char *name, const char *data, struct buffer *line)
{
    uint64_t now = clock_wall(vm->clock);
    buffer_printf(line, "{\"timestamp\": {\"seconds\": %llu, \"microseconds\": %llu}, \"event\": \"%s\"",
                  (unsigned long long) now / 1000000, (unsigned long long) now % 1000000, name);
    if (data)
        buffer_printf(line, ", \"data\": %s", data);
    buffer_add_text(line, "}\r\n");
}

static void send(struct vm *vm, struct buffer *line, const struct fault *fault)
{
    for (size_t i = 0; i < vm->monitors.count; i++)
        if (monitor_is_negotiated(vm->monitors.items[i]))
            monitor_say(vm->monitors.items[i], line, fault);
}

static const struct fault no_fault = { FAULT_NONE, 0, NULL };

/* ---- late ---- */

static void late_comes(void *arg)
{
    struct late *l = arg;
    struct events *e = l->events;
    for (size_t i = 0; i < e->late.count; i++)
        if (e->late.items[i] == l) {
            vector_remove(&e->late, i);
            break;
        }
    send(e->vm, &l->line, &no_fault);
    late_free(l);
}

static void send_late(struct events *e, struct buffer *line, unsigned long ms)
{
    if (e->late.count == LATE_MAX)
        return;
    struct late *l = NEW(struct late);
    *l = (struct late) { .events = e };
    buffer_add(&l->line, line->data, line->length);
    l->alarm = alarm_new(e->vm->clock, ms, late_comes, l);
    vector_push(&e->late, l);
}

static void send_faulty(struct vm *vm, const char *name, struct buffer *line)
{
    struct fault fault = faults_next(vm->faults, name);
    if (fault.action == FAULT_DELAY)
        send_late(vm->events, line, fault.number);
    else
        send(vm, line, &fault);
}

/* ---- not too often ---- */

static void second_is_over(void *arg)
{
    struct limit *l = arg;
    struct events *e = l->events;
    alarm_free(l->alarm);
    l->alarm = NULL;
    if (l->line.length) {
        owned_buffer struct buffer line = l->line;
        l->line = (struct buffer) { 0 };
        l->alarm = alarm_new(e->vm->clock, LIMIT_MS, second_is_over, l);
        send(e->vm, &line, &no_fault);
        return;
    }
    for (size_t i = 0; i < e->limits.count; i++)
        if (e->limits.items[i] == l) {
            vector_remove(&e->limits, i);
            break;
        }
    limit_free(l);
}

/* NULL: of a kind without a limit. */
static char *limit_key(const char *name, const struct json *data)
{
    for (size_t i = 0; i < ARRAY_COUNT(limited); i++)
        if (text_equal(limited[i].name, name)) {
            const char *member = limited[i].member ? json_get_text(data, limited[i].member) : "";
            const char *action = limited[i].not_action ? json_get_text(data, "action") : NULL;
            bool free = !member || (action && text_equal(action, limited[i].not_action));
            return free ? NULL : memory_printf("%s %s", name, member);
        }
    return NULL;
}

/* Whether it has to wait; the line is then kept. */
static bool has_to_wait(struct events *e, const char *key, const struct buffer *line)
{
    for (size_t i = 0; i < e->limits.count; i++) {
        struct limit *l = e->limits.items[i];
        if (!text_equal(l->key, key))
            continue;
        buffer_drop(&l->line, l->line.length);
        buffer_add(&l->line, line->data, line->length);
        return true;
    }
    struct limit *l = NEW(struct limit);
    *l = (struct limit) { .events = e, .key = memory_copy_text(key) };
    l->alarm = alarm_new(e->vm->clock, LIMIT_MS, second_is_over, l);
    vector_push(&e->limits, l);
    return false;
}

void event_emit(struct vm *vm, const char *name, const struct json *data)
{
    assert(event_is_known(name));
    owned_buffer struct buffer line = { 0 }, text = { 0 };
    if (data)
        value_print(&text, data);
    add_line(vm, name, data ? buffer_text(&text) : NULL, &line);
    owned_memory char *key = limit_key(name, data);
    if (!key || !has_to_wait(vm->events, key, &line))
        send_faulty(vm, name, &line);
}

void event_emit_raw(struct vm *vm, const char *name, const char *data_json)
{
    owned_buffer struct buffer line = { 0 };
    add_line(vm, name, data_json, &line);
    send(vm, &line, &no_fault);
}

/* ---- floods ---- */

static void flood_on(void *arg)
{
    struct events *e = arg;
    struct flood *f = &e->flood;
    alarm_free(f->alarm);
    f->alarm = NULL;
    uint64_t now = f->steps ? f->left / f->steps : f->left;
    for (uint64_t i = 0; i < now; i++)
        event_emit_raw(e->vm, f->name, f->data);
    f->left -= now;
    f->steps -= f->steps > 0;
    if (f->left)
        f->alarm = alarm_new(e->vm->clock, FLOOD_STEP_MS, flood_on, e);
    else
        flood_end(f);
}

void event_flood(struct vm *vm, uint64_t count, uint64_t ms, const char *name, const char *data_json)
{
    struct flood *f = &vm->events->flood;
    flood_end(f);
    if (!count)
        return;
    *f = (struct flood) { .left = count, .steps = ms / FLOOD_STEP_MS, .name = memory_copy_text(name),
                          .data = memory_copy_text(data_json) };
    f->alarm = alarm_new(vm->clock, 0, flood_on, vm->events);
}
