/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/firmware.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "conf/domain_def.h"

/* Two folders of descriptions, and a file that stands for a template. */
static char root[] = "/tmp/firmware-XXXXXX";

static void write_file(const char *name, const char *text)
{
    error_scope(err);
    owned_memory char *path = memory_printf("%s/%s", root, name);
    cr_assert_eq(file_replace(path, text, strlen(text), 0644, &err), 0, "%s", error_text(&err));
}

static void describe(const char *name, const char *code, const char *variables, const char *machines,
                     const char *features)
{
    owned_memory char *text = memory_printf(
        "{\"interface-types\":[\"uefi\"],\"mapping\":{\"device\":\"flash\",\"executable\":{"
        "\"filename\":\"%s\",\"format\":\"raw\"},"
        "\"nvram-template\":{\"filename\":\"%s\",\"format\":\"raw\"}},"
        "\"targets\":[{\"architecture\":\"x86_64\",\"machines\":[\"%s\"]}],\"features\":[%s]}",
        code, variables, machines, features);
    write_file(name, text);
}

static void make_folders(void)
{
    cr_assert_not_null(mkdtemp(root));
    owned_memory char *etc = memory_printf("%s/etc", root), *usr = memory_printf("%s/usr", root);
    cr_assert_eq(mkdir(etc, 0755) | mkdir(usr, 0755), 0);
    describe("usr/40-secure.json", "/fw/secure.fd", "/fw/secure-vars.fd", "pc-q35-*",
             "\"requires-smm\",\"secure-boot\",\"enrolled-keys\"");
    describe("usr/50-plain.json", "/fw/plain.fd", "/fw/plain-vars.fd", "pc-*", "\"acpi-s3\"");
    describe("usr/60-hidden.json", "/fw/hidden.fd", "/fw/hidden-vars.fd", "pc-*", "");
    write_file("etc/60-hidden.json", "");
    write_file("usr/00-broken.json", "{");
}

static void remove_folders(void)
{
    static const char *const names[] = {
        "usr/40-secure.json", "usr/50-plain.json", "usr/60-hidden.json", "etc/60-hidden.json",
        "usr/00-broken.json", "template.fd", "nvram/vars.fd", "nvram", "usr", "etc", "",
    };
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        owned_memory char *path = memory_printf("%s/%s", root, names[i]);
        if (unlink(path) < 0)
            rmdir(path);
    }
}

TestSuite(firmware, .init = make_folders, .fini = remove_folders);

static struct domain_def *guest(const char *os_attributes, const char *os)
{
    error_scope(err);
    owned_memory char *xml = memory_printf(
        "<domain type='qemu'><name>g</name><uuid>6f3a1c52-0d4b-4d6e-9a57-1b2c3d4e5f66</uuid>"
        "<memory>65536</memory><os %s><type arch='x86_64' machine='q35'>hvm</type>%s</os></domain>",
        os_attributes, os);
    owned(domain_def) struct domain_def *def = domain_def_parse(xml, strlen(xml), 0, NULL, NULL, &err);
    cr_assert_not_null(def, "%s", error_text(&err));
    return domain_def_copy(def);
}

static int choose(struct domain_def *def, const char *machine, struct error *err)
{
    owned_memory char *etc = memory_printf("%s/etc", root), *usr = memory_printf("%s/usr", root);
    const char *const folders[] = { etc, usr, NULL };
    return firmware_choose_from(folders, def, machine, "/nvram", err);
}

Test(firmware, the_first_one_that_fits_is_chosen_with_all_that_it_needs)
{
    error_scope(err);
    owned(domain_def) struct domain_def *def = guest("firmware='efi'", "");
    cr_assert_eq(choose(def, "pc-q35-7.2", &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(def->os.loader, "/fw/secure.fd");
    cr_assert_eq(def->os.loader_secure, YES);
    cr_assert_eq(def->features.smm, ON);
    cr_assert_str_eq(def->os.nvram_template, "/fw/secure-vars.fd");
    cr_assert_str_eq(def->os.nvram, "/nvram/6f3a1c52-0d4b-4d6e-9a57-1b2c3d4e5f66_VARS.fd");
}

Test(firmware, what_is_asked_of_it_and_the_machine_decide)
{
    error_scope(err);
    owned(domain_def) struct domain_def *plain =
        guest("firmware='efi'", "<firmware><feature enabled='no' name='secure-boot'/></firmware>");
    cr_assert_eq(choose(plain, "pc-q35-7.2", &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(plain->os.loader, "/fw/plain.fd");
    owned(domain_def) struct domain_def *old = guest("firmware='efi'", "");
    cr_assert_eq(choose(old, "pc-i440fx-7.2", &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(old->os.loader, "/fw/plain.fd");
    owned(domain_def) struct domain_def *never = guest("firmware='efi'", "");
    cr_assert_lt(choose(never, "microvm", &err), 0);
    cr_assert_not_null(strstr(error_text(&err), "'efi' one for machine 'microvm'"));
}

Test(firmware, an_empty_file_in_the_first_folder_hides_the_one_in_the_second)
{
    error_scope(err);
    owned(domain_def) struct domain_def *def =
        guest("", "<loader readonly='yes' type='pflash'>/fw/hidden.fd</loader>");
    cr_assert_lt(choose(def, "pc-q35-7.2", &err), 0);
    cr_assert_not_null(strstr(error_text(&err), "/fw/hidden.fd"));
}

Test(firmware, a_loader_by_hand_gets_the_template_that_belongs_to_it)
{
    error_scope(err);
    owned(domain_def) struct domain_def *described =
        guest("", "<loader readonly='yes' type='pflash'>/fw/plain.fd</loader><nvram>/my/vars.fd</nvram>");
    owned(domain_def) struct domain_def *known =
        guest("", "<loader readonly='yes' type='pflash'>/usr/share/OVMF/OVMF_CODE_4M.fd</loader>");
    owned(domain_def) struct domain_def *whole = guest("", "<loader type='pflash'>/fw/whole.fd</loader>");
    cr_assert_eq(choose(described, "pc-q35-7.2", &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(described->os.nvram, "/my/vars.fd");
    cr_assert_str_eq(described->os.nvram_template, "/fw/plain-vars.fd");
    cr_assert_eq(choose(known, "pc-q35-7.2", &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(known->os.nvram_template, "/usr/share/OVMF/OVMF_VARS_4M.fd");
    cr_assert_eq(choose(whole, "pc-q35-7.2", &err), 0, "%s", error_text(&err));
    cr_assert_null(whole->os.nvram);
}

Test(firmware, variables_are_copied_once_and_then_kept)
{
    error_scope(err);
    write_file("template.fd", "fresh");
    owned(domain_def) struct domain_def *def =
        guest("", "<loader readonly='yes' type='pflash'>/fw/x.fd</loader>");
    owned_memory char *template = memory_printf("%s/template.fd", root);
    owned_memory char *variables = memory_printf("%s/nvram/vars.fd", root);
    owned_buffer struct buffer bytes = { 0 };
    def->os.nvram = variables;
    cr_assert_lt(firmware_copy_template(def, &err), 0);
    cr_assert_not_null(strstr(error_text(&err), "template"));
    error_clear(&err);
    def->os.nvram_template = template;
    cr_assert_eq(firmware_copy_template(def, &err), 0, "%s", error_text(&err));
    write_file("nvram/vars.fd", "changed by the guest");
    cr_assert_eq(firmware_copy_template(def, &err), 0, "%s", error_text(&err));
    cr_assert_eq(file_read(variables, 100, &bytes, &err), 0);
    cr_assert_str_eq(bytes.data, "changed by the guest");
}
