/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/event_kinds.h"

#include "base/memory.h"
#include "shell/states.h"

const struct event_kind event_kinds[] = {
    { "lifecycle", 0 },
    { "reboot", 1 },
    { "rtc-change", 2 },
    { "watchdog", 3 },
    { "io-error", 4 },
    { "io-error-reason", 6 },
    { "control-error", 7 },
    { "disk-change", 9 },
    { "tray-change", 10 },
    { "pm-wakeup", 11 },
    { "pm-suspend", 12 },
    { "balloon-change", 13 },
    { "pm-suspend-disk", 14 },
    { "device-removed", 15 },
    { "device-added", 19 },
    { "device-removal-failed", 22 },
    { "metadata-change", 23 },
};
const size_t event_kinds_count = ARRAY_COUNT(event_kinds);
_Static_assert(ARRAY_COUNT(event_kinds) <= EVENT_KINDS_MAX, "whoever asks for all has room for them");

#define WORD(words, number) \
    ((number) >= 0 && (size_t) (number) < ARRAY_COUNT(words) ? (words)[number] : "unknown")

static void tell(void *arg, struct happening happening)
{
    struct teller *teller = arg;
    teller->tell(teller, &happening);
}
#define TELL(...) tell(arg, (struct happening) { __VA_ARGS__ })

static void on_lifecycle(void *arg, const remote_domain_event_callback_lifecycle_msg *m)
{
    TELL(.kind = "lifecycle", .dom = &m->msg.dom, .event = event_word(m->msg.event),
         .detail = event_detail(m->msg.event, m->msg.detail));
}

static void on_reboot(void *arg, const remote_domain_event_callback_reboot_msg *m)
{
    TELL(.kind = "reboot", .dom = &m->msg.dom);
}

static void on_rtc_change(void *arg, const remote_domain_event_callback_rtc_change_msg *m)
{
    owned_memory char *offset = memory_printf("%lld", (long long) m->msg.offset);
    TELL(.kind = "rtc-change", .dom = &m->msg.dom, .detail = offset);
}

static void on_watchdog(void *arg, const remote_domain_event_callback_watchdog_msg *m)
{
    static const char *const actions[] = {
        "none", "pause", "reset", "poweroff", "shutdown", "debug", "inject-nmi",
    };
    TELL(.kind = "watchdog", .dom = &m->msg.dom, .detail = WORD(actions, m->msg.action));
}

static const char *const io_actions[] = { "none", "pause", "report" };

static void on_io_error(void *arg, const remote_domain_event_callback_io_error_msg *m)
{
    owned_memory char *text = memory_printf("%s (%s) %s", m->msg.srcPath, m->msg.devAlias,
                                            WORD(io_actions, m->msg.action));
    TELL(.kind = "io-error", .dom = &m->msg.dom, .detail = text);
}

static void on_io_error_reason(void *arg, const remote_domain_event_callback_io_error_reason_msg *m)
{
    owned_memory char *text = memory_printf("%s (%s) %s due to %s", m->msg.srcPath, m->msg.devAlias,
                                            WORD(io_actions, m->msg.action), m->msg.reason);
    TELL(.kind = "io-error-reason", .dom = &m->msg.dom, .detail = text);
}

static void on_control_error(void *arg, const remote_domain_event_callback_control_error_msg *m)
{
    TELL(.kind = "control-error", .dom = &m->msg.dom);
}

static void on_disk_change(void *arg, const remote_domain_event_callback_disk_change_msg *m)
{
    static const char *const reasons[] = { "changed", "dropped" };
    const char *old = m->msg.oldSrcPath ? *m->msg.oldSrcPath : "<null>";
    const char *new = m->msg.newSrcPath ? *m->msg.newSrcPath : "<null>";
    owned_memory char *text = memory_printf("%s -> %s: %s", old, new, WORD(reasons, m->msg.reason));
    TELL(.kind = "disk-change", .dom = &m->msg.dom, .disk = m->msg.devAlias, .detail = text);
}

static void on_tray_change(void *arg, const remote_domain_event_callback_tray_change_msg *m)
{
    static const char *const reasons[] = { "opened", "closed" };
    TELL(.kind = "tray-change", .dom = &m->msg.dom, .disk = m->msg.devAlias,
         .detail = WORD(reasons, m->msg.reason));
}

static void on_pmwakeup(void *arg, const remote_domain_event_callback_pmwakeup_msg *m)
{
    TELL(.kind = "pm-wakeup", .dom = &m->msg.dom);
}

static void on_pmsuspend(void *arg, const remote_domain_event_callback_pmsuspend_msg *m)
{
    TELL(.kind = "pm-suspend", .dom = &m->msg.dom);
}

static void on_pmsuspend_disk(void *arg, const remote_domain_event_callback_pmsuspend_disk_msg *m)
{
    TELL(.kind = "pm-suspend-disk", .dom = &m->msg.dom);
}

static void on_balloon_change(void *arg, const remote_domain_event_callback_balloon_change_msg *m)
{
    owned_memory char *size = memory_printf("%lluKiB", (unsigned long long) m->msg.actual);
    TELL(.kind = "balloon-change", .dom = &m->msg.dom, .detail = size);
}

static void on_device_removed(void *arg, const remote_domain_event_callback_device_removed_msg *m)
{
    TELL(.kind = "device-removed", .dom = &m->msg.dom, .detail = m->msg.devAlias);
}

static void on_device_added(void *arg, const remote_domain_event_callback_device_added_msg *m)
{
    TELL(.kind = "device-added", .dom = &m->dom, .detail = m->devAlias);
}

static void on_removal_failed(void *arg, const remote_domain_event_callback_device_removal_failed_msg *m)
{
    TELL(.kind = "device-removal-failed", .dom = &m->dom, .detail = m->devAlias);
}

static void on_metadata_change(void *arg, const remote_domain_event_callback_metadata_change_msg *m)
{
    static const char *const types[] = { "description", "title", "element" };
    owned_memory char *text = memory_printf("type %s, uri %s", WORD(types, m->type),
                                            m->nsuri ? *m->nsuri : "<null>");
    TELL(.kind = "metadata-change", .dom = &m->dom, .detail = text);
}

const struct client_events event_handlers = {
    .domain_event_callback_lifecycle = on_lifecycle,
    .domain_event_callback_reboot = on_reboot,
    .domain_event_callback_rtc_change = on_rtc_change,
    .domain_event_callback_watchdog = on_watchdog,
    .domain_event_callback_io_error = on_io_error,
    .domain_event_callback_io_error_reason = on_io_error_reason,
    .domain_event_callback_control_error = on_control_error,
    .domain_event_callback_disk_change = on_disk_change,
    .domain_event_callback_tray_change = on_tray_change,
    .domain_event_callback_pmwakeup = on_pmwakeup,
    .domain_event_callback_pmsuspend = on_pmsuspend,
    .domain_event_callback_pmsuspend_disk = on_pmsuspend_disk,
    .domain_event_callback_balloon_change = on_balloon_change,
    .domain_event_callback_device_removed = on_device_removed,
    .domain_event_callback_device_added = on_device_added,
    .domain_event_callback_device_removal_failed = on_removal_failed,
    .domain_event_callback_metadata_change = on_metadata_change,
};
