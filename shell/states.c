/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/states.h"

#include <stddef.h>

#include "base/own.h"

struct words {
    const char *name;
    const char *details[16];
};

static const struct words states[] = {
    { "no state", { "unknown" } },
    { "running",
      { "unknown", "booted", "migrated", "restored", "from snapshot", "unpaused", "migration canceled",
        "save canceled", "event wakeup", "crashed", "post-copy", "post-copy failed" } },
    { "idle", { "unknown" } },
    { "paused",
      { "unknown", "user", "migrating", "saving", "dumping", "I/O error", "watchdog", "from snapshot",
        "shutting down", "creating snapshot", "crashed", "starting up", "post-copy", "post-copy failed",
        "api error" } },
    { "in shutdown", { "unknown", "user" } },
    { "shut off",
      { "unknown", "shutdown", "destroyed", "crashed", "migrated", "saved", "failed", "from snapshot",
        "daemon" } },
    { "crashed", { "unknown", "panicked" } },
    { "pmsuspended", { "unknown" } },
};

static const struct words events[] = {
    { "Defined", { "Added", "Updated", "Renamed", "Snapshot" } },
    { "Undefined", { "Removed", "Renamed" } },
    { "Started", { "Booted", "Migrated", "Restored", "Snapshot", "Event wakeup" } },
    { "Suspended",
      { "Paused", "Migrated", "I/O Error", "Watchdog", "Restored", "Snapshot", "API error", "Post-copy",
        "Post-copy Error" } },
    { "Resumed", { "Unpaused", "Migrated", "Snapshot", "Post-copy" } },
    { "Stopped",
      { "Shutdown", "Destroyed", "Crashed", "Migrated", "Saved", "Failed", "Snapshot", "Daemon" } },
    { "Shutdown", { "Finished", "Finished after guest request", "Finished after host request" } },
    { "PMSuspended", { "Memory", "Disk" } },
    { "Crashed", { "Panicked", "Crashloaded" } },
};

static const char *detail(const struct words *words, int number, const char *otherwise)
{
    const char *word =
        number >= 0 && (size_t) number < ARRAY_COUNT(words->details) ? words->details[number] : NULL;
    return word ? word : otherwise;
}

const char *state_word(int state)
{
    return state >= 0 && (size_t) state < ARRAY_COUNT(states) ? states[state].name : "no state";
}

const char *state_reason(int state, int reason)
{
    return state >= 0 && (size_t) state < ARRAY_COUNT(states) ? detail(&states[state], reason, "unknown")
                                                              : "unknown";
}

const char *event_word(int event)
{
    return event >= 0 && (size_t) event < ARRAY_COUNT(events) ? events[event].name : "event";
}

const char *event_detail(int event, int number)
{
    return event >= 0 && (size_t) event < ARRAY_COUNT(events) ? detail(&events[event], number, "unknown")
                                                              : "unknown";
}
