/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/clock.h"

#include "base/text.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(clock_offset, CLOCK_OFFSETS);
DEFINE_ENUM_CODEC(clock_basis, CLOCK_BASES);
DEFINE_ENUM_CODEC(timer_name, TIMER_NAMES);
DEFINE_ENUM_CODEC(tick_policy, TICK_POLICIES);
DEFINE_ENUM_CODEC(timer_track, TIMER_TRACKS);
DEFINE_ENUM_CODEC(timer_mode, TIMER_MODES);

static void clock_check(void *self, struct xml_context *x)
{
    struct clock *clock = self;
    int64_t seconds;
    if (clock->adjustment && !text_equal(clock->adjustment, "reset") &&
        !text_to_i64(clock->adjustment, &seconds))
        xml_refuse(x, &clock->adjustment, ERR_XML, "reset, or seconds", "'%s' is no adjustment",
                   clock->adjustment);
    if (clock->offset == CLOCK_VARIABLE && !clock->basis)
        clock->basis = CLOCK_BASIS_UTC;
    if (clock->offset == CLOCK_VARIABLE && (!clock->adjustment || text_equal(clock->adjustment, "reset")))
        clock->adjustment = "0";
    if (clock->offset == CLOCK_TIMEZONE && !clock->timezone)
        xml_refuse(x, clock, ERR_XML, "timezone='Europe/Berlin', say", "offset='timezone' needs a timezone");
    if (clock->offset == CLOCK_ABSOLUTE && !clock->start.set)
        xml_refuse(x, clock, ERR_XML, "start='SECONDS'", "offset='absolute' needs a start");
    for (size_t i = 0; i < clock->timers.count; i++)
        for (size_t k = 0; k < i && k < 16; k++)
            if (clock->timers.items[i]->name &&
                clock->timers.items[i]->name == clock->timers.items[k]->name) {
                xml_refuse(x, &clock->timers.items[i]->name, ERR_XML, NULL, "the timer '%s' is given twice",
                           enum_word(&timer_name_names, clock->timers.items[i]->name));
                break;
            }
}

#define SELF struct timer_def
PART(catchup, "catchup", "How lost ticks are made up for.",
    ATTR("threshold", threshold, u32, "ticks"),
    ATTR("slew", slew, u32, "speed"),
    ATTR("limit", limit, u32, "ticks"));

PART(timer_element, "timer", "A clock or timer that the guest may use.",
    ATTR("name", name, timer_name, "which one", REQUIRED, CODE(ERR_CONFIG_UNSUPPORTED)),
    ATTR("present", present, yes_no, "has the guest it?"),
    ATTR("tickpolicy", tick_policy, tick_policy, "what happens to lost ticks"),
    ATTR("track", track, timer_track, "what it follows", IF(name, TIMER_PLATFORM, TIMER_RTC)),
    ATTR("frequency", frequency, u64, "ticks in a second", IF(name, TIMER_TSC)),
    ATTR("mode", mode, timer_mode, "how it is offered", IF(name, TIMER_TSC)),
    INLINE(catchup));
#undef SELF

#define SELF struct clock
const struct element clock_element = ELEMENT_CHECKED("clock", "What time it is in the guest.", clock_check,
    ATTR("offset", offset, clock_offset, "time zone of the guest's clock", DEFAULT("utc"),
         CODE(ERR_CONFIG_UNSUPPORTED)),
    ATTR("adjustment", adjustment, string, "seconds between it and its basis",
         IF(offset, CLOCK_VARIABLE, CLOCK_UTC, CLOCK_LOCALTIME)),
    ATTR("basis", basis, clock_basis, "what the seconds count from", IF(offset, CLOCK_VARIABLE)),
    ATTR("timezone", timezone, string, "name of the zone", IF(offset, CLOCK_TIMEZONE)),
    ATTR("start", start, opt_i64, "seconds since 1970", IF(offset, CLOCK_ABSOLUTE)),
    LIST(timers, timer_element));
