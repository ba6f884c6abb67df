/* SPDX-License-Identifier: Apache-2.0 */
/* Events: which client hears what, and how it is written on the wire. */
#include <string.h>

#include "base/memory.h"
#include "daemon/daemon.h"
#include "daemon/request.h"
#include "daemon/session.h"

/* VIR_DOMAIN_EVENT_ID_* of the libvirt level that we speak: all may be asked for, as `virsh event --all`
 * does.  Those that nothing here causes yet simply do not happen. */
enum { EVENT_IDS = 28 };

/* For a message: nothing is copied, since it is encoded before the event goes on. */
static remote_nonnull_domain borrow(const struct domain *dom)
{
    remote_nonnull_domain borrowed = { .name = dom->name, .id = dom->id };
    memcpy(borrowed.uuid, dom->uuid.bytes, sizeof borrowed.uuid);
    return borrowed;
}

/* One a kind of event: its row's message, with the domain and these members. */
#define SENDER(name, ...) \
    static void send_##name(struct peer *peer, int callback, const struct domain_event *event) \
    { \
        const remote_domain_event_callback_##name##_msg m = { \
            callback, { .dom = borrow(event->domain), __VA_ARGS__ } }; \
        peer_send_domain_event_callback_##name(peer, &m); \
    }
SENDER(reboot)
SENDER(control_error)
SENDER(rtc_change, .offset = event->value)
SENDER(watchdog, .action = event->type)
SENDER(disk_change, .oldSrcPath = &(char *) { (char *) event->path }, .devAlias = (char *) event->alias,
       .reason = event->type)
SENDER(tray_change, .devAlias = (char *) event->alias, .reason = event->type)
SENDER(io_error, .srcPath = (char *) event->path, .devAlias = (char *) event->alias, .action = event->type)
SENDER(io_error_reason, .srcPath = (char *) event->path, .devAlias = (char *) event->alias,
       .action = event->type, .reason = (char *) event->reason)
SENDER(device_removed, .devAlias = (char *) event->alias)
SENDER(balloon_change, .actual = (uint64_t) event->value)
SENDER(lifecycle, .event = event->type, .detail = event->detail)

/* These three carry a reason that has never had but one value. */
#define SLEEP_SENDER(name) \
    static void send_##name(struct peer *peer, int callback, const struct domain_event *event) \
    { \
        const remote_domain_event_callback_##name##_msg m = { callback, 0, { borrow(event->domain) } }; \
        peer_send_domain_event_callback_##name(peer, &m); \
    }
SLEEP_SENDER(pmwakeup)
SLEEP_SENDER(pmsuspend)
SLEEP_SENDER(pmsuspend_disk)

/* Their messages have no part in common with those of clients from before callbacks had ids. */
static void send_metadata_change(struct peer *peer, int callback, const struct domain_event *event)
{
    char *uri = (char *) event->uri;
    const remote_domain_event_callback_metadata_change_msg m = { callback, borrow(event->domain), event->type,
                                                                 uri ? &uri : NULL };
    peer_send_domain_event_callback_metadata_change(peer, &m);
}

static void send_device_added(struct peer *peer, int callback, const struct domain_event *event)
{
    const remote_domain_event_callback_device_added_msg m = { callback, borrow(event->domain),
                                                              (char *) event->alias };
    peer_send_domain_event_callback_device_added(peer, &m);
}

static void send_device_removal_failed(struct peer *peer, int callback, const struct domain_event *event)
{
    const remote_domain_event_callback_device_removal_failed_msg m = { callback, borrow(event->domain),
                                                                       (char *) event->alias };
    peer_send_domain_event_callback_device_removal_failed(peer, &m);
}

static void send_to_either(struct peer *peer, int callback, const struct domain_event *event)
{
    if (callback != LEGACY_CALLBACK) {
        send_lifecycle(peer, callback, event);
        return;
    }
    const remote_domain_event_lifecycle_msg m = { borrow(event->domain), event->type, event->detail };
    peer_send_domain_event_lifecycle(peer, &m);
}

static void (*const senders[EVENT_IDS])(struct peer *peer, int callback, const struct domain_event *event) = {
    [DOMAIN_EVENT_LIFECYCLE] = send_to_either,
    [DOMAIN_EVENT_REBOOT] = send_reboot,
    [DOMAIN_EVENT_RTC_CHANGE] = send_rtc_change,
    [DOMAIN_EVENT_WATCHDOG] = send_watchdog,
    [DOMAIN_EVENT_IO_ERROR] = send_io_error,
    [DOMAIN_EVENT_IO_ERROR_REASON] = send_io_error_reason,
    [DOMAIN_EVENT_DISK_CHANGE] = send_disk_change,
    [DOMAIN_EVENT_CONTROL_ERROR] = send_control_error,
    [DOMAIN_EVENT_PMWAKEUP] = send_pmwakeup,
    [DOMAIN_EVENT_PMSUSPEND] = send_pmsuspend,
    [DOMAIN_EVENT_PMSUSPEND_DISK] = send_pmsuspend_disk,
    [DOMAIN_EVENT_TRAY_CHANGE] = send_tray_change,
    [DOMAIN_EVENT_BALLOON_CHANGE] = send_balloon_change,
    [DOMAIN_EVENT_DEVICE_REMOVED] = send_device_removed,
    [DOMAIN_EVENT_DEVICE_ADDED] = send_device_added,
    [DOMAIN_EVENT_DEVICE_REMOVAL_FAILED] = send_device_removal_failed,
    [DOMAIN_EVENT_METADATA_CHANGE] = send_metadata_change,
};

static void on_event(void *arg, const struct domain_event *event)
{
    struct session *session = arg;
    for (size_t i = 0; i < session->registrations.count; i++) {
        const struct registration *r = &session->registrations.items[i];
        if (r->event == (int) event->id && senders[r->event] &&
            (!r->of_one_domain || uuid_equal(&r->domain, &event->domain->uuid)))
            senders[r->event](session->peer, r->callback, event);
    }
}

/* Callback ids are unique in this daemon, so that they tell clients apart in its log. */
static int add(struct session *session, int event, const remote_nonnull_domain *dom, bool legacy,
               int *ret_callback, struct error *err)
{
    static int last_callback;
    if (event < 0 || event >= EVENT_IDS || (legacy && event != DOMAIN_EVENT_LIFECYCLE))
        return fail(err, ERR_INTERNAL, "unsupported event ID %d", event);
    if (session->registrations.count >= REGISTRATIONS_MAX)
        return fail(err, ERR_OPERATION_FAILED, "one client may register for %d events", REGISTRATIONS_MAX);

    struct registration r = { .callback = legacy ? LEGACY_CALLBACK : ++last_callback, .event = event };
    if (dom) {
        r.of_one_domain = true;
        memcpy(r.domain.bytes, dom->uuid, sizeof r.domain.bytes);
    }
    vector_push(&session->registrations, r);
    if (!session->listener && !session->gone)
        session->listener = event_listener_new(registry_events(session->daemon->registry), on_event, session);
    *ret_callback = r.callback;
    return 0;
}

static int count_legacy(const struct session *session)
{
    int count = 0;
    for (size_t i = 0; i < session->registrations.count; i++)
        count += session->registrations.items[i].callback == LEGACY_CALLBACK;
    return count;
}

static int drop(struct session *session, int callback, struct error *err)
{
    for (size_t i = 0; i < session->registrations.count; i++) {
        if (session->registrations.items[i].callback == callback) {
            vector_remove(&session->registrations, i);
            return 0;
        }
    }
    return callback == LEGACY_CALLBACK
               ? fail(err, ERR_INTERNAL, "no event callback is registered")
               : fail(err, ERR_INTERNAL, "domain event callback %d not registered", callback);
}

int on_connect_domain_event_callback_register_any(
    struct request *request, const remote_connect_domain_event_callback_register_any_args *args,
    remote_connect_domain_event_callback_register_any_ret *ret, struct error *err)
{
    if (args->dom &&
        !registry_find(request->daemon->registry, (const struct uuid *) (const void *) args->dom->uuid)) {
        return fail(err, ERR_NO_DOMAIN, "no domain with matching name '%s'", args->dom->name);
    }
    return add(request->session, args->eventID, args->dom, false, &ret->callbackID, err);
}

int on_connect_domain_event_callback_deregister_any(
    struct request *request, const remote_connect_domain_event_callback_deregister_any_args *args,
    nothing *ret, struct error *err)
{
    return args->callbackID < 0
               ? fail(err, ERR_INTERNAL, "domain event callback %d not registered", args->callbackID)
               : drop(request->session, args->callbackID, err);
}

int on_connect_domain_event_register(struct request *request, const nothing *args,
                                     remote_connect_domain_event_register_ret *ret, struct error *err)
{
    int callback;
    if (add(request->session, DOMAIN_EVENT_LIFECYCLE, NULL, true, &callback, err) < 0)
        return -1;
    ret->cb_registered = count_legacy(request->session);
    return 0;
}

int on_connect_domain_event_deregister(struct request *request, const nothing *args,
                                       remote_connect_domain_event_deregister_ret *ret, struct error *err)
{
    if (drop(request->session, LEGACY_CALLBACK, err) < 0)
        return -1;
    ret->cb_registered = count_legacy(request->session);
    return 0;
}

int on_connect_domain_event_register_any(struct request *request,
                                         const remote_connect_domain_event_register_any_args *args,
                                         nothing *ret, struct error *err)
{
    int callback;
    return add(request->session, args->eventID, NULL, true, &callback, err);
}

int on_connect_domain_event_deregister_any(struct request *request,
                                           const remote_connect_domain_event_deregister_any_args *args,
                                           nothing *ret, struct error *err)
{
    return drop(request->session, LEGACY_CALLBACK, err);
}
