/* SPDX-License-Identifier: Apache-2.0 */
/* How many of libvirt's own x86_64 cases give a command line that means the same: an equal set of options and
 * devices, whatever their order.  The number may only grow.  UPSTREAM_DIFF=1 shows what differs, and
 * UPSTREAM_DIFF=NAME in one case.
 *
 * Left out of the comparison: the environment, the key of libvirt's secrets, the numbers of descriptors
 * (where libvirt passes a socket that listens already, or an open file, we may name its path), and spice's
 * disable-ticketing (libvirt's tests have a password in their configuration). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "caps_tables.h"
#include "conf/domain_def.h"
#include "json/json.h"
#include "qemu/command_line.h"
#include "qemu/disk_order.h"
#include "qemu/firmware.h"
#include "qemu/line.h"
#include "recorded.h"

/* What stood at the last count; raise them with it. */
enum { EQUAL_AT_LEAST = 144, DEVICES_EQUAL_AT_LEAST = 152 };

struct option {
    const char *name, *value;           /* value: NULL if there is none */
    const struct json *json;            /* the value, if it is that */
    bool matched;
};

struct options { VECTOR(struct option) list; };

static void read_options(const struct argv *argv, struct arena *arena, struct options *ret_options)
{
    size_t i = 0;
    while (i < argv->count && argv->words[i][0] != '-')         /* environment and emulator */
        i++;
    for (; i < argv->count; i++) {
        error_scope(err);
        struct option option = { .name = argv->words[i] };
        if (i + 1 < argv->count && argv->words[i + 1][0] != '-')
            option.value = argv->words[++i];
        if (option.value && *option.value == '{')
            option.json = json_parse(option.value, strlen(option.value), arena, &err);
        if (!text_equal(option.name, "-add-fd") && (!option.value || !strstr(option.value, "masterKey0")))
            vector_push(&ret_options->list, option);
    }
}

/* The end of the part that begins here; a doubled comma does not end it. */
static size_t part_length(const char *text)
{
    size_t n = 0;
    while (text[n] && (text[n] != ',' || text[n + 1] == ','))
        n += text[n] == ',' ? 2 : 1;
    return n;
}

/* What libvirt opens and hands over, we may name: sockets that listen, files of character devices. */
static bool is_descriptor(const char *part, bool listens)
{
    return text_starts(part, "fd=") || (listens && text_starts(part, "path="));
}

/* path=/dev/fdset/0,append=on is a file that libvirt opened. */
static bool is_file_by_descriptor(const char *text)
{
    return text_starts(text, "file,") && strstr(text, "path=/dev/fdset/");
}

static bool is_ignored(const char *part)
{
    return text_starts(part, "disable-ticketing=");
}

static bool has_part(const char *text, const char *part, size_t length, bool listens)
{
    while (*text) {
        size_t n = part_length(text);
        if ((n == length && strncmp(text, part, n) == 0) ||
            (is_descriptor(text, listens) && is_descriptor(part, listens)))
            return true;
        text += n + (text[n] == ',');
    }
    return false;
}

/* Every part of a=1,b=2 in one stands in the other too. */
static bool parts_within(const char *some, const char *all)
{
    bool listens = strstr(some, "server=on") && strstr(all, "server=on");
    bool file = text_starts(some, "file,") && (is_file_by_descriptor(some) || is_file_by_descriptor(all));
    while (*some) {
        size_t n = part_length(some);
        bool named = file && (text_starts(some, "path=") || text_starts(some, "append="));
        if (!is_ignored(some) && !named && !has_part(all, some, n, listens))
            return false;
        some += n + (some[n] == ',');
    }
    return true;
}

static bool same_option(const struct option *a, const struct option *b)
{
    if (!text_equal(a->name, b->name) || !a->value != !b->value)
        return false;
    if (!a->value || (a->json && b->json))
        return !a->value || json_equal(a->json, b->json);
    return parts_within(a->value, b->value) && parts_within(b->value, a->value);
}

/* What the guest is made of, and not its board, processor, memory and the emulator's own affairs. */
static bool is_device(const struct option *option)
{
    static const char *const others[] = {
        "-name", "-S", "-machine", "-accel", "-cpu", "-m", "-overcommit", "-smp", "-uuid", "-no-user-config",
        "-nodefaults", "-mon", "-rtc", "-no-shutdown", "-boot", "-sandbox", "-msg", "-global", "-numa",
        "-kernel", "-initrd", "-append", "-smbios", "-incoming", "-no-reboot", "-mem-path", "-fw_cfg",
    };
    for (size_t i = 0; i < ARRAY_COUNT(others); i++)
        if (text_equal(option->name, others[i]))
            return false;
    const char *type = option->json ? json_get_text(option->json, "qom-type") : NULL;
    return !text_starts(type, "memory-backend") && !text_equal(type, "iothread");
}

struct verdict { bool all, devices; };

static void show(const char *name, char sign, const struct option *option)
{
    const char *wanted = getenv("UPSTREAM_DIFF");
    if (wanted && (text_equal(wanted, "1") || text_equal(wanted, name)))
        printf("# %s: %c %s %s\n", name, sign, option->name, option->value ? option->value : "");
}

static void report(const char *name, char sign, const struct options *options, struct verdict *verdict)
{
    for (size_t i = 0; i < options->list.count; i++) {
        const struct option *option = &options->list.items[i];
        if (option->matched)
            continue;
        show(name, sign, option);
        verdict->all = false;
        verdict->devices = verdict->devices && !is_device(option);
    }
}

static struct verdict compare(const char *name, struct options *ours, struct options *theirs)
{
    struct verdict verdict = { true, true };
    for (size_t i = 0; i < ours->list.count; i++)
        for (size_t k = 0; k < theirs->list.count && !ours->list.items[i].matched; k++)
            if (!theirs->list.items[k].matched && same_option(&ours->list.items[i], &theirs->list.items[k]))
                ours->list.items[i].matched = theirs->list.items[k].matched = true;
    report(name, '+', ours, &verdict);
    report(name, '-', theirs, &verdict);
    return verdict;
}

/* Those that libvirt's tests choose first. */
static const int first_port[GRAPHICS_DBUS + 1] = { [GRAPHICS_VNC] = 5900, [GRAPHICS_SPICE] = 5901 };

/* What libvirt's tests find on their host. */
static void describe_firmware(const char *folder, const char *name, const char *variant, const char *machines,
                              const char *features)
{
    error_scope(err);
    owned_memory char *path = memory_printf("%s/%s.json", folder, name);
    owned_memory char *text = memory_printf(
        "{\"interface-types\":[\"uefi\"],\"mapping\":{\"device\":\"flash\",\"executable\":{"
        "\"filename\":\"/usr/share/edk2/ovmf/OVMF_CODE%s.fd\",\"format\":\"raw\"},"
        "\"nvram-template\":{\"filename\":\"/usr/share/edk2/ovmf/OVMF_VARS%s.fd\",\"format\":\"raw\"}},"
        "\"targets\":[{\"architecture\":\"x86_64\",\"machines\":[\"%s\"]}],\"features\":[%s]}",
        variant, variant, machines, features);
    cr_assert_eq(file_replace(path, text, strlen(text), 0600, &err), 0, "%s", error_text(&err));
}

static int choose_firmware(struct domain_def *def, struct error *err)
{
    char folder[] = "/tmp/firmware-XXXXXX";
    if (!def->os.loader && def->os.firmware != FIRMWARE_EFI)
        return 0;
    cr_assert_not_null(mkdtemp(folder));
    describe_firmware(folder, "40", ".secboot", "pc-q35-*",
                      "\"requires-smm\",\"secure-boot\",\"enrolled-keys\"");
    describe_firmware(folder, "60", "", "pc-*", "");
    const char *const folders[] = { folder, NULL, NULL };
    struct os *os = &def->os;
    bool wants_variables = os->firmware == FIRMWARE_EFI || os->nvram_template;
    if (wants_variables && !os_nvram(os))
        os->nvram = arena_printf(def->arena, "/var/lib/libvirt/qemu/nvram/%s_VARS.fd", def->name);
    int rc = firmware_choose_from(folders, def, def->os.machine, "/nvram", err);
    owned_memory char *command = memory_printf("rm -r %s", folder);
    cr_assert_eq(system(command), 0);
    return rc;
}

static int build(const char *name, struct argv *argv, struct error *err)
{
    static const struct conf_defaults defaults = { .arch = "x86_64",
                                                   .emulator = "/usr/bin/qemu-system-x86_64" };
    owned_memory char *file = memory_printf("%s.xml", name), *path = recorded_path(file);
    owned_buffer struct buffer xml = { 0 };
    if (file_read(path, DOMAIN_XML_MAX, &xml, err) < 0)
        return -1;
    owned(domain_def) struct domain_def *def =
        domain_def_parse(buffer_text(&xml), xml.length, 0, &defaults, NULL, err);
    if (!def)
        return -1;
    owned(domain_def) struct domain_def *live = domain_def_copy_live(def);
    if (choose_firmware(live, err) < 0)
        return -1;
    disk_order(live);
    if (line_number_channels(live, 4, err) < 0)
        return -1;
    for (size_t i = 0; i < live->graphics.count; i++) {     /* as a start chooses them */
        struct graphics *graphics = live->graphics.items[i];
        if (graphics->autoport == YES)
            graphics->port = (struct opt_i64){ true, first_port[graphics->type] };
    }
    struct caps caps = caps_table(CAPS_10_0);
    struct caps_machine machine = caps.machines[0];         /* any that is asked for */
    machine.name = live->os.machine;
    caps.machines = &machine, caps.machines_count = 1, caps.cpus_count = 0;
    const struct command_line what = { .def = live, .caps = &caps, .monitor_fd = 1729, .now = 1700000000 };
    return command_line_build(&what, argv, err);
}

static struct verdict compare_case(const char *name)
{
    error_scope(err);
    struct option refusal = { .name = "refused" };
    owned_memory char *file = memory_printf("%s.args", name), *path = recorded_path(file);
    owned_buffer struct buffer text = { 0 };
    owned_argv struct argv built = { 0 }, recorded = { 0 };
    owned(arena) struct arena *arena = arena_new();
    cr_assert_eq(file_read(path, 1 << 20, &text, &err), 0, "%s", error_text(&err));
    recorded_split(buffer_text(&text), &recorded);
    if (build(name, &built, &err) < 0) {
        refusal.value = error_text(&err);
        show(name, '!', &refusal);
        return (struct verdict){ false, false };
    }
    struct options ours = { { 0 } }, theirs = { { 0 } };
    read_options(&built, arena, &ours);
    read_options(&recorded, arena, &theirs);
    struct verdict verdict = compare(name, &ours, &theirs);
    vector_done(&ours.list);
    vector_done(&theirs.list);
    return verdict;
}

/* A row of index.tsv: name, pool, arch, ..., files in column 10. */
static bool is_x86_case(char *row, const char **ret_name)
{
    const char *columns[10] = { 0 };
    for (size_t i = 0; i < ARRAY_COUNT(columns); i++)
        columns[i] = strsep(&row, "\t");
    *ret_name = columns[0];
    return text_equal(columns[2], "x86_64") && columns[9] && strstr(columns[9], "args");
}

Test(command_line, of_libvirts_own_cases_means_the_same_as_often_as_before)
{
    error_scope(err);
    owned_memory char *path = recorded_path("index.tsv");
    owned_buffer struct buffer index = { 0 };
    if (file_read(path, 1 << 20, &index, &err) < 0)
        cr_skip_test("no corpus/upstream (set DOMUS_SHARED)");
    size_t cases = 0, equal = 0, devices_equal = 0;
    for (char *rest = index.data, *row; (row = strsep(&rest, "\n")) != NULL; ) {
        const char *name;
        if (!is_x86_case(row, &name))
            continue;
        struct verdict verdict = compare_case(name);
        cases++;
        equal += verdict.all;
        devices_equal += verdict.devices;
    }
    printf("# of %zu x86_64 cases of libvirt %zu give an equal command line, %zu equal devices\n", cases,
           equal, devices_equal);
    cr_assert_geq(equal, EQUAL_AT_LEAST);
    cr_assert_geq(devices_equal, DEVICES_EQUAL_AT_LEAST);
}
