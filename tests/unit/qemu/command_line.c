/* SPDX-License-Identifier: Apache-2.0 */
/* Golden files: tests/golden/args/NAME.xml, and for each emulator NAME.VERSION.args (an option a line, as a
 * shell would take it) or NAME.VERSION.err.  NAME.drive.args is the classic spelling.  REGENERATE=1 rewrites
 * them, for review. */
#include "qemu/command_line.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "caps_tables.h"
#include "conf/domain_def.h"
#include "json/json.h"
#include "qemu/disk_order.h"
#include "qemu/line.h"
#include "recorded.h"

static const struct variant { const char *name; enum caps_table caps; bool classic; } variants[] = {
    { "7.2", CAPS_7_2, false }, { "11.1", CAPS_11_1, false }, { "drive", CAPS_7_2, true },
};

static char *golden_folder(void)
{
    const char *source = getenv("abs_top_srcdir");
    return memory_printf("%s/tests/golden/args", source ? source : ".");
}

static struct domain_def *parse(const char *xml, size_t length, struct error *err)
{
    static const struct conf_defaults defaults = { .arch = "x86_64",
                                                   .emulator = "/usr/bin/qemu-system-x86_64" };
    owned(domain_def) struct domain_def *def = domain_def_parse(xml, length, 0, &defaults, NULL, err);
    if (!def)
        return NULL;
    owned(domain_def) struct domain_def *live = domain_def_copy_live(def);
    disk_order(live);
    return line_number_channels(live, 4, err) < 0 ? NULL : take(live);
}

/* An option and its value stand on one line. */
static void add_lines(const struct argv *argv, struct buffer *out)
{
    for (size_t i = 0; i < argv->count; i++) {
        if (i)
            buffer_add_text(out, argv->words[i][0] == '-' ? " \\\n" : " ");
        text_add_shell_word(out, argv->words[i]);
    }
    buffer_add_char(out, '\n');
}

static int build(const struct domain_def *def, enum caps_table table, bool classic, struct argv *argv,
                 struct error *err)
{
    const struct caps caps = caps_table(table);
    const struct command_line what = {
        .def = def, .caps = &caps, .classic_drives = classic, .monitor_fd = 3, .now = 1700000000
    };
    return command_line_build(&what, argv, err);
}

static void compare(const char *path, const struct buffer *got)
{
    error_scope(err);
    owned_buffer struct buffer wanted = { 0 };
    if (getenv("REGENERATE")) {
        cr_assert_eq(file_replace(path, got->data, got->length, 0644, &err), 0, "%s", error_text(&err));
        return;
    }
    cr_assert_eq(file_read(path, 1 << 20, &wanted, &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(buffer_text(got), buffer_text(&wanted), "%s differs:\n%s", path, buffer_text(got));
}

static void check_variant(const char *stem, const struct domain_def *def, const struct variant *variant)
{
    error_scope(err);
    owned_argv struct argv argv = { 0 };
    owned_buffer struct buffer got = { 0 };
    bool built = build(def, variant->caps, variant->classic, &argv, &err) == 0;
    if (built)
        add_lines(&argv, &got);
    else
        buffer_printf(&got, "%s\n", error_text(&err));
    owned_memory char *path = memory_printf("%s.%s.%s", stem, variant->name, built ? "args" : "err");
    compare(path, &got);
}

static void check_document(const char *stem)
{
    error_scope(err);
    owned_memory char *path = memory_printf("%s.xml", stem);
    owned_buffer struct buffer xml = { 0 };
    cr_assert_eq(file_read(path, DOMAIN_XML_MAX, &xml, &err), 0, "%s", error_text(&err));
    owned(domain_def) struct domain_def *def = parse(xml.data, xml.length, &err);
    cr_assert_not_null(def, "%s: %s", path, error_text(&err));
    for (size_t i = 0; i < ARRAY_COUNT(variants); i++)
        check_variant(stem, def, &variants[i]);
}

Test(command_line, is_as_in_the_golden_files)
{
    error_scope(err);
    owned_memory char *folder = golden_folder();
    char **names = NULL;
    size_t count = 0, documents = 0;
    cr_assert_eq(folder_list(folder, &names, &count, &err), 0, "%s", error_text(&err));
    for (size_t i = 0; i < count; i++) {
        if (!text_ends(names[i], ".xml"))
            continue;
        owned_memory char *stem = memory_printf("%s/%.*s", folder, (int) strlen(names[i]) - 4, names[i]);
        check_document(stem);
        documents++;
    }
    folder_names_free(names, count);
    cr_assert_geq(documents, 8, "golden documents are missing from %s", folder);
}

/* --- every cache mode, spelt in each way --- */

static const struct cache_case { const char *mode, *cache, *write_cache; } cache_cases[] = {
    { NULL, NULL, NULL },
    { "default", NULL, NULL },
    { "none", "\"cache\":{\"direct\":true,\"no-flush\":false}", "on" },
    { "off", "\"cache\":{\"direct\":true,\"no-flush\":false}", "on" },
    { "writethrough", "\"cache\":{\"direct\":false,\"no-flush\":false}", "off" },
    { "writeback", "\"cache\":{\"direct\":false,\"no-flush\":false}", "on" },
    { "directsync", "\"cache\":{\"direct\":true,\"no-flush\":false}", "off" },
    { "unsafe", "\"cache\":{\"direct\":false,\"no-flush\":true}", "on" },
};

static struct domain_def *one_disk(const char *format, const char *mode, const char *more)
{
    error_scope(err);
    owned_memory char *cache = mode ? memory_printf(" cache='%s'", mode) : memory_copy_text("");
    owned_memory char *xml = memory_printf(
        "<domain type='qemu'><name>g</name><memory>65536</memory><vcpu>1</vcpu>"
        "<os><type arch='x86_64' machine='pc'>hvm</type></os><devices><disk type='file' device='disk'>"
        "<driver name='qemu' type='%s'%s/><source file='/a,b.img'/><target dev='vda' bus='virtio'/>%s</disk>"
        "</devices></domain>", format, cache, more);
    struct domain_def *def = parse(xml, strlen(xml), &err);
    cr_assert_not_null(def, "%s", error_text(&err));
    return def;
}

/* The value of the nth such option that holds `text`; NULL if there is none. */
static const char *option_with(const struct argv *argv, const char *option, const char *text)
{
    for (size_t i = 0; i + 1 < argv->count; i++)
        if (text_equal(argv->words[i], option) && strstr(argv->words[i + 1], text))
            return argv->words[i + 1];
    return NULL;
}

static void check_cache_in(const char *option, const struct cache_case *want, const char *what)
{
    cr_assert_not_null(option, "no %s for cache %s", what, want->mode);
    if (want->cache)
        cr_assert_not_null(strstr(option, want->cache), "%s: %s", want->mode, option);
    else
        cr_assert_null(strstr(option, "\"cache\""), "%s", option);
}

static void check_device(const struct argv *argv, const struct cache_case *want)
{
    const char *device = option_with(argv, "-device", "virtio-disk0");
    cr_assert_not_null(device);
    owned_memory char *wanted =
        memory_printf("\"write-cache\":\"%s\"", want->write_cache ? want->write_cache : "");
    cr_assert_eq(strstr(device, wanted) != NULL, want->write_cache != NULL, "%s: %s", want->mode, device);
}

static void check_nodes(const char *format, enum caps_table table, const struct cache_case *want)
{
    error_scope(err);
    owned(domain_def) struct domain_def *def = one_disk(format, want->mode, "");
    owned_argv struct argv argv = { 0 };
    cr_assert_eq(build(def, table, false, &argv, &err), 0, "%s", error_text(&err));
    bool bare = text_equal(format, "raw") && table != CAPS_7_2;
    check_cache_in(option_with(&argv, "-blockdev", "\"filename\":\"/a,b.img\""), want, "storage node");
    const char *node = option_with(&argv, "-blockdev", "\"file\":\"libvirt-1-storage\"");
    if (bare)
        cr_assert_null(node, "a raw image needs no format node: %s", node);
    else
        check_cache_in(node, want, "format node");
    const char *device =
        option_with(&argv, "-device", bare ? "\"libvirt-1-storage\"" : "\"libvirt-1-format\"");
    cr_assert_not_null(device);
    check_device(&argv, want);
}

Test(command_line, spells_every_cache_mode_in_nodes_and_device)
{
    static const char *const formats[] = { "raw", "qcow2" };
    size_t checked = 0;
    for (size_t i = 0; i < ARRAY_COUNT(cache_cases); i++)
        for (size_t f = 0; f < ARRAY_COUNT(formats); f++)
            for (int table = 0; table < CAPS_TABLES; table++, checked++)
                check_nodes(formats[f], (enum caps_table) table, &cache_cases[i]);
    cr_assert_eq(checked, 8 * 2 * 3);
}

static void check_drive(const char *format, const struct cache_case *want)
{
    error_scope(err);
    owned(domain_def) struct domain_def *def = one_disk(format, want->mode, "");
    owned_argv struct argv argv = { 0 };
    cr_assert_eq(build(def, CAPS_7_2, true, &argv, &err), 0, "%s", error_text(&err));
    const char *mode = want->cache ? text_equal(want->mode, "off") ? "none" : want->mode : NULL;
    owned_memory char *wanted = memory_printf("file=/a,,b.img,format=%s,if=none,id=drive-virtio-disk0%s%s",
                                              format, mode ? ",cache=" : "", mode ? mode : "");
    cr_assert_str_eq(option_with(&argv, "-drive", ""), wanted);
    cr_assert_null(option_with(&argv, "-blockdev", ""));
    cr_assert_not_null(option_with(&argv, "-device", "\"drive\":\"drive-virtio-disk0\""));
    check_device(&argv, want);
}

Test(command_line, spells_every_cache_mode_in_a_classic_drive)
{
    for (size_t i = 0; i < ARRAY_COUNT(cache_cases); i++) {
        check_drive("raw", &cache_cases[i]);
        check_drive("qcow2", &cache_cases[i]);
    }
    cr_assert(true);
}

Test(command_line, makes_a_writable_shareable_disk_bypass_the_hosts_cache)
{
    error_scope(err);
    static const struct cache_case none = { "none", "\"cache\":{\"direct\":true,\"no-flush\":false}", "on" };
    static const struct cache_case unsafe = { "unsafe", "\"cache\":{\"direct\":false,\"no-flush\":true}",
                                              "on" };
    owned(domain_def) struct domain_def *plain = one_disk("raw", NULL, "<shareable/>");
    owned_argv struct argv argv = { 0 };
    cr_assert_eq(build(plain, CAPS_11_1, false, &argv, &err), 0, "%s", error_text(&err));
    check_cache_in(option_with(&argv, "-blockdev", "\"filename\""), &none, "storage node");
    cr_assert_not_null(option_with(&argv, "-device", "\"share-rw\":true"));

    owned(domain_def) struct domain_def *asked = one_disk("raw", "unsafe", "<shareable/>");
    owned_argv struct argv other = { 0 };
    cr_assert_eq(build(asked, CAPS_11_1, false, &other, &err), 0, "%s", error_text(&err));
    check_cache_in(option_with(&other, "-blockdev", "\"filename\""), &unsafe, "storage node");
}

/* --- refusals --- */

static void check_refused(const char *devices, const char *wanted)
{
    error_scope(err);
    owned_memory char *xml = memory_printf(
        "<domain type='qemu'><name>g</name><memory>65536</memory><vcpu>1</vcpu>"
        "<os><type arch='x86_64' machine='pc'>hvm</type></os><devices>%s</devices></domain>", devices);
    owned(domain_def) struct domain_def *def = parse(xml, strlen(xml), &err);
    cr_assert_not_null(def, "%s", error_text(&err));
    owned_argv struct argv argv = { 0 };
    cr_assert_lt(build(def, CAPS_11_1, false, &argv, &err), 0, "%s was accepted", devices);
    cr_assert_eq(err.code, ERR_CONFIG_UNSUPPORTED);
    cr_assert_not_null(strstr(error_text(&err), wanted), "%s", error_text(&err));
}

Test(command_line, refuses_what_it_cannot_spell)
{
    check_refused(
        "<disk type='network'><source protocol='nbd' name='x'/><target dev='vda' bus='virtio'/></disk>",
        "disk 'vda': protocol 'nbd' needs exactly one <host>");
    check_refused("<interface type='bridge'><source bridge='br0'/></interface>", "type 'bridge'");
    check_refused("<video><model type='qxl'/></video>", "qxl-vga");
    check_refused("<graphics type='spice'/>", "'spice'");
    check_refused("<tpm model='tpm-tis'><backend type='emulator'/></tpm>", "tpm");
    cr_assert(true);
}

/* --- against libvirt's own expectations, where they are at hand --- */

/* What a disk leaves on a command line: nodes, and devices of these drivers. */
static bool is_of_a_disk(const char *option, const struct json *value)
{
    static const char *const drivers[] = { "ide-hd",     "ide-cd",         "scsi-hd",     "scsi-cd",
                                           "scsi-block", "virtio-blk-pci", "usb-storage", "floppy" };
    const char *driver = json_get_text(value, "driver");
    if (text_equal(option, "-blockdev"))
        return true;
    for (size_t i = 0; text_equal(option, "-device") && i < ARRAY_COUNT(drivers); i++)
        if (text_equal(driver, drivers[i]))
            return true;
    return false;
}

static void keep_disks(const struct argv *from, struct arena *arena, struct argv *to)
{
    for (size_t i = 0; i + 1 < from->count; i++) {
        error_scope(err);
        const char *text = from->words[i + 1];
        const struct json *value = *text == '{' ? json_parse(text, strlen(text), arena, &err) : NULL;
        if (value && is_of_a_disk(from->words[i], value))
            argv_add_pair(to, from->words[i], text);
    }
}

static void compare_words(const char *name, const struct argv *got, const struct argv *wanted)
{
    owned(arena) struct arena *arena = arena_new();
    for (size_t i = 0; i < got->count && i < wanted->count; i++) {
        error_scope(err);
        const char *a = got->words[i], *b = wanted->words[i];
        bool same = *a == '{' && *b == '{' ? json_equal(json_parse(a, strlen(a), arena, &err),
                                                        json_parse(b, strlen(b), arena, &err))
                                           : text_equal(a, b);
        cr_expect(same, "%s:\n  ours %s\n  want %s", name, a, b);
    }
    cr_expect_eq(got->count, wanted->count, "%s: %zu words instead of %zu", name, got->count, wanted->count);
}

static bool compare_recorded(const char *name)
{
    error_scope(err);
    owned_memory char *xml_name = memory_printf("%s.xml", name), *xml_path = recorded_path(xml_name);
    owned_memory char *args_name = memory_printf("%s.args", name), *args_path = recorded_path(args_name);
    owned_buffer struct buffer xml = { 0 }, args = { 0 };
    if (file_read(xml_path, DOMAIN_XML_MAX, &xml, &err) < 0 || file_read(args_path, 1 << 20, &args, &err) < 0)
        return false;
    owned(arena) struct arena *arena = arena_new();
    owned_argv struct argv built = { 0 }, recorded = { 0 }, got = { 0 }, wanted = { 0 };
    owned(domain_def) struct domain_def *def = parse(xml.data, xml.length, &err);
    cr_assert_not_null(def, "%s: %s", name, error_text(&err));
    cr_assert_eq(build(def, CAPS_10_0, false, &built, &err), 0, "%s: %s", name, error_text(&err));
    recorded_split(args.data, &recorded);
    keep_disks(&built, arena, &got);
    keep_disks(&recorded, arena, &wanted);
    cr_assert_gt(wanted.count, 0);
    compare_words(name, &got, &wanted);
    return true;
}

Test(command_line, of_disks_means_what_libvirts_own_means)
{
    static const char *const names[] = {
        "disk-cache",  "disk-aio",           "disk-cdrom",         "disk-copy_on_read", "disk-error-policy",
        "disk-floppy", "disk-blockio",       "disk-readonly-disk", "disk-sata-device",  "disk-ioeventfd",
        "disk-virtio", "disk-virtio-queues", "disk-usb-device", "boot-complex", "disk-snapshot",
    };
    size_t compared = 0;
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        compared += compare_recorded(names[i]);
    if (!compared)
        cr_skip_test("no corpus/upstream (set DOMUS_SHARED)");
    cr_assert(true);
}
