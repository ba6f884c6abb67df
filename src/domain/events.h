/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - what happens to domains, told to whoever listens.
 *
 * An event is handed to each listener at once, in order, on whatever stack emits it; a listener must not wait
 * and must copy what it keeps.  Listeners may come and go during delivery.  Numbers are libvirt's.
 */
#pragma once
#include <stdint.h>

#include "base/own.h"

struct domain;

/* VIR_DOMAIN_EVENT_ID_*: those that we emit. */
enum domain_event_id {
    DOMAIN_EVENT_LIFECYCLE = 0, DOMAIN_EVENT_REBOOT = 1, DOMAIN_EVENT_RTC_CHANGE = 2,
    DOMAIN_EVENT_WATCHDOG = 3, DOMAIN_EVENT_IO_ERROR = 4, DOMAIN_EVENT_IO_ERROR_REASON = 6,
    DOMAIN_EVENT_CONTROL_ERROR = 7, DOMAIN_EVENT_DISK_CHANGE = 9,
    DOMAIN_EVENT_TRAY_CHANGE = 10, DOMAIN_EVENT_PMWAKEUP = 11, DOMAIN_EVENT_PMSUSPEND = 12,
    DOMAIN_EVENT_BALLOON_CHANGE = 13, DOMAIN_EVENT_PMSUSPEND_DISK = 14,
    DOMAIN_EVENT_DEVICE_REMOVED = 15, DOMAIN_EVENT_DEVICE_ADDED = 19, DOMAIN_EVENT_DEVICE_REMOVAL_FAILED = 22,
    DOMAIN_EVENT_METADATA_CHANGE = 23
};

enum lifecycle { EVENT_DEFINED, EVENT_UNDEFINED, EVENT_STARTED, EVENT_SUSPENDED, EVENT_RESUMED, EVENT_STOPPED,
                 EVENT_SHUTDOWN, EVENT_PMSUSPENDED, EVENT_CRASHED };
enum { DEFINED_ADDED, DEFINED_UPDATED, DEFINED_RENAMED };
enum { UNDEFINED_REMOVED, UNDEFINED_RENAMED };
enum { STARTED_BOOTED, STARTED_MIGRATED, STARTED_RESTORED, STARTED_FROM_SNAPSHOT, STARTED_WAKEUP };
enum { SUSPENDED_PAUSED, SUSPENDED_MIGRATED, SUSPENDED_IOERROR, SUSPENDED_WATCHDOG };
enum { RESUMED_UNPAUSED, RESUMED_MIGRATED };
enum {
    STOPPED_SHUTDOWN, STOPPED_DESTROYED, STOPPED_CRASHED, STOPPED_MIGRATED, STOPPED_SAVED, STOPPED_FAILED
};
enum { SHUTDOWN_FINISHED, SHUTDOWN_BY_GUEST, SHUTDOWN_BY_HOST };
enum { PMSUSPENDED_MEMORY, PMSUSPENDED_DISK };
enum { CRASHED_EVENT_PANICKED };

struct domain_event {
    const struct domain *domain;        /* as it is now: id -1 once stopped */
    enum domain_event_id id;
    int type, detail; /* lifecycle: both; watchdog, io error: action; tray: 0 opened, 1 closed;
                                         * metadata: which, VIR_DOMAIN_METADATA_*; disk change: 0 its
                                         * medium is missing at the start, 1 it is */
    const char *alias;                  /* device events */
    const char *uri;                    /* metadata: the namespace whose element changed, or NULL */
    const char *path, *reason;          /* io error: the disk's source, and why */
    int64_t value;                      /* balloon: KiB; rtc: offset in seconds */
};

struct events;
struct events *events_new(void);
void events_free(struct events *events);
DEFINE_OWNED(events)

struct event_listener;
struct event_listener *event_listener_new(struct events *events,
                                          void (*fn)(void *arg, const struct domain_event *event), void *arg);
void event_listener_free(struct event_listener *listener);
DEFINE_OWNED(event_listener)

void domain_emit(const struct domain *dom, const struct domain_event *event);   /* fills in event->domain */
void domain_emit_lifecycle(const struct domain *dom, enum lifecycle type, int detail);
