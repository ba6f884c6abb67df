/* SPDX-License-Identifier: Apache-2.0 */
/* option.h - the functions behind the rows of options.c, by family: settings, machine, back ends, devices,
 * -sim. */
#pragma once
#include "simvmm/options.h"

struct given_option;

struct option {
    const char *name;
    int when;                           /* 0: all versions, 7: only 7.2, 11: only 11.1 */
    bool argument;
    int style;                          /* keyval.h, or OPTION_WORD */
    const char *implied;
    enum stage stage;
    int (*apply)(struct vm *vm, const struct given_option *given, struct error *err);
};

enum { OPTION_WORD = 64, OPTION_BARE_ERROR = 1 << 20, OPTION_RAW_ERROR };
/* the last two: an error without "-option text: ", and without the program's name, too */

typedef int option_function(struct vm *vm, const struct given_option *given, struct error *err);

/* Sets the failure's mark that it is not the option's own. */
int option_bare(struct error *err);
/* Every key must be one that QEMU lists for that group of options; "Invalid parameter 'x'". */
int option_check_keys(struct vm *vm, const struct given_option *given, const char *group, struct error *err);
bool option_group_has(struct vm *vm, const char *group, const char *key);
/* The same for an error that another program than QEMU's own name reports: "qemu: could not open ...". */
int option_raw(struct error *err);
enum stage option_stage(const struct given_option *given);

option_function option_stopped, option_ignore, option_no_shutdown, option_no_reboot, option_daemonize,
    option_enable_kvm, option_no_hpet, option_no_acpi, option_pidfile, option_cpu, option_uuid, option_vga,
    option_kernel, option_initrd, option_append, option_bios, option_ignore_word, option_watchdog_action,
    option_incoming, option_nothing_only, option_name, option_machine, option_accel, option_memory,
    option_smp, option_overcommit, option_rtc, option_boot, option_msg, option_sandbox, option_global,
    option_action, option_keep, option_display, option_sim, option_object, option_audiodev, option_chardev,
    option_blockdev, option_drive, option_netdev, option_mon, option_qmp, option_device, option_vnc,
    option_add_fd, option_fw_cfg, option_smbios, option_numa, option_loadvm,
    option_runas;

extern const char option_sim_help[];
