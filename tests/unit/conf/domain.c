/* SPDX-License-Identifier: Apache-2.0 */
/* A domain as a whole: identity, amounts, defaults, references. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"
#include "define.h"

static const char *xml_of(const struct domain_def *def, unsigned flags, struct buffer *out)
{
    out->length = 0;
    domain_def_format(def, flags, NULL, out);
    return buffer_text(out);
}

Test(domain, a_missing_uuid_is_made_once_and_kept)
{
    owned(domain_def) struct domain_def *first = define("pc", "", ""), *second = define("pc", "", "");
    cr_assert_not(uuid_is_zero(&first->uuid));
    cr_assert_not(uuid_equal(&first->uuid, &second->uuid));
}

Test(domain, memory_is_kept_in_kib_whatever_its_unit)
{
    static const struct { const char *text; uint64_t kib; } amounts[] = {
        { "<memory>1</memory>", 1 },
        { "<memory unit='b'>1025</memory>", 2 },
        { "<memory unit='m'>3</memory>", 3072 },
        { "<memory unit='KB'>1000</memory>", 977 },
        { "<memory unit='gib'>1</memory>", 1048576 },
        { "<memory unit='TB'>1</memory>", 976562500 },
        { "<memory> 7 </memory>", 7 },
    };
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        owned_buffer struct buffer text = { 0 };
        error_scope(err);
        buffer_printf(&text, "<domain type='qemu'><name>d</name>%s<os><type>hvm</type></os></domain>",
                      amounts[i].text);
        owned(domain_def) struct domain_def *def = define_text(text.data, 0, NULL, &err);
        cr_assert_not_null(def, "%s", error_text(&err));
        cr_assert_eq(def->memory.kib, amounts[i].kib, "%s", amounts[i].text);
        cr_assert_eq(def->current_memory.kib, amounts[i].kib);
    }
}

static void refuse_name(const char *name, enum error_code code, const char *part)
{
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    buffer_printf(
        &text, "<domain type='qemu'><name>%s</name><memory>1024</memory><os><type>hvm</type></os></domain>",
        name);
    cr_assert_null(define_text(text.data, 0, NULL, &err), "%s", name);
    cr_assert_eq(err.code, code, "%s: %s", name, error_text(&err));
    cr_assert(strstr(error_text(&err), part), "%s: %s", name, error_text(&err));
}

Test(domain, a_name_that_would_break_a_listing_is_refused_and_shown_escaped)
{
    refuse_name("a&#10;b", ERR_XML_SYNTAX, "'a\\x0ab' cannot be");
    refuse_name("&#9;x", ERR_XML_SYNTAX, "'\\x09x' cannot be");
    refuse_name("a\x7f", ERR_XML_SYNTAX, "'a\\x7f' cannot be");
    refuse_name(" ", ERR_XML_SYNTAX, "not blank");
    refuse_name("a/b", ERR_XML, "'a/b' cannot be");
    refuse_name("..", ERR_XML, "'..' cannot be");
}

Test(domain, a_name_may_be_as_long_as_a_file_s)
{
    char name[257];
    memset(name, 'n', 256);
    name[256] = '\0';
    refuse_name(name, ERR_XML, "256 bytes");
    owned_buffer struct buffer text = { 0 };
    error_scope(err);
    buffer_printf(&text,
                  "<domain type='qemu'><name>%.255s</name><memory>1024</memory><os><type>hvm</type></os>"
                  "</domain>",
                  name);
    owned(domain_def) struct domain_def *def = define_text(text.data, 0, NULL, &err);
    cr_assert_not_null(def, "%s", error_text(&err));
    cr_assert_eq(strlen(def->name), 255);
}

Test(domain, a_document_in_a_namespace_is_told_so)
{
    error_scope(err);
    cr_assert_null(define_text("<domain xmlns='urn:x' type='qemu'/>", 0, NULL, &err));
    cr_assert(strstr(error_text(&err), "namespace 'urn:x'"), "%s", error_text(&err));
}

Test(domain, amounts_that_cannot_be_counted_are_refused)
{
    refuse("pc", "<currentMemory unit='EiB'>16</currentMemory>", "", ERR_XML,
           "more memory than can be counted");
    refuse("pc", "<currentMemory unit='KiB'>18446744073709551615</currentMemory>", "", ERR_XML, "counted");
    refuse("pc", "<currentMemory unit='furlong'>16</currentMemory>", "", ERR_INVALID_ARG, "unknown unit");
    refuse("pc", "<vcpu>256</vcpu>", "", ERR_CONFIG_UNSUPPORTED, "255 of this machine");
    refuse("q35", "<vcpu>100000</vcpu>", "", ERR_CONFIG_UNSUPPORTED, "4096 of this machine");
    refuse("pc", "<vcpu current='3'>2</vcpu>", "", ERR_XML, "3 vcpus at boot");
    refuse("pc", "<vcpu>4294967296</vcpu>", "", ERR_XML, "invalid value '4294967296'");
    refuse("pc", "<vcpu>4</vcpu><cpu><topology sockets='1' cores='2' threads='1'/></cpu>", "",
           ERR_CONFIG_UNSUPPORTED, "room for 2 vcpus");
    refuse("pc",
           "<cpu><topology sockets='4294967295' dies='4294967295' cores='4294967295' threads='2'/></cpu>", "",
           ERR_CONFIG_UNSUPPORTED, "room for");
}

Test(domain, names_that_are_no_names_are_refused)
{
    static const struct { const char *name; enum error_code code; } names[] = {
        { "", ERR_NO_NAME }, { "a/b", ERR_XML }, { "..", ERR_XML }, { "a\nb", ERR_XML_SYNTAX },
        { "&#xa;", ERR_XML_SYNTAX },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        owned_buffer struct buffer text = { 0 };
        error_scope(err);
        buffer_printf(&text, "<domain type='qemu'><name>%s</name><memory>1</memory>"
                             "<os><type>hvm</type></os></domain>", names[i].name);
        cr_assert_null(define_text(text.data, 0, NULL, &err));
        cr_assert_eq(err.code, names[i].code, "'%s': %d", names[i].name, err.code);
    }
}

Test(domain, boot_devices_and_boot_orders_do_not_mix)
{
    refuse("pc", "",
           "<disk><target dev='vda'/><boot order='1'/></disk>"
           "<disk><target dev='vdb'/><boot order='1'/></disk>",
           ERR_CONFIG_UNSUPPORTED, "used for more than one");
    refuse("pc", "", "<disk><target dev='vda'/><boot order='0'/></disk>", ERR_XML, "from 1");
}

Test(domain, a_kept_device_takes_part_in_the_boot_order)
{
    owned(domain_def) struct domain_def *def = define("pc", "", "<pstore><boot order='1'/></pstore>");
    cr_assert_eq(def->os.boots.count, 0);
    refuse("pc", "", "<pstore><boot order='1'/></pstore><disk><target dev='vda'/><boot order='1'/></disk>",
           ERR_CONFIG_UNSUPPORTED, "used for more than one");
}

Test(domain, unknown_content_is_refused_only_when_validation_is_asked_for)
{
    static const char text[] = "<domain type='qemu'><name>d</name><memory>1</memory><os><type>hvm</type></os>"
                               "<devices><frobnicator/></devices></domain>";
    error_scope(err);
    owned_findings struct findings findings = { 0 };
    owned(domain_def) struct domain_def *lax = define_text(text, 0, &findings, &err);
    owned(domain_def) struct domain_def *strict = define_text(text, DOMAIN_DEF_VALIDATE, NULL, &err);
    cr_assert_not_null(lax);
    cr_assert_eq(findings.warnings, 1);
    cr_assert_null(strict);
    cr_assert_eq(err.code, ERR_XML_SCHEMA);
}

Test(domain, a_start_is_refused_while_wanted_content_is_only_kept)
{
    error_scope(err);
    owned(domain_def) struct domain_def *plain = define("pc", "<memtune><hard_limit>1</hard_limit></memtune>",
                                                        "");
    owned(domain_def) struct domain_def *kept =
        define("pc", "", "<pstore backend='acpi-erst'/>\n<crypto model='virtio'/>");
    cr_assert_eq(domain_def_check_startable(plain, &err), 0, "%s", error_text(&err));
    cr_assert_eq(domain_def_check_startable(kept, &err), -1);
    cr_assert_eq(err.code, ERR_CONFIG_UNSUPPORTED);
    cr_assert_str_eq(error_text(&err),
                     "domain 'd': 'devices/pstore' (line 1) and 1 more are not supported yet");
}

Test(domain, a_machine_that_cannot_be_built_is_kept_and_not_started)
{
    error_scope(err);
    owned(domain_def) struct domain_def *def = define("isapc", "", "");
    cr_assert_eq(domain_def_check_startable(def, &err), -1);
    cr_assert_not_null(strstr(error_text(&err), "'isapc' (x86_64)"));
}

Test(domain, passwords_are_written_only_when_asked_for)
{
    owned_buffer struct buffer out = { 0 };
    owned(domain_def) struct domain_def *def = define("pc", "", "<graphics type='vnc' passwd='sesame'/>");
    cr_assert_null(strstr(xml_of(def, 0, &out), "sesame"));
    cr_assert_not_null(strstr(xml_of(def, DOMAIN_DEF_SECRETS, &out), "passwd='sesame'"));
}

Test(domain, a_definition_lives_as_long_as_somebody_refers_to_it)
{
    struct domain_def *def = define("pc", "", "");
    struct domain_def *shared = domain_def_ref(def);
    domain_def_unref(def);
    cr_assert_str_eq(shared->name, "d");
    domain_def_unref(shared);
    domain_def_unref(NULL);
}

Test(domain, a_live_copy_has_an_alias_at_every_device_and_the_original_none)
{
    owned(domain_def) struct domain_def *def =
        define("q35", "", "<disk><target dev='vdb'/></disk>"
                          "<disk device='cdrom'><target dev='sdc' bus='sata'/></disk>"
                          "<serial type='pty'/><interface type='user'/><graphics type='vnc'/>");
    owned(domain_def) struct domain_def *live = domain_def_copy_live(def);
    cr_assert_null(def->disks.items[0]->alias);
    cr_assert_str_eq(live->disks.items[0]->alias, "virtio-disk1");
    cr_assert_str_eq(live->disks.items[1]->alias, "sata0-0-2");
    cr_assert_str_eq(live->serials.items[0]->alias, "serial0");
    cr_assert_str_eq(live->consoles.items[0]->alias, "serial0");
    cr_assert_str_eq(live->interfaces.items[0]->alias, "net0");
    cr_assert_str_eq(live->videos.items[0]->alias, "video0");
    cr_assert_str_eq(live->memballoon->alias, "balloon0");
    for (size_t i = 0; i < live->controllers.count; i++)
        cr_assert_not_null(live->controllers.items[i]->alias);
}

Test(domain, emulator_options_under_any_prefix_are_built_or_block_a_start)
{
    error_scope(err);
    owned(domain_def) struct domain_def *built =
        define("pc", "<q:commandline xmlns:q='http://libvirt.org/schemas/domain/qemu/1.0'>"
                     "<q:arg value='-s'/></q:commandline>", "");
    owned(domain_def) struct domain_def *other =
        define("pc", "<q:something xmlns:q='http://libvirt.org/schemas/domain/qemu/1.0'/>", "");
    cr_assert_eq(domain_def_check_startable(built, &err), 0, "%s", error_text(&err));
    cr_assert_eq(domain_def_check_startable(other, &err), -1);
    cr_assert_not_null(strstr(error_text(&err), "q:something"));
}
