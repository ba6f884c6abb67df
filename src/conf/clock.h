/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - <clock>: what time it is in the guest, and how time passes there. */
#pragma once
#include "xml/value.h"

#define CLOCK_OFFSETS(_) \
    _(CLOCK_UTC, "utc") _(CLOCK_LOCALTIME, "localtime") _(CLOCK_VARIABLE, "variable") \
    _(CLOCK_TIMEZONE, "timezone") _(CLOCK_ABSOLUTE, "absolute")
DECLARE_ENUM(clock_offset, CLOCK_OFFSET_ABSENT, CLOCK_OFFSETS);

#define CLOCK_BASES(_) _(CLOCK_BASIS_UTC, "utc") _(CLOCK_BASIS_LOCALTIME, "localtime")
DECLARE_ENUM(clock_basis, CLOCK_BASIS_ABSENT, CLOCK_BASES);

#define TIMER_NAMES(_) \
    _(TIMER_PLATFORM, "platform") _(TIMER_PIT, "pit") _(TIMER_RTC, "rtc") _(TIMER_HPET, "hpet") \
    _(TIMER_TSC, "tsc") _(TIMER_KVMCLOCK, "kvmclock") _(TIMER_HYPERVCLOCK, "hypervclock") \
    _(TIMER_ARMVTIMER, "armvtimer")
DECLARE_ENUM(timer_name, TIMER_NAME_ABSENT, TIMER_NAMES);

#define TICK_POLICIES(_) \
    _(TICK_DELAY, "delay") _(TICK_CATCHUP, "catchup") _(TICK_MERGE, "merge") _(TICK_DISCARD, "discard")
DECLARE_ENUM(tick_policy, TICK_POLICY_ABSENT, TICK_POLICIES);

#define TIMER_TRACKS(_) \
    _(TRACK_BOOT, "boot") _(TRACK_GUEST, "guest") _(TRACK_WALL, "wall") _(TRACK_REALTIME, "realtime")
DECLARE_ENUM(timer_track, TIMER_TRACK_ABSENT, TIMER_TRACKS);

#define TIMER_MODES(_) \
    _(TIMER_AUTO, "auto") _(TIMER_NATIVE, "native") _(TIMER_EMULATE, "emulate") \
    _(TIMER_PARAVIRT, "paravirt") _(TIMER_SMPSAFE, "smpsafe")
DECLARE_ENUM(timer_mode, TIMER_MODE_ABSENT, TIMER_MODES);

struct timer_def {
    struct extras extras;
    enum timer_name name;
    enum yes_no present;
    enum timer_track track;
    enum tick_policy tick_policy;
    uint64_t frequency;
    enum timer_mode mode;
    uint32_t threshold, slew, limit;            /* <catchup> */
};

struct clock {
    struct extras extras;
    enum clock_offset offset;
    enum clock_basis basis;
    const char *adjustment;                     /* "reset", or seconds with a sign */
    const char *timezone;
    struct opt_i64 start;                       /* CLOCK_ABSOLUTE: seconds since 1970 */
    LIST_OF(struct timer_def) timers;
};

DECLARE_ELEMENT(clock_element, struct clock);
