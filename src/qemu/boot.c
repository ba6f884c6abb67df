/* SPDX-License-Identifier: Apache-2.0 */
/* Clock, sleep states, and what is booted. */
#include "qemu/line.h"

#include <inttypes.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"

/* --- clock --- */

/* A point in time, seen on a clock in UTC or in local time. */
static void add_base(struct buffer *option, int64_t when, bool local)
{
    time_t seconds = (time_t) when;
    struct tm tm;
    char text[32];
    const struct tm *shown = local ? localtime_r(&seconds, &tm) : gmtime_r(&seconds, &tm);
    if (!shown || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", shown))
        return;
    option_add(option, "base", text);
}

static void add_rtc(struct line *line)
{
    const struct clock *clock = &line->def->clock;
    const struct timer_def *rtc = line_timer(line, TIMER_RTC);
    owned_buffer struct buffer option = { 0 };
    int64_t shift = 0;
    bool shifted = clock->adjustment && !text_equal(clock->adjustment, "reset") &&
                   text_to_i64(clock->adjustment, &shift) && shift;
    bool local = clock->offset == CLOCK_VARIABLE && clock->basis == CLOCK_BASIS_LOCALTIME;
    if (clock->offset == CLOCK_LOCALTIME || clock->offset == CLOCK_TIMEZONE)
        option_add(&option, "base", "localtime");       /* of the variable TZ, see launch_environment() */
    else if (clock->offset == CLOCK_ABSOLUTE)
        add_base(&option, clock->start.value, false);
    else if (clock->offset == CLOCK_VARIABLE && (shifted || local))
        add_base(&option, line->what->now + shift, local);
    else
        option_add(&option, "base", "utc");
    static const char *const clocks[] = {
        [TRACK_BOOT] = "rt", [TRACK_GUEST] = "vm", [TRACK_WALL] = "host", [TRACK_REALTIME] = "rt",
    };
    if (rtc)
        option_add(&option, "clock", clocks[rtc->track]);
    if (rtc && rtc->tick_policy == TICK_CATCHUP)
        option_add(&option, "driftfix", "slew");
    line_option(line, "-rtc", &option);
}

static void add_pit(struct line *line)
{
    const struct timer_def *pit = line_timer(line, TIMER_PIT);
    if (pit && (pit->tick_policy == TICK_DELAY || pit->tick_policy == TICK_DISCARD) &&
        caps_has_type(line->caps, "kvm-pit")) {
        owned_memory char *policy = memory_printf("kvm-pit.lost_tick_policy=%s",
                                                  enum_word(&tick_policy_names, pit->tick_policy));
        argv_add_pair(line->argv, "-global", policy);
    }
}

/* --- power management, boot --- */

static void add_sleep_state(struct line *line, const char *state, enum yes_no wanted)
{
    if (wanted == YES_NO_ABSENT || line_is_microvm(line))
        return;
    owned_memory char *global =
        memory_printf("%s.disable_%s=%d", line_is_q35(line) ? "ICH9-LPC" : "PIIX4_PM", state, wanted == NO);
    argv_add_pair(line->argv, "-global", global);
}

static void add_root_hotplug(struct line *line)
{
    const struct controller *root = line_controller(line, CONTROLLER_PCI, 0);
    if (!root || root->model != CONTROLLER_PCI_ROOT || root->hotplug == ON_OFF_ABSENT)
        return;
    owned_memory char *global = memory_printf("PIIX4_PM.acpi-root-pci-hotplug=%s",
                                              enum_word(&on_off_names, root->hotplug));
    argv_add_pair(line->argv, "-global", global);
}

static void add_boot(struct line *line)
{
    const struct os *os = &line->def->os;
    owned_buffer struct buffer option = { 0 };
    option_add_yes_no(&option, "menu", os->bootmenu);
    if (os->bootmenu == YES && os->bootmenu_timeout.set)
        option_add_u64(&option, "splash-time", os->bootmenu_timeout.value);
    if (os->bios_reboot_timeout.set) {
        owned_memory char *timeout = memory_printf("%" PRId64, os->bios_reboot_timeout.value);
        option_add(&option, "reboot-timeout", timeout);
    }
    option_add(&option, "strict", "on");
    line_option(line, "-boot", &option);
}

static void add_path(struct line *line, const char *option, const char *value)
{
    if (value)
        argv_add_pair(line->argv, option, value);
}

static int add_acpi_table(struct line *line, struct error *err)
{
    const struct os *os = &line->def->os;
    if (!os->acpi_table)
        return 0;
    if (!text_equal(os->acpi_type, "slic"))
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "<os>: an acpi table of type '%s' is not supported, only 'slic' is", os->acpi_type);
    owned_buffer struct buffer option = { 0 };
    option_add(&option, "sig", "SLIC");
    option_add(&option, "file", os->acpi_table);
    line_option(line, "-acpitable", &option);
    return 0;
}

int line_boot(struct line *line, struct error *err)
{
    const struct os *os = &line->def->os;
    add_rtc(line);
    add_pit(line);
    argv_add(line->argv, "-no-shutdown");
    add_sleep_state(line, "s3", line->def->suspend_to_mem);
    add_sleep_state(line, "s4", line->def->suspend_to_disk);
    add_boot(line);
    add_root_hotplug(line);
    add_path(line, "-kernel", os->kernel);
    add_path(line, "-initrd", os->initrd);
    add_path(line, "-append", os->cmdline);
    add_path(line, "-dtb", os->dtb);
    return add_acpi_table(line, err);
}
