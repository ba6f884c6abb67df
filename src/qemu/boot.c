/* SPDX-License-Identifier: Apache-2.0 */
/* Clock, sleep states, and what is booted. */
#include "qemu/line.h"

#include <inttypes.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"

/* --- clock --- */

static int add_rtc(struct line *line, struct error *err)
{
    const struct clock *clock = &line->def->clock;
    const struct timer_def *rtc = line_timer(line, TIMER_RTC);
    owned_buffer struct buffer option = { 0 };
    int64_t shift = 0;
    bool shifted = clock->adjustment && !text_equal(clock->adjustment, "reset") &&
                   text_to_i64(clock->adjustment, &shift) && shift;
    if (clock->offset == CLOCK_TIMEZONE ||
        (clock->offset == CLOCK_VARIABLE && clock->basis == CLOCK_BASIS_LOCALTIME))
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "<clock>: this offset is not supported, only 'utc', 'localtime', "
                    "'absolute' and 'variable' on utc are");
    if (clock->offset == CLOCK_LOCALTIME) {
        option_add(&option, "base", "localtime");
    } else if (clock->offset == CLOCK_ABSOLUTE || (clock->offset == CLOCK_VARIABLE && shifted)) {
        time_t when = clock->offset == CLOCK_ABSOLUTE ? clock->start.value : line->what->now + shift;
        struct tm tm;
        char text[32];
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&when, &tm));
        option_add(&option, "base", text);
    } else {
        option_add(&option, "base", "utc");
    }
    static const char *const clocks[] = {
        [TRACK_BOOT] = "rt", [TRACK_GUEST] = "vm", [TRACK_WALL] = "host", [TRACK_REALTIME] = "rt",
    };
    if (rtc)
        option_add(&option, "clock", clocks[rtc->track]);
    if (rtc && rtc->tick_policy == TICK_CATCHUP)
        option_add(&option, "driftfix", "slew");
    line_option(line, "-rtc", &option);
    return 0;
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
    if (wanted == YES_NO_ABSENT)
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

static int check_firmware(const struct os *os, struct error *err)
{
    if (os->firmware == FIRMWARE_EFI || os->loader_type == LOADER_PFLASH || os->nvram)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "<os>: firmware in flash (efi, pflash, nvram) is not supported");
    if (os->smbios && os->smbios != SMBIOS_EMULATE)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<os>: smbios mode '%s' is not supported",
                    enum_word(&smbios_mode_names, os->smbios));
    if (os->acpi_table || os->bios_useserial == YES)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "<os>: %s is not supported", os->acpi_table ? "acpi/table" :
                    "bios useserial='yes'");
    return 0;
}

int line_boot(struct line *line, struct error *err)
{
    const struct os *os = &line->def->os;
    if (add_rtc(line, err) < 0 || check_firmware(os, err) < 0)
        return -1;
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
    return 0;
}
