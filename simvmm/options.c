/* SPDX-License-Identifier: Apache-2.0 */
#include "simvmm/options.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "simvmm/actions.h"
#include "simvmm/keyval.h"
#include "simvmm/message.h"
#include "simvmm/option.h"
#include "simvmm/value.h"

/* ---- the table ---- */

#define FLAG(name, when, take) { name, when, false, 0, NULL, STAGE_NOW, take }
#define WORD(name, when, take) { name, when, true, OPTION_WORD, NULL, STAGE_NOW, take }
#define LIST(name, when, implied, stage, take) { name, when, true, KEYVAL_FLAT, implied, stage, take }
#define TREE(name, when, implied, stage, take) \
    { name, when, true, KEYVAL_NESTED | KEYVAL_OR_JSON, implied, stage, take }

static const struct option table[] = {
    FLAG("S", 0, option_stopped),
    FLAG("nodefaults", 0, option_ignore),
    FLAG("no-user-config", 0, option_ignore),
    FLAG("no-shutdown", 0, option_no_shutdown),
    FLAG("no-reboot", 0, option_no_reboot),
    FLAG("nographic", 0, option_ignore),
    FLAG("daemonize", 0, option_daemonize),
    FLAG("enable-kvm", 0, option_enable_kvm),
    FLAG("snapshot", 0, option_ignore),
    FLAG("no-hpet", 7, option_no_hpet),
    FLAG("no-acpi", 7, option_no_acpi),
    FLAG("mem-prealloc", 0, option_ignore),
    FLAG("no-fd-bootchk", 0, option_ignore),
    FLAG("only-migratable", 0, option_ignore),
    WORD("pidfile", 0, option_pidfile),
    WORD("cpu", 0, option_cpu),
    WORD("uuid", 0, option_uuid),
    WORD("vga", 0, option_vga),
    WORD("kernel", 0, option_kernel),
    WORD("initrd", 0, option_initrd),
    WORD("append", 0, option_append),
    WORD("dtb", 0, option_ignore_word),
    WORD("bios", 0, option_bios),
    WORD("L", 0, option_ignore_word),
    WORD("k", 0, option_ignore_word),
    WORD("d", 0, option_ignore_word),
    WORD("D", 0, option_ignore_word),
    WORD("mem-path", 0, option_ignore_word),
    WORD("watchdog-action", 0, option_watchdog_action),
    WORD("incoming", 0, option_incoming),
    WORD("runas", 7, option_runas),
    WORD("chroot", 7, option_ignore_word),
    { "loadvm", 0, true, OPTION_WORD, NULL, STAGE_MACHINE, option_loadvm },
    WORD("serial", 0, option_nothing_only),
    WORD("parallel", 0, option_nothing_only),
    WORD("monitor", 0, option_nothing_only),
    WORD("net", 0, option_nothing_only),
    LIST("name", 0, "guest", STAGE_NOW, option_name),
    LIST("machine", 0, "type", STAGE_NOW, option_machine),
    LIST("M", 0, "type", STAGE_NOW, option_machine),
    LIST("accel", 0, "accel", STAGE_NOW, option_accel),
    LIST("m", 0, "size", STAGE_NOW, option_memory),
    LIST("smp", 0, "cpus", STAGE_NOW, option_smp),
    LIST("overcommit", 0, NULL, STAGE_NOW, option_overcommit),
    LIST("rtc", 0, NULL, STAGE_NOW, option_rtc),
    LIST("boot", 0, "order", STAGE_NOW, option_boot),
    LIST("msg", 0, NULL, STAGE_NOW, option_msg),
    LIST("sandbox", 0, "enable", STAGE_NOW, option_sandbox),
    LIST("global", 0, NULL, STAGE_NOW, option_global),
    LIST("action", 0, NULL, STAGE_NOW, option_action),
    LIST("run-with", 11, NULL, STAGE_NOW, option_keep),
    LIST("compat", 0, NULL, STAGE_NOW, option_keep),
    LIST("smbios", 0, NULL, STAGE_NOW, option_smbios),
    LIST("fw_cfg", 0, "name", STAGE_NOW, option_fw_cfg),
    LIST("numa", 0, "type", STAGE_NOW, option_numa),
    LIST("fsdev", 0, "fsdriver", STAGE_NOW, option_keep),
    LIST("add-fd", 0, NULL, STAGE_NOW, option_add_fd),
    TREE("display", 0, "type", STAGE_NOW, option_display),
    LIST("sim", 0, NULL, STAGE_NOW, option_sim),
    TREE("object", 0, "qom-type", STAGE_LATE, option_object),
    TREE("audiodev", 0, "driver", STAGE_BACKEND, option_audiodev),
    LIST("chardev", 0, "backend", STAGE_BACKEND, option_chardev),
    TREE("blockdev", 0, "driver", STAGE_BLOCK, option_blockdev),
    LIST("drive", 0, NULL, STAGE_BLOCK, option_drive),
    TREE("netdev", 0, "type", STAGE_LATE, option_netdev),
    LIST("mon", 0, "chardev", STAGE_MONITOR, option_mon),
    { "qmp", 0, true, OPTION_WORD, NULL, STAGE_MONITOR, option_qmp },
    { "device", 0, true, KEYVAL_FLAT | KEYVAL_OR_JSON, "driver", STAGE_DEVICE, option_device },
    LIST("vnc", 0, "vnc", STAGE_DISPLAY, option_vnc),
};

/* ---- reading ---- */

static const struct option *find(const struct vm *vm, const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(table); i++)
        if (text_equal(table[i].name, name) && (!table[i].when || (table[i].when == 11) == vm_is(vm, 11)))
            return &table[i];
    return NULL;
}

static int in_option(const struct option *option, const char *text, struct error *err)
{
    if (err->number == OPTION_BARE_ERROR || err->number == OPTION_RAW_ERROR)
        return -1;
    return option->argument ? fail_in(err, "-%s %s", option->name, text) : fail_in(err, "-%s", option->name);
}

static int take_given(struct vm *vm, const struct given_option *given, struct error *err)
{
    if (given->option->apply(vm, given, err) < 0)
        return in_option(given->option, given->text, err);
    return 0;
}

static int read_one(struct vm *vm, const struct option *option, const char *text, struct error *err)
{
    struct given_option given = { .option = option, .text = text };
    if (option->argument && option->style != OPTION_WORD) {
        given.object = keyval_parse(vm->arena, text, option->implied, option->style, vm_is(vm, 11),
                                    &given.short_form, err);
        if (!given.object)
            return in_option(option, text, err);
        if (given.short_form)
            message_print(
                vm, "-%s %s: warning: short-form boolean option '%s' deprecated\nPlease use %s=on instead",
                option->name, text, given.short_form, given.short_form);
    }
    given.is_json = *text == '{';
    if (option->stage == STAGE_NOW)
        return take_given(vm, &given, err);
    vector_push(&vm->given, given);
    return 0;
}

/* -sim first: it says whose options the others are. */
static int read_sim(struct vm *vm, int argc, char **argv, struct error *err)
{
    for (int i = 1; i + 1 < argc; i++) {
        const char *name = argv[i] + (argv[i][0] == '-') + text_starts(argv[i], "--");
        if (argv[i][0] == '-' && text_equal(name, "sim") && read_one(vm, find(vm, "sim"), argv[++i], err) < 0)
            return -1;
    }
    return 0;
}

static void print_version(const struct vm *vm)
{
    error_scope(ignored);
    owned(arena) struct arena *arena = arena_new();
    const char *text = data_reply(vm->data, "query-version");
    const struct json *version = text ? json_parse(text, strlen(text), arena, &ignored) : NULL;
    const char *package = version ? json_get_text(version, "package") : NULL;
    printf("QEMU emulator version %s (%s), simulated by Domus\n", vm->version, package ? package : "");
}

static void print_help(const struct vm *vm)
{
    print_version(vm);
    printf("usage: %s [options]\n\nOptions (as QEMU's):\n", vm->program);
    for (size_t i = 0; i < ARRAY_COUNT(table); i++)
        if (find(vm, table[i].name) == &table[i] && !text_equal(table[i].name, "sim"))
            printf("  -%s%s\n", table[i].name, table[i].argument ? " ..." : "");
    owned_buffer struct buffer usage = { 0 };
    action_add_usage(&usage);
    printf("\nOf our own:\n%s\nActions of a script's lines:\n%s", option_sim_help, buffer_text(&usage));
}

int options_read(struct vm *vm, int argc, char **argv, struct error *err)
{
    if (read_sim(vm, argc, argv, err) < 0 || vm_open_data(vm, err) < 0)
        return -1;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i] + text_starts(argv[i], "--") + (argv[i][0] == '-');
        if (argv[i][0] != '-')
            return fail(err, ERR_INVALID_ARG, "%s: a disk image without an option is not simulated", argv[i]);
        if (text_equal(name, "version") || text_equal(name, "help") || text_equal(name, "h")) {
            *name == 'v' ? print_version(vm) : print_help(vm);
            return 1;
        }
        const struct option *option = find(vm, name);
        if (!option)
            return fail(err, ERR_INVALID_ARG, "-%s: invalid option", name);
        if (option->argument && i + 1 == argc)
            return fail(err, ERR_INVALID_ARG, "-%s: requires an argument", name);
        const char *text = option->argument ? argv[++i] : "";
        if (!text_equal(name, "sim") && read_one(vm, option, text, err) < 0)
            return -1;
    }
    return 0;
}

int options_apply(struct vm *vm, enum stage stage, struct error *err)
{
    for (size_t i = 0; i < vm->given.count; i++) {
        const struct given_option *given = &vm->given.items[i];
        if (option_stage(given) == stage && take_given(vm, given, err) < 0)
            return -1;
    }
    return 0;
}
