/* SPDX-License-Identifier: Apache-2.0 */
/* What the monitor reports, turned into the domain's state and events.  Events that we do not list change
 * nothing. */
#include "qemu/vmm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "domain/events.h"
#include "domain/mailbox.h"
#include "loop/loop.h"

/* The data of one event, while it is handled. */
static bool get_bool(const struct json *data, const char *key)
{
    bool value = false;
    json_to_bool(json_get(data, key), &value);
    return value;
}

static void on_stop(struct vmm *vmm, const struct json *data)
{
    if (vmm->rebooting)
        return;
    vmm_set_paused(vmm);
    vmm_save_later(vmm);
}

static void on_resume(struct vmm *vmm, const struct json *data)
{
    if (!vmm->rebooting)
        vmm_set_running(vmm);
}

/* Which of the definition's lifecycle actions a shutdown falls under. */
static enum lifecycle_action action_for(const struct vmm *vmm, const char *reason)
{
    if (text_equal(reason, "guest-panic"))
        return vmm->def->on_crash;
    if (vmm->reboot_asked)
        return ACTION_RESTART;
    return text_equal(reason, "guest-reset") ? vmm->def->on_reboot : vmm->def->on_poweroff;
}

/* The guest has stopped but its VMM stays (-no-shutdown), until the action is carried out. */
static void on_shutdown(struct vmm *vmm, const struct json *data)
{
    if (vmm->shut_down)
        return;
    bool guest = get_bool(data, "guest");
    enum lifecycle_action action = action_for(vmm, json_get_text(data, "reason"));
    if (guest && vmm->phase == VMM_RUNNING && (action == ACTION_RESTART || action == ACTION_RENAME_RESTART)) {
        vmm->rebooting = true;
        vmm_reset_later(vmm);
        return;
    }
    vmm->shut_down = true;
    if (vmm->domain->state != DOMAIN_CRASHED)
        domain_set_state(vmm->domain, DOMAIN_SHUTDOWN, SHUTDOWN_UNKNOWN);
    domain_emit_lifecycle(vmm->domain, EVENT_SHUTDOWN, guest ? SHUTDOWN_BY_GUEST : SHUTDOWN_BY_HOST);
    if (guest && vmm->phase == VMM_RUNNING && action != ACTION_PRESERVE)
        vmm_power_off_later(vmm);
}

static void on_reset(struct vmm *vmm, const struct json *data)
{
    const struct domain_event event = { .id = DOMAIN_EVENT_REBOOT };
    domain_emit(vmm->domain, &event);
}

static void on_panic(struct vmm *vmm, const struct json *data)
{
    domain_set_state(vmm->domain, DOMAIN_CRASHED, CRASHED_PANICKED);
    domain_emit_lifecycle(vmm->domain, EVENT_CRASHED, CRASHED_EVENT_PANICKED);
    enum lifecycle_action action = vmm->def->on_crash;
    if (vmm->phase != VMM_RUNNING || action == ACTION_PRESERVE)
        return;
    if (action == ACTION_RESTART || action == ACTION_RENAME_RESTART || action == ACTION_COREDUMP_RESTART) {
        vmm->rebooting = true;
        vmm_reset_later(vmm);
    } else {
        vmm_power_off_later(vmm);
    }
}

static void tell(struct vmm *vmm, enum domain_event_id id)
{
    const struct domain_event event = { .id = id };
    domain_emit(vmm->domain, &event);
}

static void fall_asleep(struct vmm *vmm, enum domain_event_id id, int detail)
{
    tell(vmm, id);
    if (vmm->domain->state != DOMAIN_RUNNING)
        return;
    domain_set_state(vmm->domain, DOMAIN_PMSUSPENDED, 0);
    domain_emit_lifecycle(vmm->domain, EVENT_PMSUSPENDED, detail);
}

static void on_suspend(struct vmm *vmm, const struct json *data)
{
    fall_asleep(vmm, DOMAIN_EVENT_PMSUSPEND, PMSUSPENDED_MEMORY);
}

static void on_suspend_disk(struct vmm *vmm, const struct json *data)
{
    fall_asleep(vmm, DOMAIN_EVENT_PMSUSPEND_DISK, PMSUSPENDED_DISK);
}

static void on_wakeup(struct vmm *vmm, const struct json *data)
{
    tell(vmm, DOMAIN_EVENT_PMWAKEUP);
    if (vmm->domain->state != DOMAIN_PMSUSPENDED)
        return;
    domain_set_state(vmm->domain, DOMAIN_RUNNING, RUNNING_WAKEUP);
    domain_emit_lifecycle(vmm->domain, EVENT_STARTED, STARTED_WAKEUP);
}

/* libvirt's numbers for what a watchdog does. */
static int watchdog_action(const char *word)
{
    static const char *const words[] = {
        "none", "pause", "reset", "poweroff", "shutdown", "debug", "inject-nmi"
    };
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        if (text_equal(words[i], word))
            return (int) i;
    return 0;
}

static void on_watchdog(struct vmm *vmm, const struct json *data)
{
    const char *action = json_get_text(data, "action");
    const struct domain_event event = { .id = DOMAIN_EVENT_WATCHDOG, .type = watchdog_action(action) };
    if (text_equal(action, "pause"))
        vmm->pause_reason = PAUSED_WATCHDOG;    /* a STOP follows */
    domain_emit(vmm->domain, &event);
}

/* By the path of its device in the tree, which may go on below it, or by the number in its node's name. */
static bool is_of_disk(const struct disk *disk, const char *path, const char *node)
{
    static const char folder[] = "/machine/peripheral/";
    const char *name = text_starts(path, folder) ? path + strlen(folder) : path;
    size_t length = disk->alias ? strlen(disk->alias) : 0;
    unsigned number;
    if (name && length && strncmp(name, disk->alias, length) == 0 &&
        (name[length] == '\0' || name[length] == '/'))
        return true;
    if (!node || sscanf(node, "libvirt-%u-", &number) != 1)
        return false;
    for (const struct disk *image = disk; image; image = disk_below(image))
        if (image->source_index.set && image->source_index.value == number)
            return true;
    return false;
}

static const struct disk *disk_of(const struct vmm *vmm, const struct json *data)
{
    const char *path = json_get_text(data, "qom-path"), *node = json_get_text(data, "node-name");
    for (size_t i = 0; i < vmm->def->disks.count; i++)
        if (is_of_disk(vmm->def->disks.items[i], path, node))
            return vmm->def->disks.items[i];
    return NULL;
}

/* libvirt's numbers for what is done about it. */
static int io_error_action(const char *word)
{
    return text_equal(word, "stop") ? 1 : text_equal(word, "report") ? 2 : 0;
}

static void on_io_error(struct vmm *vmm, const struct json *data)
{
    const char *action = json_get_text(data, "action"), *reason = json_get_text(data, "reason");
    const char *operation = json_get_text(data, "operation");
    const struct disk *disk = disk_of(vmm, data);
    if (text_equal(action, "stop"))
        vmm->pause_reason = PAUSED_IOERROR;     /* a STOP follows */
    log_warning("domain '%s': a disk %s failed: %s", vmm->domain->name, operation ? operation : "access",
                reason ? reason : "no reason given");
    struct domain_event event = {
        .id = DOMAIN_EVENT_IO_ERROR, .type = io_error_action(action), .alias = disk ? disk->alias : "",
        .path = disk && disk_path(disk) ? disk_path(disk) : "",
        .reason = get_bool(data, "nospace") ? "enospc" : reason ? reason : "",
    };
    domain_emit(vmm->domain, &event);
    event.id = DOMAIN_EVENT_IO_ERROR_REASON;
    domain_emit(vmm->domain, &event);
}

static void on_balloon(struct vmm *vmm, const struct json *data)
{
    uint64_t bytes;
    if (!json_to_u64(json_get(data, "actual"), &bytes))
        return;
    vmm->domain->runtime.balloon_kib = bytes / 1024;
    const struct domain_event event = { .id = DOMAIN_EVENT_BALLOON_CHANGE,
                                        .value = (int64_t) (bytes / 1024) };
    domain_emit(vmm->domain, &event);
}

static void on_rtc(struct vmm *vmm, const struct json *data)
{
    struct domain_event event = { .id = DOMAIN_EVENT_RTC_CHANGE };
    if (json_to_i64(json_get(data, "offset"), &event.value))
        domain_emit(vmm->domain, &event);
}

static void on_tray(struct vmm *vmm, const struct json *data)
{
    const struct domain_event event = { .id = DOMAIN_EVENT_TRAY_CHANGE,
                                        .type = get_bool(data, "tray-open") ? 0 : 1,
                                        .alias = json_get_text(data, "id") };
    if (event.alias)
        domain_emit(vmm->domain, &event);
}

/* Parts of a device go as well, and those have no name of their own. */
static void on_device_deleted(struct vmm *vmm, const struct json *data)
{
    const char *alias = json_get_text(data, "device");
    if (!alias)
        return;
    vector_push(&vmm->gone, memory_copy_text(alias));
    if (vmm->unplug)
        wait_done(vmm->unplug, 0);
    else
        vmm_forget_gone_later(vmm);
}

static void on_unplug_refused(struct vmm *vmm, const struct json *data)
{
    const char *alias = json_get_text(data, "device");
    vmm->unplug_refused = true;
    if (vmm->unplug)
        wait_done(vmm->unplug, 0);
    if (!alias)
        return;
    const struct domain_event event = { .id = DOMAIN_EVENT_DEVICE_REMOVAL_FAILED, .alias = alias };
    domain_emit(vmm->domain, &event);
}

static const struct row {
    const char *name;
    void (*handle)(struct vmm *vmm, const struct json *data);
} rows[] = {
    { "STOP", on_stop },
    { "RESUME", on_resume },
    { "SHUTDOWN", on_shutdown },
    { "RESET", on_reset },
    { "GUEST_PANICKED", on_panic },
    { "SUSPEND", on_suspend },
    { "SUSPEND_DISK", on_suspend_disk },
    { "WAKEUP", on_wakeup },
    { "WATCHDOG", on_watchdog },
    { "BLOCK_IO_ERROR", on_io_error },
    { "BALLOON_CHANGE", on_balloon },
    { "RTC_CHANGE", on_rtc },
    { "DEVICE_TRAY_MOVED", on_tray },
    { "DEVICE_DELETED", on_device_deleted },
    { "DEVICE_UNPLUG_GUEST_ERROR", on_unplug_refused },
};

/* A letter to the domain: the row and the event. */
struct news {
    struct vmm *vmm;
    const struct row *row;
    const struct json *data;
    struct arena *arena;
};

static void news_apply(struct domain *dom, void *arg)
{
    struct news *news = arg;
    if (dom->vmm == news->vmm)
        news->row->handle(news->vmm, news->data);
}

static void news_drop(void *arg)
{
    struct news *news = arg;
    arena_free(news->arena);
    free(news);
}

static const struct row *find_row(const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (text_equal(rows[i].name, name))
            return &rows[i];
    return NULL;
}

static void deliver(struct news *news)
{
    mailbox_post(news->vmm->domain, MAIL_STATE, news_apply, news_drop, news);
}

/* --- floods: of what counts only in its last form, one in GATE_MS goes on, and the last in any case --- */

enum { GATE_MS = 100 };

struct event_gates {
    struct timer *timer;
    struct gate { uint64_t open_at; struct news *held; } gates[ARRAY_COUNT(rows)];
};

void event_gates_free(struct event_gates *gates)
{
    if (!gates)
        return;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (gates->gates[i].held)
            news_drop(gates->gates[i].held);
    timer_free(gates->timer);
    free(gates);
}

static void on_gate_timer(void *arg)
{
    struct event_gates *gates = arg;
    timer_free(take(gates->timer));
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct gate *gate = &gates->gates[i];
        gate->open_at = gate->held ? loop_now() + GATE_MS : gate->open_at;
        if (gate->held)
            deliver(take(gate->held));
    }
}

/* Whoever hears the last of several has missed nothing. */
static bool last_counts(const struct row *row)
{
    return row->handle == on_balloon || row->handle == on_rtc;
}

/* Whether it waits. */
static bool hold(struct vmm *vmm, struct news *news)
{
    if (!last_counts(news->row))
        return false;
    if (!vmm->gates)
        vmm->gates = NEW(struct event_gates);
    struct gate *gate = &vmm->gates->gates[news->row - rows];
    if (!gate->held && loop_now() >= gate->open_at) {
        gate->open_at = loop_now() + GATE_MS;
        return false;
    }
    if (gate->held)
        news_drop(gate->held);
    gate->held = news;
    if (!vmm->gates->timer)
        vmm->gates->timer = timer_start(GATE_MS, 0, on_gate_timer, vmm->gates);
    return true;
}

static void on_event(void *arg, const char *name, const struct json *event, struct arena *arena)
{
    struct vmm *vmm = arg;
    const struct row *row = vmm->phase != VMM_STARTING ? find_row(name) : NULL;
    if (!row) {
        arena_free(arena);
        return;
    }
    struct news *news = NEW(struct news);
    *news = (struct news){ vmm, row, json_get(event, "data"), arena };
    if (!hold(vmm, news))
        deliver(news);
}

static void on_broken(void *arg, enum monitor_end end, const char *reason)
{
    struct vmm *vmm = arg;
    if (vmm->monitor_end)
        wait_done(vmm->monitor_end, 0);
    if (vmm->phase == VMM_RUNNING && !vmm->reconnecting)
        vmm_lose_monitor(vmm, end, reason);
}

const struct monitor_handler vmm_monitor_handler = { .event = on_event, .broken = on_broken };
